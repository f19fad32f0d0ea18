import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { LiveSocket } from './live-socket.ts'

/** What a device that does not read leaves unsent is held up to so much; then the platform takes no more for it. */
const mostUnsent = 1_024 * 1_024
const mostBytes = 128 * 1_024

export type ConnectionsApi = { endpoint: string; stop(): Promise<void> }

type Answer = { status: number; body?: object }

async function post(live: LiveSocket, request: IncomingMessage): Promise<Answer> {
  const body = await buffer(request)
  if (body.length > mostBytes) return { status: 413, body: { message: 'Payload too large' } }
  if (live.socket.bufferedAmount > mostUnsent) return { status: 429, body: { message: 'Limit exceeded' } }
  live.socket.send(body.toString('utf8'))
  live.lastActiveAt = Date.now()
  return { status: 200 }
}

async function answer(sockets: ReadonlyMap<string, LiveSocket>, request: IncomingMessage): Promise<Answer> {
  const [, , path = '', id = ''] = decodeURIComponent(request.url ?? '').match(/^(.*?)\/(@connections)\/(.+)$/) ?? []
  const live = path && sockets.get(id)
  if (!live || live.socket.readyState !== live.socket.OPEN) return { status: 410, body: { message: 'Gone' } }
  if (request.method === 'POST') return post(live, request)
  if (request.method === 'DELETE') {
    // API Gateway lets nobody choose a code; here the contract's can be kept (C2.5).
    live.socket.close(Number(request.headers['x-close-code'] ?? 1000))
    return { status: 204 }
  }
  const { connectedAt, sourceIp, userAgent } = live.opened
  const times = { ConnectedAt: new Date(connectedAt), LastActiveAt: new Date(live.lastActiveAt) }
  return { status: 200, body: { ...times, Identity: { SourceIp: sourceIp, UserAgent: userAgent } } }
}

/** The `@connections` of this machine, on a port of its own: only the service's functions know it. */
export async function openConnectionsApi(sockets: ReadonlyMap<string, LiveSocket>): Promise<ConnectionsApi> {
  const server = createServer(async (request, response) => {
    const { status, body } = await answer(sockets, request).catch((): Answer => ({ status: 500 }))
    request.resume()
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(body && JSON.stringify(body))
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/live`,
    async stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
