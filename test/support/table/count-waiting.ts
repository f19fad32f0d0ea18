import { vi } from 'vitest'
import { waiting } from '#shared/core/work/waiting.ts'

/** Lets the time that retries wait pass at once, and no other, until the mocks are restored. Counts it. */
export function countWaiting(): { ms: number } {
  const waited = { ms: 0 }
  const start = Date.now()
  vi.spyOn(waiting, 'now').mockImplementation(() => start + waited.ms)
  vi.spyOn(waiting, 'sleep').mockImplementation(async (ms) => {
    waited.ms += ms
  })
  return waited
}
