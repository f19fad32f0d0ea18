import { hourMicros, hourStart } from '../core/clock.ts'
import { type ArchiveView, readArchive } from './blocks/archive-view.ts'
import { columnsOf, dimensionColumns, flowValue } from './counters/dimensions.ts'
import { conditionColumns, type FlowCondition, mayBeInRest } from './counters/flow-conditions.ts'
import { type HourCounts, type Sum, toSum, ValueCounts } from './counters/value-counts.ts'
import { idsBetween, instantOf } from './entries/log-id.ts'
import { ReadBudget } from './flows/read-budget.ts'
import { withinRetention } from './match-entries.ts'
import { readCounters } from './read-counters.ts'
import type { TrafficQuery } from './traffic-query.ts'
import { searchFlows } from './walk-flows.ts'

/** Maximum amounts that a request reads, of units only those of blocks (R9.7). */
export const trafficLimits = { blocks: 6_000, rows: 2_000_000, files: 400 }

/** Counters of a window. An hour can occur several times. */
export type Traffic = {
  /** End of the last flushed hour; null before the first flush. */
  watermark: number | null
  /** First hour that was counted, if a bound ended the request (R9.8). */
  countedFrom: number | null
  approximate: boolean
  hours: HourCounts[]
  /** Number of open flows by hour. */
  open: Map<number, number>
}

/** Counts the flows of a window, from counters alone where they suffice, else from rows (R9.7). */
export async function countTraffic(account: string, query: TrafficQuery, now: number): Promise<Traffic> {
  const { by, conditions, open, begin, end } = query
  const view = await readArchive(account)
  const isCounted = open === null && conditions.length + (by === null ? 0 : 1) <= 1
  const [read, counted] = await Promise.all([
    readTraffic(view, query, { now, withFiles: !isCounted && open !== true }),
    isCounted ? readCounters(view, query) : [],
  ])
  const from = read.stop === null ? null : Math.min(hourStart(read.stop) + hourMicros, end - hourMicros)
  const hours = counted.filter(({ hour }) => hour >= (from ?? begin))
  const isApproximate = hours.some((one) => (conditions[0] ? mayBeInRest(one, conditions[0]) : one.rest !== null))
  return {
    watermark: view.watermark || null,
    countedFrom: from,
    // An hour that is not read completely has approximate counters too.
    approximate: isApproximate || (read.stop !== null && hourStart(read.stop) === from),
    hours: [
      ...hours.map((one) => (conditions[0] ? selectValues(one, conditions[0]) : one)),
      ...read.hours.filter(({ hour }) => hour >= (from ?? begin)),
    ],
    open: read.open,
  }
}

/** Returns the sums of the values that match, without the name of the value. */
function selectValues({ hour, values, columns }: HourCounts, { includes }: FlowCondition): HourCounts {
  const counts = new ValueCounts()
  for (const [i, value] of values.entries())
    if (includes(value)) counts.add('', 0, ...columns.map((column) => column[i] as Sum))
  return counts.toHour(hour)
}

/** Counts the flows that are not in files, or all. `stop` is the start at which a bound ended the walk. */
async function readTraffic(
  view: ArchiveView,
  { begin, end, by, role, conditions, open }: TrafficQuery,
  { now, withFiles }: { now: number; withFiles: boolean },
): Promise<Pick<Traffic, 'hours' | 'open'> & { stop: number | null }> {
  const counts = new Map<number, ValueCounts>()
  const openFlows = new Map<number, number>()
  const range = idsBetween('flow', begin, end - 1)
  const budget = new ReadBudget(trafficLimits)
  const dimension = by ?? 'total'
  const columns = [
    ...['log_id', 'timestamp', 'flow_end', 'role', 'rx_bytes', 'tx_bytes'],
    ...dimensionColumns[dimension],
    ...conditions.flatMap(conditionColumns),
  ]
  const search = {
    view,
    ascending: false,
    endsAfter: 0,
    conditions,
    open,
    withFiles,
    budget,
    columns: [...new Set(columns)],
  }
  for await (const flow of range ? searchFlows({ ...search, range }, withinRetention(now)) : []) {
    const row = columnsOf(flow)
    if (role !== null && row.role !== role) continue
    const hour = hourStart(instantOf(flow.sk))
    const ofHour = counts.get(hour) ?? new ValueCounts()
    if (ofHour.size === 0) counts.set(hour, ofHour)
    const bytes = [toSum(row.rx_bytes as Sum), toSum(row.tx_bytes as Sum)]
    ofHour.add(flowValue(row, dimension), row.role === 'initiator' ? 0 : 3, 1, ...bytes)
    if (flow.fend === undefined) openFlows.set(hour, (openFlows.get(hour) ?? 0) + 1)
  }
  return { hours: [...counts].map(([hour, values]) => values.toHour(hour)), open: openFlows, stop: budget.end }
}
