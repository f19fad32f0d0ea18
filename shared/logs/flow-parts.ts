import { dayMicros } from '../core/clock.ts'
import { queryItems, type Range, sortKeysOf } from '../table/read.ts'
import { type IdRange, idsBetween, instantOf, lastLogMicros } from './entries/log-id.ts'
import { dayOf, flowShard, logPartition } from './entries/log-keys.ts'
import {
  actorSlicesPartition,
  flowDaysPartition,
  flowSlicesPartition,
  longFlowClasses,
  longFlowsPartition,
  openFlowsPartition,
  shortFlowMicros,
  sliceMicros,
  sliceOf,
  sliceSort,
} from './flows/flow-index.ts'
import { idsAhead, type LazyParts, type LogItem, merge, openParts, type Part, type PartWalk } from './part-reader.ts'

/**
 * Maximum distance between the starts of two slices that one query reads together. The query then reads at most two unneeded slices between
 * them.
 */
const joinDistanceMicros = 3 * sliceMicros
/** Maximum number of an actor's slices that one request reads in advance. */
const maxAhead = 1_000

type Day = { pk: string; sk: string; shards?: Set<number> }

type FlowFilter = { expression: string; values?: Record<string, unknown> }

/**
 * Finds the partitions of the flows that began between `begin` and `end` (inclusive, in microseconds). Groups the partitions by day, oldest
 * day first.
 */
export async function flowParts(
  walk: PartWalk,
  begin: number,
  end: number,
  filters?: FlowFilter,
): Promise<(Part | LazyParts)[][]> {
  const whole = idsAhead(walk, 'flow', begin, end)
  if (!whole) return []
  const { account, flowActors } = walk
  const between = [dayOf(instantOf(whole.first)), dayOf(instantOf(whole.last))] as const
  const [days, slices] = await Promise.all([
    queryItems<Day>(flowDaysPartition(account), { between }),
    Promise.all((flowActors ?? []).map((actor) => readSlicesAhead(walk, actor, whole))),
  ])
  const filter = withActorFilter(walk, filters)
  return days.flatMap(({ sk: day, shards = new Set() }) => {
    const start = Date.parse(day) * 1000
    const ids = idsAhead(walk, 'flow', Math.max(begin, start), Math.min(end, start + dayMicros - 1))
    if (!ids) return []
    const parts = [...shards].flatMap((shard): (Part | LazyParts)[] => {
      const pk = logPartition(account, 'flow', day, shard)
      if (!flowActors) return [{ pk, range: ids, filter }]
      const partsOf = (sliceTimes: number[]) => toRanges(sliceTimes, ids).map((range) => ({ pk, range, filter }))
      const ofShard = slices.filter(({ actor }) => flowShard(actor) === shard)
      const readAhead = ofShard.flatMap(({ within }) => within(ids) ?? [])
      const unread = ofShard.filter(({ within }) => !within(ids))
      if (unread.length === 0) return partsOf(readAhead)
      return [async () => partsOf([readAhead, ...(await Promise.all(unread.map(({ read }) => read(ids))))].flat())]
    })
    return parts.length > 0 ? [parts] : []
  })
}

/**
 * Reads the time slices in which an actor began flows. One request reads slices of all days in advance, at most one per expected flow.
 * `within` returns a day's slices if they were read in advance, or else null. `read` queries the slices of a single day.
 */
async function readSlicesAhead(
  { account, ascending = false, expected = 100 }: PartWalk,
  actor: string,
  whole: IdRange,
) {
  const boundsOf = ({ first, last }: IdRange) => [sliceOf(instantOf(first)), instantOf(last)] as const
  const read = async (ids: IdRange, range?: Range): Promise<number[]> => {
    const [first, last] = boundsOf(ids)
    const between = [sliceSort(first), sliceSort(last)] as const
    return (await sortKeysOf(actorSlicesPartition(account, actor), { ...range, between })).map(Number)
  }
  const limit = Math.min(maxAhead, expected)
  const ahead = await read(whole, { backward: !ascending, limit })
  const lastRead = ahead.length < limit ? undefined : ahead.at(-1)
  const within = (ids: IdRange): number[] | null => {
    const [first, last] = boundsOf(ids)
    if (lastRead !== undefined && (ascending ? last >= lastRead : first <= lastRead)) return null
    return ahead.filter((slice) => slice >= first && slice <= last)
  }
  return { actor, within, read: (ids: IdRange) => read(ids) }
}

function toRanges(slices: number[], { first, last }: IdRange): IdRange[] {
  const ranges: { begin: number; end: number }[] = []
  for (const slice of slices.toSorted((a, b) => a - b)) {
    const latest = ranges.at(-1)
    if (latest && slice - latest.end <= joinDistanceMicros) latest.end = slice + sliceMicros - 1
    else ranges.push({ begin: slice, end: slice + sliceMicros - 1 })
  }
  return ranges.flatMap(({ begin, end }) => {
    const ids = idsBetween('flow', begin, end)
    return ids ? [{ first: ids.first > first ? ids.first : first, last: ids.last < last ? ids.last : last }] : []
  })
}

function withActorFilter({ flowActors }: PartWalk, { expression, values }: Partial<FlowFilter> = {}): Part['filter'] {
  const actors = Object.fromEntries(flowActors?.map((actor, i) => [`:actor${i}`, actor]) ?? [])
  const ofActors = flowActors && `actor IN (${Object.keys(actors).join(', ')})`
  const all = [expression, ofActors].filter(Boolean).map((one) => `(${one})`)
  return all.length === 0 ? undefined : { expression: all.join(' AND '), values: { ...values, ...actors } }
}

const isOpen = 'attribute_not_exists(fend)'

/**
 * Yields, in order, the flows that began before the window and may have lasted until its start. Short flows are found by their start, and
 * long and open flows by pointers. Recent open flows without a pointer are found by scanning their slices.
 */
export async function* walkEarlierFlows(walk: PartWalk): AsyncGenerator<LogItem> {
  const begin = Math.min(walk.begin, lastLogMicros + 1)
  if (begin > 0) yield* merge(await openParts(await earlierParts(walk, begin), walk), walk.ascending)
}

async function earlierParts(walk: PartWalk, begin: number): Promise<(Part | LazyParts)[]> {
  const { account } = walk
  const lasting: FlowFilter = { expression: 'fend > :begin', values: { ':begin': begin } }
  const lastingOrOpen: FlowFilter = { ...lasting, expression: `${isOpen} OR ${lasting.expression}` }
  const recent = begin - shortFlowMicros
  const pointers = (pk: string, from: number, filters?: FlowFilter): Part[] => {
    const range = idsAhead(walk, 'flow', from, recent - 1)
    return range ? [{ pk, range, pointers: true, filter: withActorFilter(walk, filters) }] : []
  }
  // Finds earlier slices whose open flows have no pointers yet.
  const before = { after: sliceSort(Math.max(0, recent)), backward: true }
  const unsettled = (await sortKeysOf(flowSlicesPartition(account), before)).map(Number)
  const byStart = await Promise.all([
    flowParts(walk, recent, begin - 1, lastingOrOpen),
    ...unsettled.map((slice) =>
      flowParts(walk, slice, Math.min(slice + sliceMicros, recent) - 1, { expression: isOpen }),
    ),
  ])
  return [
    ...byStart.flat(2),
    ...pointers(openFlowsPartition(account), 0),
    ...longFlowClasses.flatMap(({ classIndex, shorterThan }) =>
      pointers(longFlowsPartition(account, classIndex), Math.max(0, begin - shorterThan), lasting),
    ),
  ]
}
