import { jitter, waiting } from '../work/waiting.ts'
import { retryUntil } from '../work/work.ts'
import { type Passing, passingKind } from './passing-error.ts'

/** For how long a request is made again, within the work that it belongs to. */
const usualPatienceMs = 15_000

/** What a request costs that is made again, of the tokens that a process has for that: a service that is down is not hammered. */
const costs: Record<Passing, number> = { conflict: 0, throttle: 5, fault: 14 }
const mostTokens = 500

/** What the spans double from of which a random part is waited, and their bound. */
const spans: Record<Passing, [firstMs: number, mostMs: number]> = {
  conflict: [10, 500],
  throttle: [50, 2_000],
  fault: [25, 1_000],
}

/**
 * The one place where requests to a service are repeated: after every failure that may pass, with full jitter, until the
 * time of the work is over. Whoever asks keeps the tokens of one service in one process.
 */
export class Retries {
  private tokens = mostTokens
  private readonly patienceMs: number

  constructor(patienceMs = usualPatienceMs) {
    this.patienceMs = patienceMs
  }

  /** Runs a request, and again after a failure that may pass. @throws the last failure */
  async run<T>(attempt: () => Promise<T>): Promise<T> {
    const deadline = retryUntil(this.patienceMs)
    let spent = 0
    for (let tries = 0; ; tries++) {
      try {
        const result = await attempt()
        this.tokens = Math.min(mostTokens, this.tokens + (spent || 1))
        return result
      } catch (error) {
        const kind = passingKind(error)
        const wait = kind === null ? 0 : jitter(tries, ...spans[kind])
        if (kind === null || this.tokens < costs[kind] || waiting.now() + wait > deadline) throw error
        spent = costs[kind]
        this.tokens -= spent
        await waiting.sleep(wait)
      }
    }
  }
}
