import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { hourMicros } from '#shared/core/clock.ts'
import { idsBetween, instantOf, lastLogMicros } from '#shared/logs/entries/log-id.ts'
import { filesOfHour, lateFlows, lateGroups, logFilePath, rowGroups } from '#shared/logs/files/file-index.ts'
import { HourSource, LateSource } from '#shared/logs/files/file-source.ts'
import { FlowFiles } from '#shared/logs/files/flow-files.ts'
import { FlushedIds } from '#shared/logs/files/flushed-ids.ts'
import { isHidden, mergeFlows } from '#shared/logs/flows/merge-flows.ts'
import { type BufferedFlow, flowLogId } from '#shared/logs/flows/stored-flow.ts'
import { windowsOverlap } from '#shared/logs/match-entries.ts'
import { flowReport, simulatedDay } from '#test/support/logs/flow-account.ts'
import { newFlowGrant } from '#test/support/logs/flows.ts'
import { plantHour } from '#test/support/logs/plant-hour.ts'
import { recordCommands } from '#test/support/table/intercept-table.ts'

const day = simulatedDay()
const minute = 60_000_000
const at = (hour: number, minutes = 0) => day + hour * hourMicros + minutes * minute
const watermark = at(12)

type Flow = BufferedFlow & { hour: number }
const account = randomUUID()
let flows: Flow[] = []
/** Flows whose retention ended while they were open, which readers skip. */
let ended: Flow[] = []

beforeAll(async () => {
  const claims = (await newFlowGrant(account)).claims()
  let port = 0
  const newFlow = (hour: number, start: number, end: number | null): Flow => {
    const report = flowReport(start, { end, inner_src_port: ++port % 60_000 })
    const fend = end === null ? {} : { fend: end }
    const sk = flowLogId(claims, report)
    return { sk, at: start, ...fend, ids: claims, report, storedAt: at(hour), rank: '', hour: at(hour) }
  }
  const many = Array.from({ length: 9_000 }, (_, i) => newFlow(4, at(4) + i * 300_000, at(4) + i * 300_000 + 5))
  const byHour: [hour: number, parts: Flow[][]][] = [
    [0, [[newFlow(0, at(0, 1), at(0, 2)), newFlow(0, at(-1, 59), at(0, 1))]]],
    [1, [[newFlow(1, at(0, 3), at(1, 5)), newFlow(1, at(-30), at(-29)), newFlow(1, at(1, 2), at(6))]]],
    // Has several parts and row groups, and late flows in each of them.
    [
      4,
      [
        [...many, newFlow(4, at(4, 46), at(4, 50)), newFlow(4, at(4, 47), at(9)), newFlow(4, at(9, 5), at(9, 6))],
        Array.from({ length: 200 }, (_, i) => newFlow(4, at(3) + i, i % 50 === 0 ? at(5, i) : at(3, 50))),
        [newFlow(4, at(-90), at(3, 59)), newFlow(4, at(2, 59), at(3, 58)), newFlow(4, at(-90, 1), at(-200))],
      ],
    ],
    [5, [[newFlow(5, at(5), at(5)), newFlow(5, at(4, 59), at(5, 59)), newFlow(5, at(5, 1), at(5) - 1)]]],
    [9, [[newFlow(9, 5, 253_402_300_700_000_000), newFlow(9, at(1, 1), at(1, 2)), newFlow(9, at(-50), null)]]],
    [11, [[newFlow(11, at(11, 59), at(12)), newFlow(11, at(11, 58), at(12, 1)), newFlow(11, at(10), at(11))]]],
    // Is not flushed yet for readers with an older watermark.
    [12, [[newFlow(12, at(12), at(12, 1)), newFlow(12, at(3, 7), at(3, 8))]]],
  ]
  for (const [hour, parts] of byHour) {
    const sorted = parts.map((part) => part.toSorted((a, b) => (a.sk < b.sk ? -1 : 1)))
    await plantHour(account, at(hour), sorted)
    flows.push(...sorted.flat())
  }
  ended = flows.filter(({ fend }) => fend === undefined)
  flows = flows.filter(({ fend }) => fend !== undefined)
})

const view = { account, watermark, slots: [], relaxed: false }
const before = (flow: Flow) => flow.hour < watermark

type Window = { begin: number; end: number; ascending?: boolean; count?: number }

/** Reads the flows in files that overlap a window, as the walk of the logs does. */
async function read({ begin, end, ascending = false, count = 1e9 }: Window) {
  const range = idsBetween('flow', 0, end)
  if (!range) return []
  const walk = { range, ascending, endsAfter: Math.max(0, begin), files: new FlowFiles(account) }
  const found: string[] = []
  for await (const flow of mergeFlows([new HourSource(view, walk), new LateSource(view, walk)], ascending)) {
    if (!isHidden(flow) && windowsOverlap(instantOf(flow.sk), flow.fend, { begin, end })) found.push(flow.sk)
    if (found.length === count) break
  }
  return found
}

