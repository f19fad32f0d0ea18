import { setTimeout as sleep } from 'node:timers/promises'
import { fieldsOf } from '../is-object.ts'

/** Attempts at one request, the first among them. */
const mostAttempts = 4
const longestPauseMs = 20_000

/** What a request costs that is tried again, of the tokens that a process has for that: a service that is down is not hammered. */
const costs = { throttled: 5, transient: 14 }
const mostTokens = 500
/** What random pauses double from. */
const pauseMs = { throttled: 500, transient: 25 }

type Kind = keyof typeof costs

const throttled = new Set([
  'LimitExceededException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
])
const transient = new Set([
  'InternalServerError',
  'RequestTimeout',
  'ServiceUnavailable',
  'TimeoutError',
  'TransactionConflictException',
  'TransactionInProgressException',
])
/** A connection that broke or was not made. */
const network = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
])

/** Why a failure may pass by itself; null when the same request would fail again. */
function kindOf(error: unknown): Kind | null {
  const { name, code, $metadata } = fieldsOf(error)
  const { httpStatusCode, clockSkewCorrected } = fieldsOf($metadata)
  if (throttled.has(String(name)) || httpStatusCode === 429) return 'throttled'
  const passes =
    transient.has(String(name)) || network.has(String(code)) || Number(httpStatusCode) >= 500 || clockSkewCorrected
  return passes ? 'transient' : null
}

/** The tokens of one service in one process. */
export class Retries {
  private tokens = mostTokens

  /** Runs a request, and again after a failure that may pass, with random pauses that grow. @throws the last failure */
  async run<T>(attempt: () => Promise<T>): Promise<T> {
    let spent = 0
    for (let attempts = 1; ; attempts++) {
      try {
        const result = await attempt()
        this.tokens = Math.min(mostTokens, this.tokens + (spent || 1))
        return result
      } catch (error) {
        const kind = kindOf(error)
        if (kind === null || attempts === mostAttempts || this.tokens < costs[kind]) throw error
        spent = costs[kind]
        this.tokens -= spent
        await sleep(Math.random() * Math.min(longestPauseMs, pauseMs[kind] * 2 ** (attempts - 1)))
      }
    }
  }
}
