import type { Agent, IncomingMessage, RequestOptions } from 'node:http'
import { allowedTarget, type Target } from './allowed-target.ts'
import { guardedLookup } from './guarded-lookup.ts'
import { OutsideError } from './outside-error.ts'

/** The bounds of a call. */
export type CallLimits = {
  /** From the first byte asked for to the last byte of the answer; 30 seconds unless told, 120 for pages of directories (I1.2). */
  timeoutMs?: number
  /** The most bytes of an answer's body. */
  maxBytes?: number
  /** Keeps connections for the next calls: for what asks one host page after page. */
  keepAlive?: boolean
}

const defaults = { timeoutMs: 30_000, maxBytes: 1_000_000, keepAlive: false }
/** An idle connection longer than this may be gone at the other end. */
const idleMs = 4_000

/** What a call can say; a part of what `fetch` takes, and all that clients which bring their own requests send. */
type OutsideRequest = {
  method?: string
  headers?: Record<string, string> | Headers
  body?: string | URLSearchParams | Uint8Array | ArrayBuffer | null
  signal?: AbortSignal
}
export type GuardedFetch = (address: string | URL, request?: OutsideRequest) => Promise<Response>

type Bounds = Required<CallLimits>
type Received = { answer: IncomingMessage; body: Buffer }

const bodyOf = (body: OutsideRequest['body']): string | Uint8Array | null =>
  body instanceof URLSearchParams
    ? body.toString()
    : body instanceof ArrayBuffer
      ? new Uint8Array(body)
      : (body ?? null)

function headersOf({ headers, body }: OutsideRequest): Record<string, string> {
  const sent = new Headers(headers)
  if (!sent.has('user-agent')) sent.set('user-agent', 'network-access-administration')
  if (!sent.has('content-type') && body instanceof URLSearchParams) {
    sent.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8')
  }
  // A compressed answer could be far larger than what comes through the connection.
  sent.set('accept-encoding', 'identity')
  return Object.fromEntries(sent)
}

/** Hands the chunks of an answer on until they are all there, or more than there may be. */
function gather(answer: IncomingMessage, { host }: Target, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => new OutsideError('too_large', `${host} answered more than ${maxBytes} bytes.`)
  if (Number(answer.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge())
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    answer.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > maxBytes) answer.destroy(tooLarge())
      else chunks.push(chunk)
    })
    answer.on('end', () => resolve(Buffer.concat(chunks)))
    answer.on('error', reject)
    answer.on('close', () => reject(new Error('The answer was cut off.')))
  })
}

type Agents = { of(protocol: string): Agent | false }

/** Node's HTTP clients are loaded with the first call, not with every start. */
const clientOf = (protocol: string) =>
  protocol === 'https:' ? process.getBuiltinModule('node:https') : process.getBuiltinModule('node:http')

function agentsFor(keepAlive: boolean): Agents {
  const agents = new Map<string, Agent>()
  return {
    of(protocol) {
      // A connection of its own for each call: nothing is left behind.
      if (!keepAlive) return false
      const agent = agents.get(protocol) ?? new (clientOf(protocol).Agent)({ keepAlive, timeout: idleMs })
      agents.set(protocol, agent)
      return agent
    },
  }
}

/** Sends one request and reads its whole answer. The time is over at its end, wherever the call is then. */
function exchange(target: Target, request: OutsideRequest, bounds: Bounds, agents: Agents): Promise<Received> {
  const { url, host } = target
  const { promise, resolve, reject } = Promise.withResolvers<Received>()
  const options: RequestOptions = {
    method: request.method ?? 'GET',
    headers: headersOf(request),
    lookup: guardedLookup(target),
    agent: agents.of(url.protocol),
  }
  const outgoing = clientOf(url.protocol).request(url, options)
  const end = (error: unknown) => {
    reject(error)
    outgoing.destroy()
  }
  const seconds = Math.round(bounds.timeoutMs / 100) / 10
  const late = () => end(new OutsideError('timeout', `${host} did not answer within ${seconds} seconds.`))
  const timer = setTimeout(late, bounds.timeoutMs)
  const stopped = () => end(request.signal?.reason)
  request.signal?.addEventListener('abort', stopped)
  outgoing.on('response', (answer) => {
    gather(answer, target, bounds.maxBytes).then((body) => resolve({ answer, body }), end)
  })
  outgoing.on('error', end)
  // An answer that switches protocols is none.
  outgoing.on('upgrade', () => end(new Error('The answer was an upgrade.')))
  outgoing.end(bodyOf(request.body))
  return promise.finally(() => {
    clearTimeout(timer)
    request.signal?.removeEventListener('abort', stopped)
  })
}

function responseOf({ answer, body }: Received): Response {
  const status = answer.statusCode ?? 0
  const headers = new Headers()
  for (let i = 0; i < answer.rawHeaders.length; i += 2) {
    headers.append(answer.rawHeaders[i] ?? '', answer.rawHeaders[i + 1] ?? '')
  }
  const hasBody = ![204, 205, 304].includes(status)
  return new Response(hasBody ? new Uint8Array(body) : null, { status, headers })
}

/** A kept connection that the other end had closed by then: what only reads is asked again, on a new one. */
const wasClosedBefore = (error: unknown, { method = 'GET' }: OutsideRequest, { keepAlive }: Bounds): boolean =>
  keepAlive && method === 'GET' && error instanceof Error && 'code' in error && error.code === 'ECONNRESET'

/**
 * The one way to call an outside service (I1.2): a `fetch` that calls public addresses by HTTPS, resolves a host once and
 * connects to what it has tested, follows no redirect (its answer is handed on as it is), and takes no more time and bytes than
 * it is given. Whatever the status, an answer is no error.
 * @throws OutsideError when there is no answer; what `signal` was aborted with, when it was
 */
export function guardedFetch(limits: CallLimits = {}): GuardedFetch {
  const bounds = { ...defaults, ...limits }
  const agents = agentsFor(bounds.keepAlive)
  return async (address, request = {}) => {
    request.signal?.throwIfAborted()
    const target = allowedTarget(address)
    const once = () => exchange(target, request, bounds, agents)
    try {
      return responseOf(
        await once().catch((error) => (wasClosedBefore(error, request, bounds) ? once() : Promise.reject(error))),
      )
    } catch (error) {
      if (error instanceof OutsideError || request.signal?.aborted) throw error
      const code = error instanceof Error && 'code' in error ? `: ${error.code}` : ''
      throw new OutsideError('unreachable', `${target.host} could not be reached${code}.`, error)
    }
  }
}
