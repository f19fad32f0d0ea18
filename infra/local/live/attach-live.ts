import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { refuse } from './handshake.ts'
import type { LiveServer } from './open-live.ts'

/** Picks the requests that open the channel. All others are answered as if they asked for no upgrade (RFC 9110, 7.8). */
export const opensLive = ({ url, headers }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket' && url?.split('?')[0] === '/live'

/** Hands the upgrades of a server to the channel, or refuses them where the app has none. */
export function attachLive(server: Server, live: Promise<LiveServer | null>): void {
  server.on('upgrade', async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const channel = await live.catch(() => null)
    if (channel) channel.upgrade(request, socket, head)
    else refuse(socket, 404)
  })
}
