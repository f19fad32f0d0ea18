import { beforeAll, describe, expect, it } from 'vitest'
import { callRows, flowRows, statedUsages } from '#test/bench/costs.ts'
import { type Usage, usageNames } from '#test/bench/usage.ts'

/** What the engine and the code decide; CPU is the machine's. */
const units = usageNames.filter((name) => name !== 'lambdaGbMs')

describe('the units in docs/costs.md', () => {
  let stated: Map<string, Usage>
  beforeAll(async () => {
    stated = await statedUsages()
  })

  const expectStated = (rows: { name: string; usage: Usage }[]) => {
    for (const { name, usage } of rows) {
      for (const unit of units) {
        const [measured, said] = [usage[unit], stated.get(name)?.[unit] ?? Number.NaN]
        // Within 10 %, or what one lease of the rate limit among a hundred requests makes.
        expect(Math.abs(measured - said), `${name}: ${measured} ${unit}, ${said} stated`).toBeLessThanOrEqual(
          Math.max(0.05, 0.1 * said),
        )
      }
    }
  }

  it('are those of flows', { timeout: 300_000 }, async () => {
    expectStated(await flowRows())
  })

  it('are those of calls', { timeout: 300_000 }, async () => {
    expectStated(await callRows())
  })

  it('are stated for everything that is measured, and for nothing else', () => {
    expect(stated.size).toBe(12)
  })
})
