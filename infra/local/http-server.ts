import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import { fieldsOf } from '#shared/core/json/is-object.ts'
import { fromResult, gatewayAnswer, type HttpAnswer, toEvent } from './api-event.ts'
import { deliveredPath } from './delivered-path.ts'
import { Fault } from './fault.ts'
import { attachLive, opensLive } from './live/attach-live.ts'
import type { LiveServer } from './live/open-live.ts'
import type { router } from './routes.ts'
import type { Runtime } from './runtime.ts'

/** API Gateway takes 10 MB, and what it hands to Lambda may be 6 MB, in both directions. */
const maxBody = 10 * 1024 * 1024
const maxPayload = 6 * 1024 * 1024

export type Backend = { match: ReturnType<typeof router<string>>; runtime: Runtime; handled(): void }

/** The body, or undefined when it is larger than API Gateway takes; the rest is read and thrown away then. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size <= maxBody) chunks.push(chunk)
    else chunks.length = 0
  }
  return size <= maxBody ? Buffer.concat(chunks) : undefined
}

/** Path and query, also of a request that names the whole address as proxies do. */
function targetOf(url: string): string | undefined {
  if (url.startsWith('/')) return url
  const parsed = URL.parse(url)
  return parsed?.pathname.startsWith('/') ? parsed.pathname + parsed.search : undefined
}

const exceedsPayload = (value: unknown): boolean => Buffer.byteLength(JSON.stringify(value) ?? '') > maxPayload

async function answer(request: IncomingMessage, { match, runtime }: Backend): Promise<HttpAnswer> {
  const body = await readBody(request)
  if (!body) return gatewayAnswer(413, 'Request Entity Too Large')
  const { method = 'GET', url = '/', headers } = request
  const target = targetOf(url)
  if (target === undefined) return gatewayAnswer(400, 'Bad Request')
  const path = deliveredPath(target.split('?')[0] ?? '/')
  if (!path) return gatewayAnswer(400, 'Bad Request')
  const found = match(method, path.routed)
  if (!found) return gatewayAnswer(404, 'Not Found')
  const remoteAddress = request.socket.remoteAddress?.replace(/^::ffff:/, '') ?? '127.0.0.1'
  const event = toEvent({ method, target, headers, remoteAddress, body }, { ...found, rawPath: path.rawPath })
  // Only a body of some size can exceed the limit once it is a JSON string; most requests skip the check.
  if (body.length > maxPayload / 8 && exceedsPayload(event)) return gatewayAnswer(413, 'Request Entity Too Large')
  try {
    const result = await runtime.invoke(found.target, event)
    const { body: answered } = fieldsOf(result)
    const length = typeof answered === 'string' ? answered.length : 0
    if (length > maxPayload / 8 && exceedsPayload(result)) throw new Error('The answer is larger than Lambda allows.')
    return fromResult(result)
  } catch (error) {
    process.stderr.write(`${found.key}: ${error instanceof Error ? (error.stack ?? error.message) : error}\n`)
    return gatewayAnswer(500, 'Internal Server Error')
  }
}

function send(response: ServerResponse, { status, headers, body }: HttpAnswer, head: boolean): void {
  response.writeHead(status, {
    ...headers,
    ...(status === 204 || status === 304 ? {} : { 'content-length': body.length }),
  })
  response.end(head ? undefined : body)
}

/** A request, headers and body, is there after so long, or its connection ends with 408: API Gateway waits no longer. */
const requestMs = 30_000

/** A server that lets nobody hold a connection with a request that never ends. */
export const openServer = (
  handle: RequestListener,
  { requestTimeout = requestMs, ...options }: ServerOptions = {},
): Server =>
  // API Gateway joins a header that comes twice; Node would drop the second one of some.
  createServer(
    {
      ...options,
      joinDuplicateHeaders: true,
      requestTimeout,
      headersTimeout: requestTimeout,
      connectionsCheckingInterval: Math.min(5_000, requestTimeout),
    },
    handle,
  )

/** Accepts requests and devices from the first moment. They wait until backend and channel are ready. */
export function createHttpServer(backend: Promise<Backend>, live: Promise<LiveServer | null>): Server {
  const handle: RequestListener = async (request, response) => {
    try {
      const ready = await backend
      const result = await answer(request, ready)
      send(response, result, request.method === 'HEAD')
      ready.handled()
    } catch {
      // The caller hung up in the middle of its request, the service is on its way out, or the answer is no HTTP.
      if (response.headersSent || request.destroyed) response.destroy()
      else send(response, gatewayAnswer(500, 'Internal Server Error'), false)
    }
  }
  const server = openServer(handle, { shouldUpgradeCallback: opensLive })
  attachLive(server, live)
  server.keepAliveTimeout = 60_000
  return server
}

/**
 * Connections without a request yet, as browsers open some ahead. `closeIdleConnections` of Node leaves them open, so a server
 * that ends has to destroy them itself.
 */
export function silentConnections(server: Server): Set<Socket> {
  const silent = new Set<Socket>()
  const forget = ({ socket }: { socket: Socket }) => silent.delete(socket)
  server.on('connection', (socket: Socket) => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })
  server.on('request', forget)
  server.on('upgrade', forget)
  return silent
}

/** The start with another port: the one after, or before the last one. */
const withPort = (variable: string, taken: number): string =>
  `${variable}=${taken < 65_535 ? taken + 1 : taken - 1} npm start${variable === 'PORT' ? '' : ' -- --demo-idp'}`

/** Listens on this machine alone. A port that is taken is told with the variable that chooses another. */
export async function listen(server: Server, port: number, variable = 'PORT'): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === 'EADDRINUSE'
          ? `Port ${port} is in use by another program. Set ${variable} to a free one, for example ${withPort(variable, port)}.`
          : `Port ${port} cannot be used: ${error.code ?? error.message}. Set ${variable} to another one.`
      reject(new Fault(reason))
    })
    server.listen(port, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return address.port
}
