import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { fieldsOf } from '#shared/core/json/is-object.ts'
import { faultText } from '../files/fault.ts'
import { handleRequest } from '../lambda/requests-in-progress.ts'
import type { Runtime } from '../lambda/runtime.ts'
import { fromResult, gatewayResponse, type HttpResponse, toEvent } from './api-event.ts'
import { attachLive, isLiveUpgrade, type LiveServer } from './open-live.ts'
import { openServer } from './open-server.ts'
import { deliveredPath, type router } from './routes.ts'

/** Size limits in bytes: for a request body in API Gateway, and for a Lambda payload in either direction. */
const maxBody = 10 * 1024 * 1024
const maxPayload = 6 * 1024 * 1024

export type Backend = { match: ReturnType<typeof router<string>>; runtime: Runtime }

/** Reads the body; undefined if it exceeds `maxBody`. Always reads to the end, so that the caller receives the response. */
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

/** Returns the path and query of a request target. Proxies send the target as an absolute URL. */
function parseTarget(url: string): string | undefined {
  if (url.startsWith('/')) return url
  const parsed = URL.parse(url)
  return parsed?.pathname.startsWith('/') ? parsed.pathname + parsed.search : undefined
}

const exceedsPayload = (value: unknown): boolean => Buffer.byteLength(JSON.stringify(value) ?? '') > maxPayload

async function respond(request: IncomingMessage, { match, runtime }: Backend): Promise<HttpResponse> {
  const body = await readBody(request)
  if (!body) return gatewayResponse(413, 'Request Entity Too Large')
  const { method = 'GET', url = '/', headers } = request
  const target = parseTarget(url)
  if (target === undefined) return gatewayResponse(400, 'Bad Request')
  const path = deliveredPath(target.split('?')[0] ?? '/')
  if (!path) return gatewayResponse(400, 'Bad Request')
  const found = match(method, path.routed)
  if (!found) return gatewayResponse(404, 'Not Found')
  const remoteAddress = request.socket.remoteAddress?.replace(/^::ffff:/, '') ?? '127.0.0.1'
  const event = toEvent({ method, target, headers, remoteAddress, body }, { ...found, rawPath: path.rawPath })
  // Skips the costly check for small bodies, which stay below the limit even when JSON escapes every byte.
  if (body.length > maxPayload / 8 && exceedsPayload(event)) return gatewayResponse(413, 'Request Entity Too Large')
  try {
    const result = await handleRequest(() => runtime.invoke(found.target, event))
    const { body: responseBody } = fieldsOf(result)
    const bytes = typeof responseBody === 'string' ? Buffer.byteLength(responseBody) : 0
    // Skips the check for half of the limit, because escaping at most doubles the size of a JSON text or a page.
    if (bytes > maxPayload / 2 && exceedsPayload(result)) throw new Error('The response is larger than Lambda allows.')
    return fromResult(result)
  } catch (error) {
    process.stderr.write(`${found.key}: ${faultText(error)}\n`)
    return gatewayResponse(500, 'Internal Server Error')
  }
}

function send(response: ServerResponse, { status, headers, body }: HttpResponse, head: boolean): void {
  response.writeHead(status, {
    ...headers,
    ...(status === 204 || status === 304 ? {} : { 'content-length': body.length }),
  })
  response.end(head ? undefined : body)
}

/** Creates a server that accepts connections immediately. Requests wait for the backend, and handshakes wait for the live channel. */
export function createHttpServer(backend: Promise<Backend>, live: Promise<LiveServer | null>): Server {
  const handle: RequestListener = async (request, response) => {
    try {
      const result = await respond(request, await backend)
      send(response, result, request.method === 'HEAD')
    } catch {
      // Handles a disconnected caller, a stopping service, and a result that is not valid HTTP.
      if (response.headersSent || request.destroyed) response.destroy()
      else send(response, gatewayResponse(500, 'Internal Server Error'), false)
    }
  }
  const server = openServer(handle, { shouldUpgradeCallback: isLiveUpgrade })
  attachLive(server, live)
  server.keepAliveTimeout = 60_000
  return server
}

/**
 * Tracks connections that have not sent a request yet. Browsers open such connections in advance. A stopping server destroys them
 * explicitly, because Node's `closeIdleConnections` leaves them open.
 */
export function trackUnusedConnections(server: Server): Set<Socket> {
  const idleSockets = new Set<Socket>()
  const forget = ({ socket }: { socket: Socket }) => idleSockets.delete(socket)
  server.on('connection', (socket: Socket) => {
    idleSockets.add(socket)
    socket.once('close', () => idleSockets.delete(socket))
  })
  server.on('request', forget)
  server.on('upgrade', forget)
  return idleSockets
}
