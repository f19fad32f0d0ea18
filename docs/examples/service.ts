import { setTimeout as sleep } from 'node:timers/promises'

/** Error response of the service (an RFC 9457 problem). */
export class Problem extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, detail: string) {
    super(`${status} ${code}: ${detail}`)
    this.status = status
    this.code = code
  }
}

const maxAttempts = 6

type ProblemBody = { code?: string; detail?: string; errors?: object }

/** Returns the cause of a failed connection. The error of `fetch` itself only states that the request failed. */
export function causeOf(error: unknown): string {
  const { cause } = error as { cause?: unknown }
  return cause instanceof Error ? cause.message : String(error)
}

/** HTTP client of one device: JSON in both directions, with its token if it has one. Retries transient errors. */
export class Service {
  readonly #baseUrl: string
  readonly #token: string | undefined
  readonly #userAgent: string

  constructor(baseUrl: string, token?: string, userAgent = 'example-device/1.0') {
    this.#baseUrl = baseUrl
    this.#token = token
    this.#userAgent = userAgent
  }

  /** Headers that identify the caller, for HTTP requests and for the handshake of the live channel. */
  get headers(): Record<string, string> {
    return {
      ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
      'user-agent': this.#userAgent,
    }
  }

  /** Sends a request and returns `data` of the response. @throws Problem for an error that a retry does not resolve */
  async request<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<T> {
    return (await this.send<{ data: T }>(method, path, body, headers)).data
  }

  /** Sends a request and returns the complete body, with `metadata` beside `data` (a list's cursor). @throws Problem */
  async send<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const response = await this.#attempt(method, path, body, headers)
      if (response.ok) return (await response.json()) as T
      const { code = '', detail = '', errors } = (await response.json().catch(() => ({}))) as ProblemBody
      // Rate limits and server errors are transient; `Retry-After` has the time to wait. All other errors are final.
      const isTransient = response.status === 429 || response.status >= 500 || code === 'idempotency_in_progress'
      if (!isTransient || attempt === maxAttempts)
        throw new Problem(response.status, code, errors ? `${detail} ${JSON.stringify(errors)}` : detail)
      const seconds = Number(response.headers.get('retry-after') ?? 0)
      await sleep(1_000 * seconds + Math.random() * 250 * 2 ** attempt)
    }
  }

  /** Sends a request once. Returns a broken connection as a 503, because the requests of a device are safe to repeat. */
  async #attempt(method: string, path: string, body: unknown, headers: Record<string, string>): Promise<Response> {
    try {
      return await fetch(this.#baseUrl + path, {
        method,
        headers: { ...this.headers, ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        body: body === undefined ? undefined : JSON.stringify(body),
        signal: AbortSignal.timeout(10_000),
      })
    } catch (error) {
      return Response.json({ code: 'unreachable', detail: causeOf(error) }, { status: 503 })
    }
  }
}
