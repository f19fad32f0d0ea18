import { vi } from 'vitest'

const now = Date.now.bind(Date)
/** Of the whole file: the clock of a process never goes back. */
let passed = 0

/** Moves the clock of this process, until the mocks are restored; what is cached for minutes is read again. */
export function movableClock() {
  const pass = (ms: number) => {
    passed += ms
    vi.spyOn(Date, 'now').mockImplementation(() => now() + passed)
  }
  pass(0)
  return { minutes: (count: number) => pass(count * 60_000), days: (count: number) => pass(count * 86_400_000) }
}
