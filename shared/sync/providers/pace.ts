import { clock } from '../../core/clock.ts'
import { ProviderFault } from '../adapter.ts'
import { type Call, type ProviderResponse, type RequestPace, responseName } from './call.ts'

/** Maximum wait within a call, in milliseconds. If a longer wait is needed, the caller saves its position first. */
const maxWaitMs = 5_000

/** Limits on calls to a provider, in units of the calls' cost. */
export type Limits = { perSecond: number; burst: number }

/** Keeps calls within the limits. `holdMs` returns how long a response delays later calls in the same bucket, in milliseconds. */
export function requestPace(
  { perSecond, burst }: Limits,
  holdMs: (answer: ProviderResponse) => number = () => 0,
  bucketOf: (call: Call) => string = () => '',
): RequestPace {
  const interval = 1_000 / perSecond
  const blockedUntil = new Map<string, number>()
  let fullAt = 0
  return {
    async wait(call) {
      const now = clock.monotonic()
      const next = Math.max(fullAt, now) + (call.cost ?? 1) * interval
      const wait = Math.max(next - burst * interval, blockedUntil.get(bucketOf(call)) ?? 0) - now
      if (wait > maxWaitMs) {
        const sentence = `${responseName(call)} was delayed, to use at most half of the provider's rate limit.`
        throw new ProviderFault('retry', sentence, { retryAfterMs: wait })
      }
      fullAt = next
      if (wait > 0) await clock.sleep(wait)
    },
    record(call, answer) {
      const hold = holdMs(answer)
      if (hold > 0) blockedUntil.set(bucketOf(call), clock.monotonic() + hold)
    },
  }
}
