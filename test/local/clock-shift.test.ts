import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { advanceClock, shiftClock } from '#infra/local/clock-shift.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clock-test-'))
})
afterEach(() => {
  rmSync(dir, { recursive: true })
  // Restores the clock, because the directory no longer has a shift.
  shiftClock(dir)
})

it('moves the clock of the service ahead, and keeps it there after a start', async () => {
  const now = Date.now()
  expect(await advanceClock(dir)({ hours: 2 })).toEqual({ data: { now: expect.stringMatching(/Z$/) } })
  await advanceClock(dir)({ hours: 0.5 })
  expect(Date.now() - now).toBeGreaterThanOrEqual(9_000_000)
  shiftClock(tmpdir())
  expect(Date.now() - now).toBeLessThan(9_000_000)
  shiftClock(dir)
  expect(Date.now() - now).toBeGreaterThanOrEqual(9_000_000)
})

it.each([undefined, null, {}, { hours: 0 }, { hours: -1 }, { hours: 25 }, { hours: '2' }, { hours: Number.NaN }])(
  'refuses to move the clock by %j',
  async (event) => {
    const now = Date.now()
    expect(await advanceClock(dir)(event)).toEqual({
      error: { code: 'bad_request', detail: 'hours must be a number above 0 and at most 24.' },
    })
    expect(Date.now() - now).toBeLessThan(3_600_000)
    expect(() => readFileSync(join(dir, 'clock-shift.json'))).toThrow('ENOENT')
  },
)
