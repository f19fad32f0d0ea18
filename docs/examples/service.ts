import { setTimeout as sleep } from 'node:timers/promises'

/** What the service answered where it did not do what it was asked (an RFC 9457 problem). */
export class Problem extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, detail: string) {
    super(`${status} ${code}: ${detail}`)
    this.status = status
    this.code = code
  }
}

type Refusal = { code?: string; detail?: string; errors?: object }

/** The reason why a request got no answer: `fetch` itself says no more than that it failed. */
export function causeOf(error: unknown): string {
  const { cause } = error as { cause?: unknown }
  return cause instanceof Error ? cause.message : String(error)
}

/** Requests of one device: JSON both ways, with its token where it has one. What may pass is tried again. */
export class Service {
  readonly #baseUrl: string
  readonly #token: string | undefined
  readonly #userAgent: string

  constructor(baseUrl: string, token?: string, userAgent = 'example-device/1.0') {
    this.#baseUrl = baseUrl
    this.#token = token
    this.#userAgent = userAgent
  }

  /** The headers that say who asks, over HTTP and in the handshake of the channel alike. */
  get headers(): Record<string, string> {
    return {
      ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
      'user-agent': this.#userAgent,
    }
  }

  /** @throws Problem for an answer that trying again does not change */
  async ask<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<T> {
    return (await this.send<{ data: T }>(method, path, body, headers)).data
  }

  /** The same with what stands beside the data, as the cursor of a list does. */
  async send<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
    for (let tries = 1; ; tries++) {
      const answer = await this.#once(method, path, body, headers)
      if (answer.ok) return (await answer.json()) as T
      const { code = '', detail = '', errors } = (await answer.json().catch(() => ({}))) as Refusal
      // Too many requests, or a service that is busy: it says how long to wait. All else means what it says.
      const mayPass = answer.status === 429 || answer.status >= 500 || code === 'idempotency_in_progress'
      if (!mayPass || tries === 6)
        throw new Problem(answer.status, code, errors ? `${detail} ${JSON.stringify(errors)}` : detail)
      const seconds = Number(answer.headers.get('retry-after') ?? 0)
      await sleep(1_000 * seconds + Math.random() * 250 * 2 ** tries)
    }
  }

  /** A connection that breaks is no different from a service that is busy: a session start or heartbeat can be repeated. */
  async #once(method: string, path: string, body: unknown, headers: Record<string, string>): Promise<Response> {
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
