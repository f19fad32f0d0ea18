import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import { actorSlicesPartition, flowDaysPartition, sliceMicros, sliceOf, sliceSort } from '../flows/flow-index.ts'
import { table, tableName } from '../table/client.ts'
import { instantOf } from './log-id.ts'
import { dayMicros, dayOf, flowShard, logPartition } from './log-keys.ts'
import { beyond, type IdRange, idsBetween } from './log-order.ts'
import type { Part } from './part-reader.ts'

/** Which flows: of an account, perhaps of one actor, perhaps only those beyond an entry. */
export type FlowSearch = { account: string; actorId?: string | null; from?: string; ascending?: boolean }

type Mark = { sk: string; shards?: Set<number> }

/** Slices of an actor are read in one go when no more than two others lie between them. */
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
): Promise<Part[][]> {
  const whole = flowIds(search, begin, end)
  if (!whole) return []
  const { account, actorId } = search
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
    const wanted = [...shards].filter((shard) => !actorId || shard === flowShard(actorId))
    const ranges = actorId ? () => actorRanges(account, actorId, ids) : [ids]
    return wanted.map((shard) => ({ pk: logPartition(account, 'flow', day, shard), ranges, filter }))
  })
}

/** What of a range of ids can hold flows of an actor, by the slices in which it began some. */
async function actorRanges(account: string, actor: string, { first, last }: IdRange): Promise<IdRange[]> {
  const [from, to] = [sliceOf(instantOf(first)), instantOf(last)]
  const marks = await marksBetween(actorSlicesPartition(account, actor), sliceSort(from), sliceSort(to))
  const stretches: { begin: number; end: number }[] = []
  for (const slice of marks.map(({ sk }) => Number(sk))) {
    const latest = stretches.at(-1)
    if (latest && slice - latest.end <= joinedWithin) latest.end = slice + sliceMicros - 1
    else stretches.push({ begin: slice, end: slice + sliceMicros - 1 })
  }
  return stretches.map(({ begin, end }) => {
    const ids = idsBetween('flow', begin, end) as IdRange
    return { first: ids.first > first ? ids.first : first, last: ids.last < last ? ids.last : last }
  })
}

/** The filters and that of the actor in one. */
export function joined({ actorId }: FlowSearch, filters: FlowFilter[]): Part['filter'] {
  const all = actorId ? [...filters, { expression: 'actor = :actor', values: { ':actor': actorId } }] : filters
  if (all.length === 0) return undefined
  return {
    expression: all.map(({ expression }) => `(${expression})`).join(' AND '),
    values: Object.assign({}, ...all.map(({ values }) => values)),
  }
}
