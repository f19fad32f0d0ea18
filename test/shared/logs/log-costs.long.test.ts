import { expect, it } from 'vitest'
import { logCosts } from '#test/bench/lists/log-costs.ts'

/** Maximum read units of the flows of a page (R14). With a filter, a page reads the index and the counters of all days. */
const flowUnits = { unfiltered: 30, filtered: 120 }
const days = 10

/** Returns the read units that the flows of a page add. A page of another stream has none. */
function maxFlowUnits(name: string): number {
  if (!name.startsWith('flow') && !name.startsWith('all streams')) return 0
  return name.includes(',') ? flowUnits.filtered : flowUnits.unfiltered
}

it('reads as much for a page of a large log as for a page of a small log', { timeout: 300_000 }, async () => {
  const small = await logCosts(1_000, days)
  for (const [i, { name, ...large }] of (await logCosts(5_000, days)).entries()) {
    const isFlow = name.startsWith('flow')
    const ofFlows = maxFlowUnits(name)
    for (const page of ['middle', 'backward'] as const) {
      const others = isFlow ? 0 : 1.1 * (small[i]?.[page].reads ?? 0)
      expect(large[page].reads, `${name}, ${page}`).toBeLessThanOrEqual(others + ofFlows)
    }
    // Allows two further days, because the newest day may have few entries.
    const others = isFlow ? 0 : 2.5 * large.middle.reads
    expect(large.first.reads, name).toBeLessThanOrEqual(others + ofFlows)
  }
})
