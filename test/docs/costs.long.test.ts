import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { callRows, flowRows, statedUsages } from '#test/bench/costs/costs.ts'
import { presenceRatio, presenceRows, presenceText } from '#test/bench/costs/presence-costs.ts'
import { type Usage, usageNames } from '#test/bench/measure/usage.ts'

/** What the engine and the code decide; CPU is the machine's. */
const units = usageNames.filter((name) => name !== 'lambdaGbMs')

describe('the units in docs/costs.md', () => {
  let stated: Map<string, Usage>
  beforeAll(() => {
    stated = statedUsages(readFileSync('docs/costs.md', 'utf8'))
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

describe('what presence costs in docs/costs.md', () => {
  /** The rows of the table of a text, without CPU and what follows from it. */
  const counted = (text: string) =>
    [...text.matchAll(/^\| (heartbeats alone|with the live channel).*$/gm)].map(([line]) =>
      line
        .split('|')
        .map((cell) => cell.trim())
        .filter((_cell, at) => at !== 6 && at !== 10),
    )

  it('is an eighth with the live channel, or less (C6)', { timeout: 60_000 }, async () => {
    const rows = await presenceRows()
    expect(presenceRatio(rows)).toBeGreaterThanOrEqual(8)
    const [measured, stated] = [counted(presenceText(rows)), counted(readFileSync('docs/costs.md', 'utf8'))]
    expect(measured).toHaveLength(2)
    expect(stated).toEqual(measured)
  })
})
