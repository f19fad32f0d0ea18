import { randomBytes } from 'node:crypto'
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { fieldsOf } from '#shared/core/json/is-object.ts'
import type { LiveRoute } from '../../template/routes.ts'
import { faultText } from '../files/fault.ts'
import { connectEvent, type LiveConnection } from './live-event.ts'
import { type LiveSocket, LiveSockets } from './live-sockets.ts'
import { type InnerResponse, type InnerServer, openInnerServer } from './open-server.ts'

/**
 * Limits of API Gateway's WebSocket APIs, except `handshakes`, the maximum number of handshakes in progress. API Gateway limits new
 * connections to 500 per second instead. Refused devices retry.
 */
const platformLimits = { messageBytes: 128 * 1_024, idleMs: 10 * 60_000, lifeMs: 2 * 3_600_000, handshakes: 100 }

type Options = {
  invoke(route: LiveRoute, event: unknown): Promise<unknown>
  /** True if the result of `$default` is sent to the device. */
  returnsResult: boolean
  limits?: Partial<typeof platformLimits>
}

export type LiveServer = {
  /** Base URL of the `@connections` API. */
  endpoint: string
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  stop(): Promise<void>
}

const message = (text: string): string => JSON.stringify({ message: text })

const toLiveConnection = ({ socket, headers }: IncomingMessage): LiveConnection => ({
  // Uses base64 like API Gateway, so that functions have to encode the id when they use it in a path.
  connectionId: randomBytes(11).toString('base64'),
  connectedAt: Date.now(),
  sourceIp: socket.remoteAddress?.replace(/^::ffff:/, '') ?? '127.0.0.1',
  userAgent: headers['user-agent'] ?? null,
})

/** Starts the local live channel. Functions receive the same events, and use the same `@connections` API, as on API Gateway. */
export async function openLive({ invoke, returnsResult, limits }: Options): Promise<LiveServer> {
  const { messageBytes, idleMs, lifeMs, handshakes: maxHandshakes } = { ...platformLimits, ...limits }
  const handshakes = new WebSocketServer({
    noServer: true,
    maxPayload: messageBytes,
    perMessageDeflate: false,
    // Selects no subprotocol. API Gateway selects one only if the result of `$connect` names it, which never happens.
    handleProtocols: () => false,
  })

  /** Invokes the function of a route. Converts an error to a response with status 500, as API Gateway does. */
  const invokeRoute = async (route: LiveRoute, event: unknown): Promise<Record<string, unknown>> => {
    try {
      return fieldsOf(await invoke(route, event))
    } catch (error) {
      process.stderr.write(`${route}: ${faultText(error)}\n`)
      return { statusCode: 500, body: message('Internal server error') }
    }
  }
  const sockets = new LiveSockets({ invoke: invokeRoute, returnsResult, idleMs, lifeMs })
  const api = await openConnectionsApi(sockets.open)
  const opening = new Set<Promise<void>>()
  let ending = false

  async function open(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const connection = toLiveConnection(request)
    const response = await invokeRoute('$connect', connectEvent(connection, request))
    const status = Number(response.statusCode ?? 500)
    if (status < 200 || status >= 300) {
      return refuse(socket, status, typeof response.body === 'string' ? response.body : '', fieldsOf(response.headers))
    }
    let isOpen = false
    handshakes.handleUpgrade(request, socket, head, (webSocket) => {
      isOpen = true
      sockets.serve(webSocket, connection)
    })
    // Invokes `$disconnect` for a device that left during the handshake, because `$connect` has already registered it as connected.
    if (!isOpen) sockets.notifyDisconnect(connection, 1006, '')
  }

  return {
    endpoint: api.endpoint,
    upgrade(request, socket, head) {
      socket.on('error', () => socket.destroy())
      if (!isHandshake(request)) return refuse(socket, 400, message('Bad Request'))
      if (ending) return refuse(socket, 503, message('Service Unavailable'))
      if (opening.size >= maxHandshakes) return refuse(socket, 429, message('Too Many Requests'))
      const handshake = open(request, socket, head).finally(() => opening.delete(handshake))
      opening.add(handshake)
    },
    async stop() {
      ending = true
      await Promise.all(opening)
      await sockets.stop()
      await api.stop()
    },
  }
}

/** True for a valid handshake (RFC 6455, 4.2.1). Other requests do not invoke a function. */
const isHandshake = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' &&
  headers['sec-websocket-version'] === '13' &&
  /^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '')

/** Responds to an upgrade request without opening a connection. Destroys the socket, because the client may leave it open. */
function refuse(socket: Duplex, status: number, body = '', headers: Record<string, unknown> = {}): void {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}

/** True for a request to upgrade to the live channel. The server ignores requests to upgrade to anything else (RFC 9110, 7.8). */
export const isLiveUpgrade = ({ url, headers }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket' && url?.split('?')[0] === '/live'

/** Passes a server's upgrade requests to the live channel. Refuses requests with 404 if the app has no live channel. */
export function attachLive(server: Server, live: Promise<LiveServer | null>): void {
  server.on('upgrade', async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const channel = await live.catch(() => null)
    if (channel) channel.upgrade(request, socket, head)
    else refuse(socket, 404)
  })
}

/** Maximum number of bytes buffered for a device that does not read. */
const maxUnsent = 1_024 * 1_024

function post(live: LiveSocket, body: Buffer): InnerResponse {
  if (body.length > platformLimits.messageBytes) return { status: 413, fault: 'PayloadTooLargeException' }
  if (live.socket.bufferedAmount > maxUnsent) return { status: 429, fault: 'LimitExceededException' }
  live.socket.send(body.toString('utf8'))
  live.lastActiveAt = Date.now()
  return { status: 200 }
}

const openConnectionsApi = (sockets: ReadonlyMap<string, LiveSocket>): Promise<InnerServer> =>
  openInnerServer(async ({ method, headers }, path, body) => {
    const live = sockets.get(decodeURIComponent(path).replace('@connections/', ''))
    if (!live || live.socket.readyState !== live.socket.OPEN) return { status: 410, fault: 'GoneException' }
    if (method === 'POST') return post(live, body)
    if (method === 'DELETE') {
      // Reads the close code defined by the contract (C2.5) from a header used only locally. On API Gateway, the caller cannot choose the
      // close code.
      live.socket.close(Number(headers['x-close-code'] ?? 1000))
      return { status: 204 }
    }
    const { connectedAt, sourceIp, userAgent } = live.connection
    const times = { ConnectedAt: new Date(connectedAt), LastActiveAt: new Date(live.lastActiveAt) }
    return { status: 200, body: { ...times, Identity: { SourceIp: sourceIp, UserAgent: userAgent } } }
  })
