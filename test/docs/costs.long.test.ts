import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { callRows, flowRows, statedUsages } from '#test/bench/costs/costs.ts'
import { presenceRatio, presenceRows, presenceText } from '#test/bench/costs/presence-costs.ts'
import { type Usage, usageNames } from '#test/bench/measure/usage.ts'

/** Units that depend only on the code and the engine. Excludes the duration of AWS Lambda, which varies with the machine. */
const units = usageNames.filter((name) => name !== 'lambdaGbMs')

describe('the units in docs/costs.md', () => {
  let stated: Map<string, Usage>
  beforeAll(() => {
    stated = statedUsages(readFileSync('docs/costs.md', 'utf8'))
  })

  const expectStated = (rows: { name: string; usage: Usage }[]) => {
    for (const { name, usage } of rows) {
      for (const unit of units) {
        const [measured, expected] = [usage[unit], stated.get(name)?.[unit] ?? Number.NaN]
        // Allows a deviation of 10 %, or of one rate-limit lease per hundred requests. The flush has no leases.
        const leases = name.includes('flushed') ? 0 : 0.05
        expect(Math.abs(measured - expected), `${name}: ${measured} ${unit}, ${expected} stated`).toBeLessThanOrEqual(
          Math.max(leases, 0.1 * expected),
        )
      }
    }
  }

  it('equal those of flows', { timeout: 300_000 }, async () => {
    expectStated(await flowRows())
  })

  it('equal those of calls', { timeout: 300_000 }, async () => {
    expectStated(await callRows())
  })

  it('are stated exactly for all measured work', () => {
    expect(stated.size).toBe(13)
  })
})

describe('the cost of presence in docs/costs.md', () => {
  /** Returns the rows of the presence table, without the cells that depend on CPU time. */
  const counted = (text: string) =>
    [...text.matchAll(/^\| (heartbeats alone|with the live channel).*$/gm)].map(([line]) =>
      line
        .split('|')
        .map((cell) => cell.trim())
        .filter((_cell, at) => at !== 6 && at !== 10),
    )

  it('is at most an eighth with the live channel (C6)', async () => {
    const rows = await presenceRows()
    expect(presenceRatio(rows)).toBeGreaterThanOrEqual(8)
    const [measured, stated] = [counted(presenceText(rows)), counted(readFileSync('docs/costs.md', 'utf8'))]
    expect(measured).toHaveLength(2)
    expect(stated).toEqual(measured)
  })
})
