import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { fieldsOf } from '#shared/core/json/is-object.ts'
import { isHandshake, refuse } from './handshake.ts'
import { connectEvent, type LiveRoute, type Opened } from './live-event.ts'
import { LiveSockets } from './live-sockets.ts'
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

const message = (text: string): string => JSON.stringify({ message: text })

const openedBy = ({ socket, headers }: IncomingMessage): Opened => ({
  // 11 bytes and a check, as base64: it needs encoding in a path, as the platform's does.
  connectionId: randomBytes(11).toString('base64'),
  connectedAt: Date.now(),
  sourceIp: socket.remoteAddress?.replace(/^::ffff:/, '') ?? '127.0.0.1',
  userAgent: headers['user-agent'] ?? null,
})

/** The channel of this machine: it tells functions what API Gateway tells them, and lets them do what it lets them do. */
export async function openLive({ invoke, answers, limits }: Options): Promise<LiveServer> {
  const { messageBytes, idleMs, lifeMs, handshakes: mostHandshakes } = { ...platformLimits, ...limits }
  const handshakes = new WebSocketServer({
    noServer: true,
    maxPayload: messageBytes,
    perMessageDeflate: false,
    // API Gateway chooses a subprotocol only where `$connect` does, and the service's does not.
    handleProtocols: () => false,
  })

  /** A fault of the function is told as the platform does; there is nobody else to tell. */
  const ask = async (route: LiveRoute, event: unknown): Promise<Record<string, unknown>> => {
    try {
      return fieldsOf(await invoke(route, event))
    } catch (error) {
      process.stderr.write(`${route}: ${error instanceof Error ? (error.stack ?? error.message) : error}\n`)
      return { statusCode: 500, body: message('Internal server error') }
    }
  }
  const sockets = new LiveSockets({ ask, answers, idleMs, lifeMs })
  const api = await openConnectionsApi(sockets.open)
  const opening = new Set<Promise<void>>()
  let ending = false

  async function open(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const opened = openedBy(request)
    const answer = await ask('$connect', connectEvent(opened, request))
    const status = Number(answer.statusCode ?? 500)
    if (status < 200 || status >= 300) {
      return refuse(socket, status, typeof answer.body === 'string' ? answer.body : '', fieldsOf(answer.headers))
    }
    let isOpen = false
    handshakes.handleUpgrade(request, socket, head, (connected) => {
      isOpen = true
      sockets.serve(connected, opened)
    })
    // A device that has left meanwhile: its function took it for connected.
    if (!isOpen) sockets.tellOfEnd(opened, 1006, '')
  }

  return {
    endpoint: api.endpoint,
    upgrade(request, socket, head) {
      socket.on('error', () => socket.destroy())
      if (!isHandshake(request)) return refuse(socket, 400, message('Bad Request'))
      if (ending) return refuse(socket, 503, message('Service Unavailable'))
      if (opening.size >= mostHandshakes) return refuse(socket, 429, message('Too Many Requests'))
      const opened = open(request, socket, head).finally(() => opening.delete(opened))
      opening.add(opened)
    },
    async stop() {
      ending = true
      await Promise.all(opening)
      await sockets.stop()
      await api.stop()
    },
  }
}
