import { vi } from 'vitest'
import { clock } from '#shared/core/clock.ts'

const now = Date.now.bind(Date)
/** Total shift of the process's clock in milliseconds. The clock never goes back, even across test files. */
let shiftMs = 0

/** Returns functions that advance the clock, so that cached values expire. */
export function movableClock() {
  const pass = (ms: number) => {
    shiftMs += ms
    vi.spyOn(Date, 'now').mockImplementation(() => now() + shiftMs)
  }
  pass(Math.max(0, Math.ceil(clock.now() / 1_000) - now() - shiftMs))
  return { minutes: (count: number) => pass(count * 60_000), days: (count: number) => pass(count * 86_400_000) }
}
