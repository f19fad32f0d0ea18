import { vi } from 'vitest'
import { clock } from '#shared/core/clock.ts'

/** Skips the pauses between retries until the mocks are restored, and adds up their milliseconds. */
export function countWaiting(): { ms: number } {
  const waited = { ms: 0 }
  const start = Date.now()
  vi.spyOn(clock, 'monotonic').mockImplementation(() => start + waited.ms)
  vi.spyOn(clock, 'sleep').mockImplementation(async (ms) => {
    waited.ms += ms
  })
  return waited
}
