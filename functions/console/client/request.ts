import type { CalledRoute, Operations } from './api-types.ts'
import { parseExact } from './exact-json.ts'
import { Problem, toProblem } from './problem.ts'

/** Maximum number of requests in progress (K5.6). */
const maxParallel = 6

/** Maximum number of times that a read is repeated after 429. */
const maxRetries = 3

type Params<R extends CalledRoute> = keyof Operations[R]['path'] extends never
  ? { path?: Record<string, string> }
  : { path: Operations[R]['path'] }
type Body<R extends CalledRoute> = Operations[R]['body'] extends undefined
  ? { body?: undefined }
  : { body: Operations[R]['body'] }

export type Options<R extends CalledRoute> = Params<R> &
  Body<R> & {
    query?: Operations[R]['query']
    ifMatch?: string | undefined
    idempotencyKey?: string | undefined
    signal?: AbortSignal | undefined
  }

type Succeeded<R extends CalledRoute> = { answer: Operations[R]['answer']; etag: string | null; status: number }

type Connection = {
  /** Returns the headers that authenticate a request: a token, or the account whose cookie is meant (K3.3). */
  headers: () => Record<string, string>
  /** Waits until the person has signed in again. Rejects if the person gives up (K3.7). */
  renew: () => Promise<void>
}

let connection: Connection = { headers: () => ({}), renew: () => Promise.reject(new Error('There is no session.')) }

export function connect(next: Connection): void {
  connection = next
}

let running = 0
const waiting: Array<() => void> = []

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= maxParallel) await new Promise<void>((resolve) => waiting.push(resolve))
  running += 1
  try {
    return await work()
  } finally {
    running -= 1
    waiting.shift()?.()
  }
}

const wait = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

/** Builds the path and query of a request. Leaves out query parameters without a value. */
export function addressOf(
  route: string,
  path: Record<string, string> = {},
  query: Record<string, unknown> = {},
): string {
  const target = route
    .slice(route.indexOf(' ') + 1)
    .replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''))
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  const search = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()
  return search ? `${target}?${search}` : target
}

async function fetchOnce(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw toProblem(error)
  }
}

async function problemOf(response: Response): Promise<Problem> {
  const members = (await response.json().catch(() => ({}))) as Record<string, unknown>
  const retryAfter = response.headers.get('retry-after')
  return new Problem(response.status, members, retryAfter === null ? null : Number(retryAfter))
}

/**
 * Sends a request. Repeats a read that was rejected with 429, and any request after a new sign-in, because a 401 changes nothing.
 * @throws Problem
 */
export function send<R extends CalledRoute>(route: R, options: Options<R>): Promise<Succeeded<R>> {
  return inTurn(() => attempt(route, options, 0))
}

async function attempt<R extends CalledRoute>(route: R, options: Options<R>, retries: number): Promise<Succeeded<R>> {
  const { path, query, body, ifMatch, idempotencyKey, signal } = options
  const method = route.slice(0, route.indexOf(' '))
  const headers: Record<string, string> = { accept: 'application/json', ...connection.headers() }
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (ifMatch) headers['if-match'] = ifMatch
  if (idempotencyKey) headers['idempotency-key'] = idempotencyKey
  const url = addressOf(route, path as Record<string, string>, query)
  const response = await fetchOnce(url, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
    // Prevents the browser's own cache from answering, because the query cache decides how old an object may be.
    cache: 'no-store',
  })
  if (response.ok) {
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    if (!isJson) throw new Problem(404, { code: 'not_found', detail: 'The service does not support this request.' })
    return { answer: parseExact(await response.text()), etag: response.headers.get('etag'), status: response.status }
  }
  const problem = await problemOf(response)
  if (problem.status === 401 && retries < maxRetries && !route.endsWith('/sign_in/session')) {
    await connection.renew()
    return attempt(route, options, retries + 1)
  }
  if (problem.status === 429 && method === 'GET' && retries < maxRetries) {
    await wait(problem.retryAfter ?? 1)
    return attempt(route, options, retries + 1)
  }
  throw problem
}
