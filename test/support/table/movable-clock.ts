import { vi } from 'vitest'
import { clock } from '#shared/core/clock.ts'

const now = Date.now.bind(Date)
/** Of the whole process: its clock never goes back, whichever file has moved it before. */
let passed = 0

/** Moves the clock of this process, until the mocks are restored; what is cached for minutes is read again. */
export function movableClock() {
  const pass = (ms: number) => {
    passed += ms
    vi.spyOn(Date, 'now').mockImplementation(() => now() + passed)
  }
  pass(Math.max(0, Math.ceil(clock.now() / 1_000) - now() - passed))
  return { minutes: (count: number) => pass(count * 60_000), days: (count: number) => pass(count * 86_400_000) }
}
