import type { RetryErrorInfo, RetryStrategyV2, RetryToken } from '@smithy/types'
import { clock, jitter } from '../clock.ts'
import { type TransientKind, transientKind } from '../transient-error.ts'
import { retryUntil } from '../work/work.ts'

const defaultPatienceMs = 15_000

/** Cost of a retry in tokens of the process's retry quota, which protects an unavailable service. */
const costs: Record<TransientKind, number> = { conflict: 0, throttle: 5, fault: 14 }
const maxTokens = 500

const spans: Record<TransientKind, [firstMs: number, maxMs: number]> = {
  conflict: [10, 500],
  throttle: [50, 2_000],
  fault: [25, 1_000],
}

type Attempt = RetryToken & { deadline: number; tries: number; cost: number }

/** Builds an attempt without a delay, because `refreshRetryTokenForRetry` has already waited. */
const attemptOf = (deadline: number, tries = 0, cost = 1): Attempt => ({
  deadline,
  tries,
  cost,
  getRetryCount: () => tries,
  getRetryDelay: () => 0,
})

/**
 * Retry strategy of every client. Unlike the SDK's strategy, it retries transaction conflicts, ends with a time budget instead of a number
 * of attempts, and uses a replaceable clock.
 */
export class Retries implements RetryStrategyV2 {
  private tokens = maxTokens
  private readonly patienceMs: number

  constructor(patienceMs = defaultPatienceMs) {
    this.patienceMs = patienceMs
  }

  async acquireInitialRetryToken(): Promise<Attempt> {
    return attemptOf(retryUntil(this.patienceMs))
  }

  /** Waits before a retry. @throws the error of the request when it must not be retried */
  async refreshRetryTokenForRetry({ deadline, tries }: Attempt, { error }: RetryErrorInfo): Promise<Attempt> {
    const kind = transientKind(error)
    const delayMs = kind === null ? 0 : jitter(tries, ...spans[kind])
    if (kind === null || this.tokens < costs[kind] || clock.monotonic() + delayMs > deadline) throw error
    this.tokens -= costs[kind]
    await clock.sleep(delayMs)
    return attemptOf(deadline, tries + 1, costs[kind] || 1)
  }

  recordSuccess({ cost }: Attempt): void {
    this.tokens = Math.min(maxTokens, this.tokens + cost)
  }
}
