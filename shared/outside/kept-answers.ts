import { clock } from '../core/clock.ts'
import { OutsideError } from './outside-error.ts'

/** Waits at most `ms` milliseconds for a response. @throws OutsideError `timeout`, or the error of the response */
async function inTime<T>(answer: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new OutsideError('timeout', 'No response arrived in time.')), ms)
  return Promise.race([answer, late.promise]).finally(() => clearTimeout(timer))
}

/** Cache in this process for responses of outside services. A full cache evicts the oldest response. */
export class KeptAnswers<T> {
  private readonly kept = new Map<string, { answer: T; at: number }>()
  private readonly open = new Map<string, Promise<T>>()
  private readonly bounds: { ms: number; most: number }

  constructor(bounds: { ms: number; most: number }) {
    this.bounds = bounds
  }

  get(question: string): T | null {
    const known = this.kept.get(question)
    return known && clock.now() / 1_000 - known.at < this.bounds.ms ? known.answer : null
  }

  keep(question: string, answer: T): void {
    // Deletes the key first, so that it moves to the end of the map.
    this.kept.delete(question)
    const [oldest] = this.kept.keys()
    if (this.kept.size >= this.bounds.most && oldest !== undefined) this.kept.delete(oldest)
    this.kept.set(question, { answer, at: clock.now() / 1_000 })
  }

  /**
   * Returns the cached response. Otherwise concurrent callers share a single request, each with its own timeout. If the request fails,
   * callers that joined it repeat the request.
   */
  async ask(question: string, ask: () => Promise<T>, timeoutMs: number): Promise<T> {
    const kept = this.get(question)
    if (kept !== null) return kept
    const end = clock.monotonic() + timeoutMs
    const before = this.open.get(question)
    const settled = before && (await inTime(Promise.allSettled([before]), timeoutMs))
    if (settled?.[0].status === 'fulfilled') return settled[0].value
    return inTime(this.open.get(question) ?? this.begin(question, ask), end - clock.monotonic())
  }

  private begin(question: string, ask: () => Promise<T>): Promise<T> {
    const asked = ask()
      .then((answer) => {
        this.keep(question, answer)
        return answer
      })
      .finally(() => this.open.delete(question))
    this.open.set(question, asked)
    return asked
  }
}
