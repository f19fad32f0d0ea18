import { expect, it } from 'vitest'
import { logCosts } from '#test/bench/lists/log-costs.ts'

it('asks of a page of a large log what it asks of one of a small log', { timeout: 300_000 }, async () => {
  const small = await logCosts(1_000)
  for (const [i, { name, ...large }] of (await logCosts(20_000)).entries()) {
    for (const page of ['middle', 'backward'] as const) {
      expect(large[page].reads / (small[i]?.[page].reads ?? 0), `${name}, ${page}`).toBeLessThanOrEqual(1.1)
    }
    // What it counts ends at 1,000 entries.
    expect(large.first.reads, name).toBeLessThanOrEqual(150)
  }
})
