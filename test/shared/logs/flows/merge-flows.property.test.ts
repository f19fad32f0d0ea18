import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compareIds, instantOf, logId } from '#shared/logs/entries/log-id.ts'
import { type FlowSource, isFiled, mergeFlows, type StoredFlow } from '#shared/logs/flows/merge-flows.ts'
import { type BufferedFlow, mergeReports } from '#shared/logs/flows/stored-flow.ts'
import { flowReport } from '#test/support/logs/flow-account.ts'

const ids = { role: 'initiator' } as BufferedFlow['ids']

/** Flow with one of few starts and tails, so that many are equal. `rank` and the end identify the report. */
const flow = fc
  .record({ start: fc.nat({ max: 12 }), tail: fc.nat({ max: 2 }), rank: fc.nat({ max: 9 }), end: fc.option(fc.nat()) })
  .map(({ start, tail, rank, end }): BufferedFlow => {
    const sk = logId('flow', start, String(tail).padStart(10, '0'))
    const fend = end === null ? {} : { fend: end }
    return { sk, at: rank, ...fend, ids, report: flowReport(start, { end }), storedAt: rank, rank: String(rank) }
  })
const stored = fc.tuple(flow, fc.nat({ max: 9 })).map(([one, kind]): StoredFlow => {
  return kind > 0 ? one : { sk: one.sk, at: 0, fend: 1, row: { log_id: one.sk } }
})

type Plan = { flows: StoredFlow[]; slack: number; children: Plan[] }
/** Sources with chunks of flows, some of which are found while others are read. Their bounds are not exact. */
const planOf = (children: fc.Arbitrary<Plan[]>): fc.Arbitrary<Plan> =>
  fc.record({ flows: fc.array(stored, { maxLength: 8 }), slack: fc.nat({ max: 3 }), children })
const leaf = planOf(fc.constant([]))
const plan = planOf(fc.array(planOf(fc.array(leaf, { maxLength: 2 })), { maxLength: 2 }))

const flowsOf = ({ flows, children }: Plan): StoredFlow[] => [...flows, ...children.flatMap(flowsOf)]

/** Creates a source that can be read once. */
function sourceOf(all: Plan, ascending: boolean): FlowSource {
  const sign = ascending ? 1 : -1
  const instants = flowsOf(all).map(({ sk }) => sign * instantOf(sk))
  const source = {
    bound: (instants.length === 0 ? null : sign * (Math.min(...instants) - all.slack)) as number | null,
    async read() {
      expect(source.bound).not.toBeNull()
      source.bound = null
      const flows = all.flows.toSorted((a, b) => sign * compareIds(a.sk, b.sk))
      return { flows, sources: all.children.map((child) => sourceOf(child, ascending)) }
    },
  }
  return source
}

it('yields each flow of any sources once and in order, with merged reports', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(plan, { maxLength: 6 }), fc.boolean(), async (plans, ascending) => {
      const sign = ascending ? 1 : -1
      const groups = Map.groupBy(plans.flatMap(flowsOf), ({ sk }) => sk)
      const expected = [...groups.keys()].sort((a, b) => sign * compareIds(a, b))
      const sources = plans.map((one) => sourceOf(one, ascending))
      const found: StoredFlow[] = []
      for await (const one of mergeFlows(sources, ascending)) found.push(one)
      expect(found.map(({ sk }) => sk)).toEqual(expected)
      for (const one of found) {
        const same = groups.get(one.sk) ?? []
        if (same.some(isFiled)) expect(isFiled(one)).toBe(true)
        else expectMerged(one as BufferedFlow, same as BufferedFlow[])
      }
    }),
    { numRuns: 500 },
  )
})

it.each([true, false])('reads a source only when one of its flows can be next (ascending: %s)', async (ascending) => {
  const sign = ascending ? 1 : -1
  const read: number[] = []
  const sources = [30, 20, 10, 25].map((start): FlowSource => {
    const at = sign * start + 1_000
    const source = {
      bound: at as number | null,
      async read() {
        read.push(start)
        source.bound = null
        const flows = [3, 6].map((by) => logId('flow', at + sign * by, '0000000000'))
        return { flows: flows.map((sk): StoredFlow => ({ sk, at: 0, row: {} })) }
      },
    }
    return source
  })
  const reads: number[][] = []
  for await (const _ of mergeFlows(sources, ascending)) reads.push([...read])
  const order = [10, 20, 25, 30]
  expect(reads.map((some) => some.length)).toEqual([1, 1, 2, 3, 3, 4, 4, 4])
  expect(read).toEqual(order)
})

/** Expects the ingest time of the first report, and the closing fields of the first close report (L11). */
function expectMerged(flow: BufferedFlow, reports: BufferedFlow[]): void {
  const first = Math.min(...reports.map(({ at }) => at))
  expect(flow.at).toBe(first)
  const closed = reports.filter(({ report }) => report.closing)
  if (closed.length === 0) {
    expect([flow.report.closing, 'fend' in flow, flow.storedAt]).toEqual([null, false, first])
    return
  }
  const closedAt = Math.min(...closed.map(({ storedAt }) => storedAt))
  expect(flow.storedAt).toBe(closedAt)
  const ends = closed.filter(({ storedAt }) => storedAt === closedAt).map(({ fend }) => fend)
  expect(ends).toContain(flow.fend)
  expect(flow.report.closing?.flow_end).toBe(flow.fend)
}

it('merges reports of equal rank in their order', () => {
  const reports = [null, 5, 7].map((end): BufferedFlow => {
    const report = flowReport(1, { end })
    const sk = logId('flow', 1, '0000000000')
    return { sk, at: end ?? 1, ...(end !== null && { fend: end }), ids, report, storedAt: 0, rank: 'a' }
  })
  expect(mergeReports(reports)).toMatchObject({ at: 1, fend: 5 })
  expect(mergeReports(reports.toReversed())).toMatchObject({ at: 7, fend: 7 })
  expect(() => mergeReports([])).toThrow(RangeError)
})
