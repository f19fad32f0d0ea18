import { beforeAll, describe, expect, it } from 'vitest'
import { type OperationCost, operationCosts, statedCosts } from '#test/bench/costs/operation-costs.ts'
import { listCosts } from '#test/bench/lists/list-costs.ts'
import { loadEntries } from '#test/support/operations/operations.ts'

const isNear = (measured: number, stated: number): boolean =>
  Math.abs(measured - stated) <= Math.max(1, 0.1 * Math.max(measured, stated))

describe('the costs in docs/table.md', () => {
  let stated: OperationCost[]
  beforeAll(async () => {
    stated = await statedCosts()
  })

  it('are stated for every operation', async () => {
    const names = (await loadEntries()).map(({ name }) => name)
    expect(stated.map(({ name }) => name).sort()).toEqual(names.sort())
  })

  it('equal those that the engine reports', { timeout: 300_000 }, async () => {
    for (const { name, ...measured } of await operationCosts()) {
      const row = stated.find((cost) => cost.name === name)
      for (const unit of ['requests', 'reads', 'writes'] as const) {
        const pair = [measured[unit], row?.[unit] ?? Number.NaN] as const
        expect(isNear(...pair), `${name}: ${pair[0]} ${unit}, ${pair[1]} stated`).toBe(true)
      }
    }
  })
})

it('a page of a list costs the same in a large collection as in a small one', { timeout: 300_000 }, async () => {
  for (const { name, few, many } of await listCosts(100, 400)) {
    expect((many.reads + many.writes) / (few.reads + few.writes), name).toBeLessThanOrEqual(1.1)
    expect(many.requests, name).toBeLessThanOrEqual(few.requests + 1)
  }
})
