import { vi } from 'vitest'
import { clock } from '#shared/core/clock.ts'

/** Lets the time that retries wait pass at once, and no other, until the mocks are restored. Counts it. */
export function countWaiting(): { ms: number } {
  const waited = { ms: 0 }
  const start = Date.now()
  vi.spyOn(clock, 'monotonic').mockImplementation(() => start + waited.ms)
  vi.spyOn(clock, 'sleep').mockImplementation(async (ms) => {
    waited.ms += ms
  })
  return waited
}
