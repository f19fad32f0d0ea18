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

async function* readPart({ pk, range, pointers }: Part, walk: PartWalk, expected = 100): AsyncGenerator<LogItem> {
  // Counting needs only the ids, because pointers find the entries of an actor, email or object.
  const names = walk.counting ? ['sk'] : walk.attributes
  let start: Record<string, unknown> | undefined
  // A response of DynamoDB ends after 1 MB. The next request then reads only the rest of the expected items.
  let read = 0
  for (let limit = Math.min(maxPageSize, expected); ; limit = Math.min(maxPageSize, limit * 2)) {
    const needed = walk.budget?.left ?? maxPageSize
    const wanted = Math.min(read < expected ? expected - read : maxPageSize, needed)
    const answer = await table().send(
      new QueryCommand({
        TableName: tableName(),
        // Reads entries older than a minute with eventual consistency, because they have reached all replicas.
        ConsistentRead: !((walk.counting || walk.relaxed) && instantOf(range.last) < clock.now() - 60_000_000),
        ScanIndexForward: walk.ascending ?? false,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
        ExpressionAttributeValues: { ':pk': pk, ':first': range.first, ':last': range.last + suffixEnd },
        ExclusiveStartKey: start,
        Limit: Math.min(limit, Math.max(minPageSize, wanted)),
        ...(names && projectionOf(names)),
      }),
    )
    for (const item of (answer.Items ?? []) as LogItem[]) {
      yield pointers ? { ...item, sk: item.sk.slice(0, idLength), pointer: true } : item
    }
    read += answer.ScannedCount ?? limit
    start = answer.LastEvaluatedKey
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
