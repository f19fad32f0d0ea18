import fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import { Pace } from '#shared/sync/runs/apply-plan.ts'
import { countWaiting } from '#test/support/table/count-waiting.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

/** Returns the pause after each commit, in milliseconds. */
async function rests(commits: { ms: number; conflicts: number }[]): Promise<number[]> {
  const waited = countWaiting()
  const pace = new Pace()
  const found: number[] = []
  for (const commit of commits) {
    await pace.wait()
    waited.ms += commit.ms
    pace.record(commit)
    const before = waited.ms
    await pace.wait()
    found.push(waited.ms - before)
  }
  vi.restoreAllMocks()
  return found
}

it.each([
  ['as long as its commit took', { ms: 200, conflicts: 0 }, 200],
  ['so that a second has fifteen commits', { ms: 10, conflicts: 0 }, 1_000 / 15 - 10],
  ['three times as long as one try took after conflicts', { ms: 400, conflicts: 1 }, 600],
  ['two seconds at most', { ms: 60_000, conflicts: 2 }, 2_000],
])('pauses %s', async (_, commit, expected) => {
  expect((await rests([commit]))[0]).toBeCloseTo(expected, 2)
})

it('pauses at least as long as a try took, and at most three times as long', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ ms: fc.integer({ min: 1, max: 2_000 }), conflicts: fc.nat({ max: 5 }) }), { minLength: 1 }),
      async (commits) => {
        const rested = await rests(commits)
        for (const [i, { ms, conflicts }] of commits.entries()) {
          const once = ms / (conflicts + 1)
          expect(rested[i]).toBeGreaterThanOrEqual(Math.min(once, 2_000) - 0.01)
          expect(rested[i]).toBeLessThanOrEqual(Math.max(3 * once, 1_000 / 15) + 0.01)
        }
      },
    ),
    { numRuns: 30 },
  ))
