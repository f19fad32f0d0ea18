import { expect, it } from 'vitest'
import { logCosts } from '#test/bench/lists/log-costs.ts'

it('reads as much for a page of a large log as for a page of a small log', { timeout: 300_000 }, async () => {
  const small = await logCosts(1_000)
  for (const [i, { name, ...large }] of (await logCosts(20_000)).entries()) {
    for (const page of ['middle', 'backward'] as const) {
      expect(large[page].reads / (small[i]?.[page].reads ?? 0), `${name}, ${page}`).toBeLessThanOrEqual(1.1)
    }
    // Allows two further days, because the newest day may have few entries.
    expect(large.first.reads, name).toBeLessThanOrEqual(2.5 * large.middle.reads)
  }
})
