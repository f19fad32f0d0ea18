import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import { clock } from '../core/clock.ts'
import { projectionOf } from '../table/read.ts'
import { table, tableName } from '../table/table.ts'
import type { FlowCondition } from './counters/flow-conditions.ts'
import { compareIds, type IdRange, idsBetween, idsBeyond, instantOf, type LogStream } from './entries/log-id.ts'
import type { PointerField } from './entries/log-keys.ts'
import type { ReadBudget } from './flows/read-budget.ts'

/** Stored entry, or a pointer to an entry. `sk` is the entry's log id. */
export type LogItem = Record<string, unknown> & {
  sk: string
  pointer?: true
  /** Ingest time of a flow's first report in microseconds; absent for other streams. */
  at?: number
  /** End of a closed flow in microseconds; absent for open flows and for other streams. */
  fend?: number
  /** Content of an entry that is not a flow, for `readEntry`. */
  entry?: unknown
}

/** Progress of a walk with filters of changes: what it may still read, and where a limit ended it. */
export type ChangeScan = {
  entries: number
  units: number
  /** Id up to which all entries were read, if a limit ended the walk; null otherwise. */
  stop: string | null
}

/** Query over log streams of an account. Times are in microseconds. */
export type PartWalk = {
  account: string
  streams: LogStream[]
  /** Reads only entries with a pointer for this actor, email or object. `isOnlyCondition` is true if the query has no other condition. */
  pointerFilter?: { field: PointerField; value: string; isOnlyCondition: boolean }
  /** Conditions and limits of the flows; if absent, all flows are read. */
  flowSearch?: { conditions: readonly FlowCondition[]; open?: boolean | null; budget?: ReadBudget }
  /** Start of the window. Both `begin` and `end` belong to the window. */
  begin: number
  end: number
  /** Time before which the account has no entries except flows. */
  oldest?: number
  /** Log id after which the walk starts, in the direction of the walk. */
  from?: string
  ascending?: boolean
  /** Number of items that the caller will probably consume, which determines the size of the first pages. */
  expected?: number
  counting?: boolean
  /** Number of entries that the caller still needs, which limits the size of a request. The caller decreases it during the walk. */
  budget?: { left: number }
  /** Limits the entries read by a walk with filters of changes (K11.G7). */
  scan?: ChangeScan
  /** Reads entries older than a minute with eventual consistency, at half the price. */
  relaxed?: boolean
  attributes?: readonly string[]
}

/** Range of ids from `begin` to `end` that the walk has not passed yet; null if the range is empty. */
export function idsAhead({ from, ascending = false }: PartWalk, stream: LogStream, begin: number, end: number) {
  const ids = idsBetween(stream, begin, end)
  return ids && from !== undefined ? idsBeyond(ids, from, ascending) : ids
}

export type Part = { pk: string; range: IdRange; pointers?: true }

/** A page of a list has at most 1,000 entries (A7.1), and one more entry shows whether a next page exists. */
const maxPageSize = 1_001
const minPageSize = 8
const idLength = 24
/** Sorts after every suffix that a sort key can have after its log id. */
const suffixEnd = '~'

/** Age in microseconds from which an entry has reached all replicas. */
export const settledMicros = 60_000_000

type PartQuery = {
  limit: number
  /** Key after which the query starts. */
  start?: Record<string, unknown>
  ascending?: boolean
  isExact: boolean
  attributes?: readonly string[]
}

/** Sends one query of a part. A pointer gets the log id of its entry as `sk`. */
export async function queryPart({ pk, range, pointers }: Part, query: PartQuery) {
  const { limit, start, ascending = false, isExact, attributes } = query
  const answer = await table().send(
    new QueryCommand({
      TableName: tableName(),
      ConsistentRead: isExact,
      ScanIndexForward: ascending,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: { ':pk': pk, ':first': range.first, ':last': range.last + suffixEnd },
      ExclusiveStartKey: start,
      Limit: limit,
      ReturnConsumedCapacity: 'TOTAL',
      ...(attributes && projectionOf(attributes)),
    }),
  )
  const stored = (answer.Items ?? []) as LogItem[]
  return {
    items: pointers
      ? stored.map((item) => ({ ...item, sk: item.sk.slice(0, idLength), pointer: true as const }))
      : stored,
    next: answer.LastEvaluatedKey,
    units: answer.ConsumedCapacity?.CapacityUnits ?? 0,
  }
}

async function* readPart(part: Part, walk: PartWalk, expected = 100): AsyncGenerator<LogItem> {
  // Counting needs only the ids, because pointers find the entries of an actor, email or object.
  const attributes = walk.counting ? ['sk'] : walk.attributes
  let start: Record<string, unknown> | undefined
  // A response of DynamoDB ends after 1 MB. The next request then reads only the rest of the expected items.
  let read = 0
  for (let limit = Math.min(maxPageSize, expected); ; limit = Math.min(maxPageSize, limit * 2)) {
    const needed = walk.budget?.left ?? maxPageSize
    const wanted = Math.min(read < expected ? expected - read : maxPageSize, needed)
    const { items, next } = await queryPart(part, {
      limit: Math.min(limit, Math.max(minPageSize, wanted)),
      start,
      ascending: walk.ascending,
      // Reads entries older than a minute with eventual consistency, because they have reached all replicas.
      isExact: !((walk.counting || walk.relaxed) && instantOf(part.range.last) < clock.now() - settledMicros),
      attributes,
    })
    yield* items
    read += items.length
    start = next
    if (!start) return
  }
}

type MergeInput = { next: LogItem; remaining: AsyncGenerator<LogItem> }

export async function openInputs(all: AsyncGenerator<LogItem>[]): Promise<MergeInput[]> {
  const inputs = all.map(async (remaining) => {
    const { value: next } = await remaining.next()
    return next ? [{ next, remaining }] : []
  })
  return (await Promise.all(inputs)).flat()
}

export async function openParts(parts: Part[], walk: PartWalk): Promise<MergeInput[]> {
  // With many parts, the first page of each part has twice the part's share of the expected items, or one share while counting.
  const twice = walk.counting ? 1 : 2
  const share = Math.ceil((twice * (walk.expected ?? 100)) / parts.length)
  const expected = parts.length > 4 ? Math.max(minPageSize, share) : walk.expected
  return openInputs(parts.map((part) => readPart(part, walk, expected)))
}

export async function* merge(all: MergeInput[], ascending = false): AsyncGenerator<LogItem> {
  const sign = ascending ? 1 : -1
  for (let inputs = all; inputs.length > 0; ) {
    const first = inputs.reduce((a, b) => (sign * compareIds(a.next.sk, b.next.sk) <= 0 ? a : b))
    yield first.next
    const { value: next } = await first.remaining.next()
    if (next) first.next = next
    else inputs = inputs.filter((input) => input !== first)
  }
}
