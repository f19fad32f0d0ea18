import fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import { Pace } from '#shared/sync/runs/apply-plan.ts'
import { countWaiting } from '#test/support/table/count-waiting.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

/** How long a run rests after each of its commits. */
async function rests(commits: { ms: number; lost: number }[]): Promise<number[]> {
  const waited = countWaiting()
  const pace = new Pace()
  const found: number[] = []
  for (const commit of commits) {
    await pace.turn()
    waited.ms += commit.ms
    pace.note(commit)
    const before = waited.ms
    await pace.turn()
    found.push(waited.ms - before)
  }
  vi.restoreAllMocks()
  return found
}

it.each([
  ['as long as its commit took', { ms: 200, lost: 0 }, 200],
  ['as long as makes fifteen a second', { ms: 10, lost: 0 }, 1_000 / 15 - 10],
  ['three times as long as one try took where it lost races', { ms: 400, lost: 1 }, 600],
  ['not for ever', { ms: 60_000, lost: 2 }, 2_000],
])('rests %s', async (_, commit, expected) => {
  expect((await rests([commit]))[0]).toBeCloseTo(expected, 2)
})

it('leaves half of the time to others, and has a quarter of its tries however busy an account is', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ ms: fc.integer({ min: 1, max: 2_000 }), lost: fc.nat({ max: 5 }) }), { minLength: 1 }),
      async (commits) => {
        const rested = await rests(commits)
        for (const [i, { ms, lost }] of commits.entries()) {
          const once = ms / (lost + 1)
          expect(rested[i]).toBeGreaterThanOrEqual(Math.min(once, 2_000) - 0.01)
          expect(rested[i]).toBeLessThanOrEqual(Math.max(3 * once, 1_000 / 15) + 0.01)
        }
      },
    ),
    { numRuns: 30 },
  ))
