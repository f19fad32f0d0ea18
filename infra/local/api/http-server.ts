import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { fieldsOf } from '#shared/core/json/is-object.ts'
import { faultText } from '../files/fault.ts'
import type { Runtime } from '../lambda/runtime.ts'
import { fromResult, gatewayAnswer, type HttpAnswer, toEvent } from './api-event.ts'
import { attachLive, type LiveServer, opensLive } from './open-live.ts'
import { openServer } from './open-server.ts'
import { deliveredPath, type router } from './routes.ts'

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
    process.stderr.write(`${found.key}: ${faultText(error)}\n`)
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
