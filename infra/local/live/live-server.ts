import { randomBytes } from 'node:crypto'
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import { fieldsOf } from '#shared/core/is-object.ts'
import { connectEvent, disconnectEvent, type LiveRoute, messageEvent, type Opened } from './live-event.ts'
import type { LiveSocket } from './live-socket.ts'
import { openConnectionsApi } from './open-connections-api.ts'

/**
 * The limits of a WebSocket API of API Gateway; but where that takes 500 new connections a second, this machine answers so many
 * handshakes at once, some hundred a second. What is more comes again.
 */
const platformLimits = { messageBytes: 128 * 1_024, idleMs: 10 * 60_000, lifeMs: 2 * 3_600_000, handshakes: 100 }

type Options = {
  /** Hands an event to the function of a route. */
  invoke(route: LiveRoute, event: unknown): Promise<unknown>
  /** Whether what `$default` returns is sent to the device. */
  answers: boolean
  limits?: Partial<typeof platformLimits>
}

export type LiveServer = {
  /** Where functions send messages for connections. */
  endpoint: string
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  stop(): Promise<void>
}

/** The channel of this machine: it tells functions what API Gateway tells them, and lets them do what it lets them do. */
export async function openLive({ invoke, answers, limits }: Options): Promise<LiveServer> {
  const { messageBytes, idleMs, lifeMs, handshakes: mostHandshakes } = { ...platformLimits, ...limits }
  const handshakes = new WebSocketServer({ noServer: true, maxPayload: messageBytes, perMessageDeflate: false })
  const sockets = new Map<string, LiveSocket>()
  const closed = new Set<Promise<unknown>>()
  let opening = 0
  const api = await openConnectionsApi(sockets)

  /** A fault of the function is told as the platform does; there is nobody else to tell. */
  const ask = async (route: LiveRoute, event: unknown): Promise<Record<string, unknown>> => {
    try {
      return fieldsOf(await invoke(route, event))
    } catch (error) {
      process.stderr.write(`${route}: ${error instanceof Error ? (error.stack ?? error.message) : error}\n`)
      return { statusCode: 500, body: JSON.stringify({ message: 'Internal server error' }) }
    }
  }

  const tellOfEnd = (opened: Opened, code: number, reason: string): void => {
    const told = ask('$disconnect', disconnectEvent(opened, code, reason))
    closed.add(told)
    void told.finally(() => closed.delete(told))
  }

  const serve = (socket: WebSocket, opened: Opened): void => {
    const live: LiveSocket = { opened, socket, lastActiveAt: Date.now() }
    sockets.set(opened.connectionId, live)
    const close = (why: string) => socket.close(1001, why)
    const life = setTimeout(close, lifeMs, 'Going away')
    const idle = setTimeout(close, idleMs, 'Going away')
    const receive = async (data: RawData, isBinary: boolean) => {
      const { body } = await ask('$default', messageEvent(opened, data as Buffer, isBinary))
      // The platform hands an answer on where the route has a response.
      if (answers && typeof body === 'string' && socket.readyState === socket.OPEN) socket.send(body)
    }
    socket.on('message', (data: RawData, isBinary: boolean) => {
      live.lastActiveAt = Date.now()
      idle.refresh()
      void receive(data, isBinary)
    })
    // What follows an error is the end.
    socket.on('error', () => undefined)
    socket.once('close', (code: number, reason: Buffer) => {
      clearTimeout(life)
      clearTimeout(idle)
      sockets.delete(opened.connectionId)
      tellOfEnd(opened, code, reason.toString())
    })
  }

  return {
    endpoint: api.endpoint,
    async upgrade(request, socket, head) {
      socket.on('error', () => socket.destroy())
      if (!isHandshake(request)) return refuse(socket, 400, JSON.stringify({ message: 'Bad Request' }), {})
      if (opening >= mostHandshakes) return refuse(socket, 429, JSON.stringify({ message: 'Too Many Requests' }), {})
      const opened: Opened = {
        // 11 bytes and a check, as base64: it needs encoding in a path, as the platform's does.
        connectionId: randomBytes(11).toString('base64'),
        connectedAt: Date.now(),
        sourceIp: request.socket.remoteAddress?.replace(/^::ffff:/, '') ?? '127.0.0.1',
        userAgent: request.headers['user-agent'] ?? null,
      }
      opening++
      const answer = await ask('$connect', connectEvent(opened, request)).finally(() => opening--)
      const status = Number(answer.statusCode ?? 500)
      if (status >= 200 && status < 300) {
        let isOpen = false
        handshakes.handleUpgrade(request, socket, head, (connected) => {
          isOpen = true
          serve(connected, opened)
        })
        // A device that has left meanwhile: its function took it for connected.
        if (!isOpen) tellOfEnd(opened, 1006, '')
      } else refuse(socket, status, typeof answer.body === 'string' ? answer.body : '', fieldsOf(answer.headers))
    },
    async stop() {
      for (const { socket } of sockets.values()) socket.close(1001, 'Going away')
      const gone = () => sockets.size === 0
      for (let i = 0; i < 100 && !gone(); i++) await new Promise((resolve) => setTimeout(resolve, 10))
      for (const { socket } of sockets.values()) socket.terminate()
      await Promise.all(closed)
      await api.stop()
    },
  }
}

/** What is no handshake (RFC 6455, 4.2.1) reaches no function. */
const isHandshake = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' &&
  headers.upgrade?.toLowerCase() === 'websocket' &&
  headers['sec-websocket-version'] === '13' &&
  /^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '')

function refuse(socket: Duplex, status: number, body: string, headers: Record<string, unknown>): void {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
}

/** Answers the upgrade requests of a server: the channel's path opens it, others are not found. */
export function attachLive(server: Server, live: Promise<LiveServer | null>): void {
  server.on('upgrade', async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const channel = await live.catch(() => null)
    const isLive = request.url?.split('?')[0] === '/live'
    if (channel && isLive) channel.upgrade(request, socket, head)
    else refuse(socket, 404, '', {})
  })
}
