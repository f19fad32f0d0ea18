import { waiting } from '../../core/work/waiting.ts'
import { ProviderFault } from '../provider-fault.ts'
import type { Answer, Call } from './call.ts'
import { nameOf } from './call.ts'

/** Spaces calls out, so that a run never takes more than half of what a provider allows (I4.2). */
export type Pace = {
  /** Resolves when the call may be sent. @throws ProviderFault `again` where that is not within some seconds */
  turn(call: Call): Promise<void>
  /** Learns what an answer tells of the limits. */
  heard(call: Call, answer: Answer): void
}

/** A longer wait is the caller's: it keeps its place first. */
const longestNapMs = 5_000

async function napUntil(call: Call, instant: number): Promise<void> {
  const wait = instant - waiting.now()
  if (wait > longestNapMs) {
    const sentence = `${nameOf(call)} waits, so that not more than half of the provider's limits is used.`
    throw new ProviderFault('again', sentence, { retryAfterMs: wait })
  }
  if (wait > 0) await waiting.sleep(wait)
}

/** So many units a second, and so many at once: for a provider that does not tell what is left. */
export function evenPace({ perSecond, burst }: { perSecond: number; burst: number }): Pace {
  const interval = 1_000 / perSecond
  // When all units would be there again.
  let full = 0
  return {
    async turn(call) {
      const before = full
      full = Math.max(full, waiting.now()) + (call.cost ?? 1) * interval
      try {
        await napUntil(call, full - burst * interval)
      } catch (error) {
        full = before
        throw error
      }
    },
    heard() {},
  }
}

/** Waits as answers tell: `holdMs` is how long the next calls of the same bucket are held back after one. */
export function toldPace(holdMs: (answer: Answer) => number, bucketOf: (call: Call) => string = () => ''): Pace {
  const heldUntil = new Map<string, number>()
  return {
    turn: (call) => napUntil(call, heldUntil.get(bucketOf(call)) ?? 0),
    heard(call, answer) {
      const hold = holdMs(answer)
      if (hold > 0) heldUntil.set(bucketOf(call), waiting.now() + hold)
    },
  }
}

/** Each of them has its say. */
export const bothPaces = (one: Pace, other: Pace): Pace => ({
  async turn(call) {
    await one.turn(call)
    await other.turn(call)
  },
  heard(call, answer) {
    one.heard(call, answer)
    other.heard(call, answer)
  },
})