const expected = ({ begin, end, ascending = false }: Window) => {
  const ids = flows
    .filter((flow) => before(flow) && windowsOverlap(flow.report.flow_start, flow.fend, { begin, end }))
    .map(({ sk }) => sk)
    .sort()
  return ascending ? ids : ids.reverse()
}

describe('the files of flows', () => {
  it('return the flows of any window once and in order, in both directions', async () => {
    const instants = flows
      .filter((_, i) => i < 20 || i % 500 === 0 || i > 9_000)
      .flatMap(({ report, fend = 0 }) => {
        return [report.flow_start, Math.min(fend, lastLogMicros)]
      })
    const instant = fc
      .tuple(fc.nat({ max: instants.length - 1 }), fc.integer({ min: -1, max: 1 }))
      .map(([i, by]) => (instants[i] ?? 0) + by)
    const hour = fc.integer({ min: -100, max: 14 }).map((n) => at(n))
    const width = fc.oneof(fc.constant(0), fc.nat({ max: 3 * hourMicros }), fc.nat({ max: 400 * hourMicros }))
    await fc.assert(
      fc.asyncProperty(fc.oneof(instant, hour), width, fc.boolean(), async (begin, length, ascending) => {
        const window = { begin, end: begin + length, ascending }
        expect(await read(window)).toEqual(expected(window))
      }),
      { numRuns: 60 },
    )
    const all = { begin: 0, end: lastLogMicros }
    expect(await read(all)).toEqual(expected(all))
  })

  it('are read only as far as needed', async () => {
    const commands = recordCommands()
    const window = { begin: at(-200), end: at(20) }
    expect(await read({ ...window, count: 1 })).toEqual(expected(window).slice(0, 1))
    expect(commands.length).toBeLessThanOrEqual(4)
  })
})

describe('the index of files', () => {
  it('has the row groups of each part, with their first and last log ids', async () => {
    const items = await filesOfHour(account, at(4))
    const groups = items.flatMap(rowGroups)
    expect(groups.map(({ part, group }) => [part, group])).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
      [2, 0],
    ])
    const own = flows.filter(({ hour }) => hour === at(4))
    for (const { first, last, hour } of groups) {
      expect([own.some(({ sk }) => sk === first), own.some(({ sk }) => sk === last), hour]).toEqual([true, true, at(4)])
    }
    expect(
      groups.reduce((sum, { first, last }) => sum + own.filter(({ sk }) => sk >= first && sk <= last).length, 0),
    ).toBeGreaterThanOrEqual(own.length)
    expect(items.map(({ summary }) => JSON.parse(summary).key)).toEqual(
      [0, 1, 2].map((part) => logFilePath({ account, stream: 'flow', hour: at(4), part })),
    )
  })

  it('lists late flows by the hour in which the last of them ended', async () => {
    const late = await lateFlows(account, at(9), at(10))
    expect(late.map(({ hour, latestEnd }) => [hour, latestEnd])).toEqual([[at(4), at(9)]])
    const started = new Set(
      late.flatMap(({ ranges }) =>
        ranges.map(({ firstHour, lastHour }) => (firstHour === lastHour ? firstHour : null)),
      ),
    )
    expect(started).toEqual(new Set([at(-90), at(2), at(3), at(4), at(9)]))
    for (const { first, last } of late.flatMap(lateGroups)) {
      expect(first.slice(14)).toBe('0000000000')
      expect(instantOf(last) - instantOf(first)).toBe(hourMicros - 1)
    }
    expect(await lateFlows(account, at(0), at(1))).toEqual([])
  })
})

describe('the ids of flushed flows', () => {
  it.each(['descending', 'ascending'])('contain exactly the flows in files, in %s order', async (order) => {
    const flushed = new FlushedIds(account, watermark)
    // Looks up every flow that is not in a large row group, and some of the others.
    const some = [...flows, ...ended].filter((_, i) => i < 20 || i % 100 === 0 || i > 9_000)
    const others = some.map(({ sk }) =>
      `${sk.slice(0, 14)}${sk.slice(14) === '0000000000' ? '1' : '0'}`.padEnd(24, '0'),
    )
    const ids = [...new Set([...some.map(({ sk }) => sk), ...others])].sort()
    if (order === 'descending') ids.reverse()
    const known = new Set([...flows, ...ended].filter(before).map(({ sk }) => sk))
    for (const id of ids) expect([id, await flushed.has(id)]).toEqual([id, known.has(id)])
  })

  it('are empty before the first flush', async () => {
    const flushed = new FlushedIds(account, 0)
    for (const { sk } of flows.slice(0, 5)) expect(await flushed.has(sk)).toBe(false)
  })
})

it('fails if a file of the index is missing', async () => {
  const other = randomUUID()
  const groups = (await filesOfHour(account, at(0))).flatMap(rowGroups)
  const files = new FlowFiles(other)
  for (const group of groups) await expect(files.rows(group)).rejects.toThrow('The archive has no file')
})
