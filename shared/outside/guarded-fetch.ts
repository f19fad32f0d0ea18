import type { Agent, IncomingMessage, RequestOptions } from 'node:http'
import { allowedTarget, guardedLookup, type Target } from './allowed-target.ts'
import { OutsideError } from './outside-error.ts'

type CallLimits = {
  /** Timeout of the whole call: 30 seconds by default, 120 for pages of directories (I1.2). */
  timeoutMs?: number
  maxBytes?: number
  /** Keeps connections open, which is useful for reading many pages from one host. */
  keepAlive?: boolean
}

const defaults = { timeoutMs: 30_000, maxBytes: 1_000_000, keepAlive: false }
/** Idle timeout of open connections in milliseconds, below that of common servers. */
const idleMs = 4_000

type OutsideRequest = {
  method?: string
  headers?: Record<string, string> | Headers
  body?: string | URLSearchParams | Uint8Array | ArrayBuffer | null
  signal?: AbortSignal
}
export type GuardedFetch = (address: string | URL, request?: OutsideRequest) => Promise<Response>

type Bounds = Required<CallLimits>
type RawResponse = { response: IncomingMessage; body: Buffer }

const bodyOf = (body: OutsideRequest['body']): string | Uint8Array | null =>
  body instanceof URLSearchParams
    ? body.toString()
    : body instanceof ArrayBuffer
      ? new Uint8Array(body)
      : (body ?? null)

function headersOf({ headers, body }: OutsideRequest): Record<string, string> {
  const requestHeaders = new Headers(headers)
  if (!requestHeaders.has('user-agent')) requestHeaders.set('user-agent', 'network-access-administration')
  if (!requestHeaders.has('content-type') && body instanceof URLSearchParams) {
    requestHeaders.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8')
  }
  // Requests an uncompressed response, because a compressed one could expand to far more than `maxBytes`.
  requestHeaders.set('accept-encoding', 'identity')
  return Object.fromEntries(requestHeaders)
}

/** Reads the whole response. @throws OutsideError `too_large` above `maxBytes` */
async function gather(response: IncomingMessage, { host }: Target, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => new OutsideError('too_large', `${host} returned more than ${maxBytes} bytes.`)
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

type AgentFor = (protocol: string) => Agent | false

/** Loads Node's HTTP clients with the first call instead of at every start. */
const clientOf = (protocol: string) =>
  protocol === 'https:' ? process.getBuiltinModule('node:https') : process.getBuiltinModule('node:http')

function agentsFor(keepAlive: boolean): AgentFor {
  const agents = new Map<string, Agent>()
  return (protocol) => {
    if (!keepAlive) return false
    const agent = agents.get(protocol) ?? new (clientOf(protocol).Agent)({ keepAlive, timeout: idleMs })
    agents.set(protocol, agent)
    return agent
  }
}

function exchange(target: Target, request: OutsideRequest, bounds: Bounds, agentFor: AgentFor): Promise<RawResponse> {
  const { url, host } = target
  const { promise, resolve, reject } = Promise.withResolvers<RawResponse>()
  const options: RequestOptions = {
    method: request.method ?? 'GET',
    headers: headersOf(request),
    lookup: guardedLookup(target),
    agent: agentFor(url.protocol),
  }
  const outgoing = clientOf(url.protocol).request(url, options)
  const end = (error: unknown) => {
    reject(error)
    outgoing.destroy()
  }
  const seconds = Math.round(bounds.timeoutMs / 100) / 10
  const onTimeout = () => end(new OutsideError('timeout', `${host} did not respond within ${seconds} seconds.`))
  const timer = setTimeout(onTimeout, bounds.timeoutMs)
  const onAbort = () => end(request.signal?.reason)
  request.signal?.addEventListener('abort', onAbort)
  outgoing.on('response', (response) => {
    gather(response, target, bounds.maxBytes).then((body) => resolve({ response, body }), end)
  })
  outgoing.on('error', end)
  outgoing.on('upgrade', () => end(new Error('The response was a protocol upgrade.')))
  outgoing.end(bodyOf(request.body))
  return promise.finally(() => {
    clearTimeout(timer)
    request.signal?.removeEventListener('abort', onAbort)
  })
}

function responseOf({ response, body }: RawResponse): Response {
  const status = response.statusCode ?? 0
  const headers = new Headers()
  for (let i = 0; i < response.rawHeaders.length; i += 2) {
    headers.append(response.rawHeaders[i] ?? '', response.rawHeaders[i + 1] ?? '')
  }
  const hasBody = ![204, 205, 304].includes(status)
  return new Response(hasBody ? new Uint8Array(body) : null, { status, headers })
}

/** True for a request that can be repeated, because the server had already closed the reused connection. */
const wasClosedBefore = (error: unknown, { method = 'GET' }: OutsideRequest, { keepAlive }: Bounds): boolean =>
  keepAlive && method === 'GET' && error instanceof Error && 'code' in error && error.code === 'ECONNRESET'

/**
 * Creates a `fetch` for external services (I1.2). Calls require HTTPS, connect only to public addresses, follow no redirects, and are
 * limited in time and size. A response with an error status is returned instead of thrown.
 * @throws OutsideError if there is no response, or the abort reason of `signal`
 */
export function guardedFetch(limits: CallLimits = {}): GuardedFetch {
  const bounds = { ...defaults, ...limits }
  const agents = agentsFor(bounds.keepAlive)
  return async (address, request = {}) => {
    request.signal?.throwIfAborted()
    const target = allowedTarget(address)
    const attempt = () => exchange(target, request, bounds, agents)
    try {
      return responseOf(
        await attempt().catch((error) => (wasClosedBefore(error, request, bounds) ? attempt() : Promise.reject(error))),
      )
    } catch (error) {
      if (error instanceof OutsideError || request.signal?.aborted) throw error
      const code = error instanceof Error && 'code' in error ? `: ${error.code}` : ''
      throw new OutsideError('unreachable', `${target.host} could not be reached${code}.`, error)
    }
  }
}
