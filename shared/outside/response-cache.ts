import { clock } from '../core/clock.ts'
import { OutsideError } from './outside-error.ts'

/** Waits at most `ms` milliseconds for a response. @throws OutsideError `timeout`, or the error of the response */
async function inTime<T>(response: Promise<T>, ms: number): Promise<T> {
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(() => timeout.reject(new OutsideError('timeout', 'No response arrived in time.')), ms)
  return Promise.race([response, timeout.promise]).finally(() => clearTimeout(timer))
}

/** In-process cache of responses from external services. A full cache evicts the oldest response. */
export class ResponseCache<T> {
  private readonly entries = new Map<string, { value: T; at: number }>()
  private readonly pending = new Map<string, Promise<T>>()
  private readonly bounds: { ms: number; maxEntries: number }

  constructor(bounds: { ms: number; maxEntries: number }) {
    this.bounds = bounds
  }

  get(key: string): T | null {
    const entry = this.entries.get(key)
    return entry && clock.now() / 1_000 - entry.at < this.bounds.ms ? entry.value : null
  }

  set(key: string, value: T): void {
    // Deletes the key first, so that it moves to the end of the map.
    this.entries.delete(key)
    const [oldest] = this.entries.keys()
    if (this.entries.size >= this.bounds.maxEntries && oldest !== undefined) this.entries.delete(oldest)
    this.entries.set(key, { value, at: clock.now() / 1_000 })
  }

  /**
   * Returns the cached response. Otherwise, concurrent callers share a single request, each with its own timeout. If the request fails,
   * callers that joined it repeat it.
   */
  async getOrFetch(key: string, fetch: () => Promise<T>, timeoutMs: number): Promise<T> {
    const cachedValue = this.get(key)
    if (cachedValue !== null) return cachedValue
    const end = clock.monotonic() + timeoutMs
    const pendingRequest = this.pending.get(key)
    const outcomes = pendingRequest && (await inTime(Promise.allSettled([pendingRequest]), timeoutMs))
    if (outcomes?.[0].status === 'fulfilled') return outcomes[0].value
    return inTime(this.pending.get(key) ?? this.begin(key, fetch), end - clock.monotonic())
  }

  private begin(key: string, fetch: () => Promise<T>): Promise<T> {
    const request = fetch()
      .then((value) => {
        this.set(key, value)
        return value
      })
      .finally(() => this.pending.delete(key))
    this.pending.set(key, request)
    return request
  }
}
