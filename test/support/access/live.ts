import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { WebSocket } from 'ws'
import { handler as onConnect } from '#functions/live/connect.ts'
import { handler as onMessage } from '#functions/live/default.ts'
import { handler as onDisconnect } from '#functions/live/disconnect.ts'
import { createHttpServer } from '#infra/local/api/http-server.ts'
import { openLive } from '#infra/local/api/open-live.ts'
import { createRuntime } from '#infra/local/lambda/runtime.ts'
import type { LiveRoute } from '#infra/template/routes.ts'
import type { LiveEvent } from '#shared/live/live-handler.ts'
import { until } from '../run/until.ts'

export const handlers = { $connect: onConnect, $default: onMessage, $disconnect: onDisconnect }

type Received = { type: string } & Record<string, unknown>

export type LiveDevice = {
  received: Received[]
  send(message: unknown): void
  /** Waits for the next message of the given type that no earlier call has returned. */
  next(type: string): Promise<Received>
  /** Resolves to the WebSocket close code. */
  closed: Promise<number>
  close(): void
  pause(): void
}

type Refused = { status: number; body: Record<string, unknown> }

export class Refusal extends Error {
  readonly refused: Refused
  constructor(refused: Refused) {
    super(`The handshake was refused with ${refused.status}.`)
    this.refused = refused
  }
}

type Intercept = (route: LiveRoute, event: unknown) => unknown

/** Starts the local live channel, and points `LIVE_URL` and `LIVE_ENDPOINT` to it. `stop` removes both variables. */
export async function openChannel(
  options: { limits?: Parameters<typeof openLive>[0]['limits']; intercept?: Intercept } = {},
) {
  const { limits, intercept = (route, event) => handlers[route](event as LiveEvent) } = options
  const live = await openLive({ invoke: async (route, event) => intercept(route, event), returnsResult: true, limits })
  // A backend without operations. Responds with 404 to every request that does not open a channel.
  const backend = { match: () => undefined, runtime: createRuntime(new Map()) }
  const server = createHttpServer(Promise.resolve(backend), Promise.resolve(live))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/live`
  Object.assign(process.env, { LIVE_URL: url, LIVE_ENDPOINT: live.endpoint })
  return {
    url,
    connect: (token: string, sessionId: string, headers?: Record<string, string>) =>
      connectTo(url, token, sessionId, headers),
    /** Number of open connections to the server, including refused handshakes. */
    connections: () => promisify<number>(server.getConnections.bind(server))(),
    async stop() {
      delete process.env.LIVE_URL
      delete process.env.LIVE_ENDPOINT
      await live.stop()
      server.close()
      server.closeAllConnections()
    },
  }
}

/**
 * Connects a device to the live channel.
 * @throws Refusal if the server refuses the handshake
 */
export async function connectTo(
  url: string,
  token: string,
  sessionId: string,
  headers: Record<string, string> = {},
): Promise<LiveDevice> {
  const socket = new WebSocket(`${url}?session_id=${sessionId}`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
  })
  const received: Received[] = []
  const returned = new Set<Received>()
  socket.on('message', (data) => received.push(JSON.parse(String(data))))
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
    socket.once('unexpected-response', (_request, response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        reject(new Refusal({ status: response.statusCode ?? 0, body: text ? JSON.parse(text) : {} }))
      })
    })
  })
  return {
    received,
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    async next(type) {
      const found = () => received.find((message) => message.type === type && !returned.has(message))
      await until(() => found() !== undefined)
      const message = found() as Received
      returned.add(message)
      return message
    },
    closed,
    close: () => socket.close(),
    pause: () => socket.pause(),
  }
}
