import { dayMicros } from '../core/clock.ts'
import { table, tableName } from '../table/client.ts'
import { QueryCommand } from '../table/commands.ts'
import { actorSlicesPartition, flowDaysPartition, sliceMicros, sliceOf, sliceSort } from './flows/flow-index.ts'
import { instantOf } from './log-id.ts'
import { dayOf, flowShard, logPartition } from './log-keys.ts'
import { beyond, type IdRange, idsBetween } from './log-order.ts'
import type { LazyParts, Part } from './part-reader.ts'

/** The flows of an account, perhaps only those of some actors, perhaps only those beyond an entry. */
export type FlowSearch = {
  account: string
  flowActors?: string[] | null
  from?: string
  ascending?: boolean
  /** How many flows are expected to be taken. */
  expected?: number
}

type Mark = { sk: string; shards?: Set<number> }

/** Slices are read in one go when no more than two others lie between them. */
const joinedWithin = 3 * sliceMicros
/** At most so many slices of an actor are read ahead. */
const mostAhead = 1_000

type Marks = { pk: string; first: string; last: string; descending?: boolean; limit?: number }

const marksPage = async ({ pk, first, last, descending, limit }: Marks, start?: Record<string, unknown>) => {
  const { Items = [], LastEvaluatedKey: end } = await table().send(
    new QueryCommand({
      TableName: tableName(),
      ConsistentRead: true,
      ScanIndexForward: !descending,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: { ':pk': pk, ':first': first, ':last': last },
      ExclusiveStartKey: start,
      Limit: limit,
    }),
  )
  return { marks: Items as Mark[], end }
}

async function marksBetween(range: Marks): Promise<Mark[]> {
  const marks: Mark[] = []
  let start: Record<string, unknown> | undefined
  do {
    const page = await marksPage(range, start)
    marks.push(...page.marks)
    start = page.end
  } while (start)
  return marks
}

/** The ids from `begin` to `end` that the search has yet before it. */
export function flowIds({ from, ascending = false }: FlowSearch, begin: number, end: number): IdRange | null {
  const ids = idsBetween('flow', begin, end)
  return ids && from !== undefined ? beyond(ids, from, ascending) : ids
}

/** A condition on the flows, for the table to leave the others out. */
export type FlowFilter = { expression: string; values?: Record<string, unknown> }

/** The partitions of the flows that began from `begin` to `end`, oldest day first. */
export async function flowParts(
  search: FlowSearch,
  begin: number,
  end: number,
  ...filters: FlowFilter[]
): Promise<(Part | LazyParts)[][]> {
  const whole = flowIds(search, begin, end)
  if (!whole) return []
  const { account, flowActors } = search
  const dayMarks = {
    pk: flowDaysPartition(account),
    first: dayOf(instantOf(whole.first)),
    last: dayOf(instantOf(whole.last)),
  }
  const [days, slices] = await Promise.all([
    marksBetween(dayMarks),
    Promise.all((flowActors ?? []).map((actor) => slicesAhead(search, actor, whole))),
  ])
  const filter = joined(search, filters)
  return days.flatMap(({ sk: day, shards = new Set() }) => {
    const start = Date.parse(day) * 1000
    const ids = flowIds(search, Math.max(begin, start), Math.min(end, start + dayMicros - 1))
    if (!ids) return []
    const parts = [...shards].flatMap((shard): (Part | LazyParts)[] => {
      const pk = logPartition(account, 'flow', day, shard)
      if (!flowActors) return [{ pk, range: ids, filter }]
      const of = slices.filter(({ actor }) => flowShard(actor) === shard)
      const known = of.flatMap(({ within }) => within(ids) ?? [])
      const partsOf = (those: number[]) => stretches(those, ids).map((range) => ({ pk, range, filter }))
      const unknown = of.filter(({ within }) => !within(ids))
      if (unknown.length === 0) return partsOf(known)
      return [async () => partsOf([...known, ...(await Promise.all(unknown.map(({ read }) => read(ids)))).flat()])]
    })
    return parts.length > 0 ? [parts] : []
  })
}

/** The range of the marks of the slices that can hold ids. */
const slicesOf = (account: string, actor: string, { first, last }: IdRange): Marks => ({
  pk: actorSlicesPartition(account, actor),
  first: sliceSort(sliceOf(instantOf(first))),
  last: sliceSort(instantOf(last)),
})

const numbers = (marks: Mark[]): number[] => marks.map(({ sk }) => Number(sk))

/**
 * The slices in which an actor began flows. As many as flows are expected are read ahead, over all days in one request:
 * `within` tells those of a day that this has reached, `read` reads them for another.
 */
async function slicesAhead({ account, ascending = false, expected = 100 }: FlowSearch, actor: string, whole: IdRange) {
  const limit = Math.min(mostAhead, expected)
  const { marks, end } = await marksPage({ ...slicesOf(account, actor, whole), descending: !ascending, limit })
  const reached = end && String(end.sk)
  return {
    actor,
    within(ids: IdRange): number[] | null {
      const { first, last } = slicesOf(account, actor, ids)
      if (reached !== undefined && (ascending ? last >= reached : first <= reached)) return null
      return numbers(marks.filter(({ sk }) => sk >= first && sk <= last))
    },
    read: async (ids: IdRange): Promise<number[]> => numbers(await marksBetween(slicesOf(account, actor, ids))),
  }
}

/** The parts of a range of ids that can lie in slices. */
function stretches(slices: number[], { first, last }: IdRange): IdRange[] {
  const ranges: { begin: number; end: number }[] = []
  for (const slice of slices.toSorted((a, b) => a - b)) {
    const latest = ranges.at(-1)
    if (latest && slice - latest.end <= joinedWithin) latest.end = slice + sliceMicros - 1
    else ranges.push({ begin: slice, end: slice + sliceMicros - 1 })
  }
  return ranges.flatMap(({ begin, end }) => {
    const ids = idsBetween('flow', begin, end)
    return ids ? [{ first: ids.first > first ? ids.first : first, last: ids.last < last ? ids.last : last }] : []
  })
}

const ofActors = (actors: string[]): FlowFilter => ({
  expression: `actor IN (${actors.map((_, i) => `:actor${i}`).join(', ')})`,
  values: Object.fromEntries(actors.map((actor, i) => [`:actor${i}`, actor])),
})

/** The filters and that of the actors in one. */
export function joined({ flowActors }: FlowSearch, filters: FlowFilter[]): Part['filter'] {
  const all = flowActors ? [...filters, ofActors(flowActors)] : filters
  if (all.length === 0) return undefined
  return {
    expression: all.map(({ expression }) => `(${expression})`).join(' AND '),
    values: Object.assign({}, ...all.map(({ values }) => values)),
  }
}
