import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { refuse } from './handshake.ts'
import type { LiveServer } from './open-live.ts'

/** Answers the upgrade requests of a server: the channel's path opens it, others are not found. */
export function attachLive(server: Server, live: Promise<LiveServer | null>): void {
  server.on('upgrade', async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const channel = await live.catch(() => null)
    const isLive = request.url?.split('?')[0] === '/live'
    if (channel && isLive) channel.upgrade(request, socket, head)
    else refuse(socket, 404)
  })
}
