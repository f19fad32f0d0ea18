import { randomBytes } from 'node:crypto'
import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import fc from 'fast-check'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { recentStart, slotMicros } from '#shared/logs/blocks/block-keys.ts'
import { SlotSource } from '#shared/logs/blocks/slot-source.ts'
import { idFrom, idUntil, lastLogMicros } from '#shared/logs/entries/log-id.ts'
import { mergeFlows, type StoredFlow } from '#shared/logs/flows/merge-flows.ts'
import { flowReport, newFlowAccount, setClock, simulatedDay } from '#test/support/logs/flow-account.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { recordCommands } from '#test/support/table/intercept-table.ts'

const slot = simulatedDay()
const second = 1_000_000
const minute = 60 * second

afterEach(() => {
  vi.restoreAllMocks()
})

type Walk = { first?: number; last?: number; ascending?: boolean; count?: number }

/** Reads at most `count` flows of the slot that start from `first` to `last`. */
async function read(account: string, { first = 0, last = lastLogMicros, ascending = false, count = 1e9 }: Walk = {}) {
  const range = { first: idFrom('flow', first), last: idUntil('flow', last) }
  const flows: StoredFlow[] = []
  for await (const flow of mergeFlows([new SlotSource(account, slot, { range, ascending })], ascending)) {
    flows.push(flow)
    if (flows.length === count) break
  }
  return flows.map(({ sk }) => sk)
}

const queries = (commands: object[]) => commands.filter((command) => command instanceof QueryCommand)

describe('the flows of a slot', () => {
  let account: Awaited<ReturnType<typeof newFlowAccount>>
  let starts: number[]

  // Stores blocks with starts in the slot, in the intervals before, long before, and in the future.
  beforeAll(async () => {
    account = await newFlowAccount()
    const edges = [
      slot,
      slot + 1,
      slot - 1,
      recentStart(slot),
      recentStart(slot) - 1,
      slot + slotMicros,
      slot - slotMicros,
    ]
    const spread = Array.from({ length: 60 }, (_, i) => slot + 250 * second - i * i * 3 * second)
    starts = [...edges, ...spread, 5, slot + 90 * 24 * 60 * minute, slot + 200 * second]
    for (const [i, start] of [...starts].entries()) {
      const others = i % 7 === 0 ? [flowReport(start - 400 * second, { inner_src_port: i })] : []
      await account.store(slot + i * second, flowReport(start, { inner_src_port: i }), ...others)
      for (const { flow_start } of others) starts.push(flow_start)
    }
  })

  it('are read in order for any range, in both directions, each once', async () => {
    const all = (await read(account.account)).toReversed()
    expect(all).toEqual([...new Set(all)].sort())
    expect(all.map((id) => Number.parseInt(id.slice(1, 14), 16))).toEqual(
      starts.toSorted((a, b) => a - b).filter((start) => start >= 0),
    )
    const instant = fc.tuple(fc.nat({ max: starts.length - 1 }), fc.integer({ min: -1, max: 1 }))
    const window = fc.tuple(instant, instant)
    await fc.assert(
      fc.asyncProperty(window, fc.boolean(), async (ends, ascending) => {
        const [first = 0, last = 0] = ends.map(([i, by]) => Math.max(0, (starts[i] ?? 0) + by)).sort((a, b) => a - b)
        const expected = all.filter((id) => id >= idFrom('flow', first) && id <= idUntil('flow', last))
        expect(await read(account.account, { first, last, ascending })).toEqual(
          ascending ? expected : expected.toReversed(),
        )
      }),
      { numRuns: 60 },
    )
  })

  it('are read with few requests: one block first, then many together', async () => {
    setClock(slot + minute)
    let commands = recordCommands()
    await read(account.account, { count: 1 })
    expect(queries(commands).length).toBeLessThanOrEqual(2)
    expect(queries(commands)[0]?.input.Limit).toBe(1)
    commands = recordCommands()
    await read(account.account)
    expect(queries(commands).length).toBeLessThanOrEqual(3)
  })

  it('are read with eventual consistency only after the slot has ended', async () => {
    for (const [at, ConsistentRead] of [
      [slot + slotMicros + 2 * minute, true],
      [slot + slotMicros + 2 * minute + 1, false],
    ] as const) {
      setClock(at)
      const commands = recordCommands()
      await read(account.account, { count: 1 })
      expect(queries(commands)[0]?.input.ConsistentRead).toBe(ConsistentRead)
    }
  })
})

describe('the read units of a slot', () => {
  it('are those of the blocks of the range, because intervals of starts have their own blocks (R2.2)', async () => {
    const { account, store } = await newFlowAccount()
    const domain = () => randomBytes(120).toString('hex')
    const large = (start: number) =>
      Array.from({ length: 400 }, (_, i) => flowReport(start + i, { inner_src_port: i, domain: domain() }))
    const intervals = [slot, slot - slotMicros, slot - 2 * slotMicros]
    for (const [i, start] of intervals.entries()) await store(slot + i * second, ...large(start))
    const old = slot - 100 * minute
    await store(slot + 10 * second, flowReport(old))
    setClock(slot + minute)
    const units = async (walk: Walk) => (await measure(() => read(account, walk))).reads
    expect(await units({ first: old, last: old })).toBeLessThanOrEqual(2)
    const whole = await units({})
    for (const start of intervals) {
      const own = await units({ first: start, last: start + 400 })
      expect([own > 5, own < 0.5 * whole]).toEqual([true, true])
    }
  })
})
