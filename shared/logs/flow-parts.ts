import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import { actorSlicesPartition, flowDaysPartition, sliceMicros, sliceOf, sliceSort } from '../flows/flow-index.ts'
import { table, tableName } from '../table/client.ts'
import { instantOf } from './log-id.ts'
import { dayMicros, dayOf, flowShard, logPartition } from './log-keys.ts'
import { beyond, type IdRange, idsBetween } from './log-order.ts'
import type { LazyParts, Part } from './part-reader.ts'

/** Which flows: of an account, perhaps of some actors, perhaps only those beyond an entry. */
export type FlowSearch = { account: string; flowActors?: string[] | null; from?: string; ascending?: boolean }

type Mark = { sk: string; shards?: Set<number> }

/** Slices are read in one go when no more than two others lie between them. */
const joinedWithin = 3 * sliceMicros

async function marksBetween(pk: string, first: string, last: string): Promise<Mark[]> {
  const marks: Mark[] = []
  let start: Record<string, unknown> | undefined
  do {
    const page = await table().send(
      new QueryCommand({
        TableName: tableName(),
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
        ExpressionAttributeValues: { ':pk': pk, ':first': first, ':last': last },
        ExclusiveStartKey: start,
      }),
    )
    marks.push(...((page.Items ?? []) as Mark[]))
    start = page.LastEvaluatedKey
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
  const days = await marksBetween(
    flowDaysPartition(account),
    dayOf(instantOf(whole.first)),
    dayOf(instantOf(whole.last)),
  )
  const filter = joined(search, filters)
  return days.map(({ sk: day, shards = new Set() }) => {
    const start = Date.parse(day) * 1000
    const ids = flowIds(search, Math.max(begin, start), Math.min(end, start + dayMicros - 1))
    if (!ids) return []
    return [...shards].flatMap((shard): Part | LazyParts | [] => {
      const pk = logPartition(account, 'flow', day, shard)
      if (!flowActors) return { pk, range: ids, filter }
      const actors = flowActors.filter((actor) => flowShard(actor) === shard)
      if (actors.length === 0) return []
      return async () => (await actorRanges(account, actors, ids)).map((range) => ({ pk, range, filter }))
    })
  })
}

/** What of a range of ids can hold flows of some actors, by the slices in which they began some. */
async function actorRanges(account: string, actors: string[], { first, last }: IdRange): Promise<IdRange[]> {
  const [from, to] = [sliceOf(instantOf(first)), instantOf(last)]
  const marks = await Promise.all(
    actors.map((actor) => marksBetween(actorSlicesPartition(account, actor), sliceSort(from), sliceSort(to))),
  )
  const slices = marks.flat().map(({ sk }) => Number(sk))
  const stretches: { begin: number; end: number }[] = []
  for (const slice of slices.sort((a, b) => a - b)) {
    const latest = stretches.at(-1)
    if (latest && slice - latest.end <= joinedWithin) latest.end = slice + sliceMicros - 1
    else stretches.push({ begin: slice, end: slice + sliceMicros - 1 })
  }
  return stretches.map(({ begin, end }) => {
    const ids = idsBetween('flow', begin, end) as IdRange
    return { first: ids.first > first ? ids.first : first, last: ids.last < last ? ids.last : last }
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
