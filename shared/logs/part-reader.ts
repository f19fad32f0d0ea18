import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import { clock } from '../core/clock.ts'
import { projectionOf } from '../table/read.ts'
import { table, tableName } from '../table/table.ts'
import { beyond, compareIds, type IdRange, idsBetween, instantOf, type LogStream } from './entries/log-id.ts'
import type { NamedField } from './entries/log-keys.ts'

/** An entry as it is stored, large attributes packed, or a pointer to one; `sk` is its log id. */
export type LogItem = Record<string, unknown> & {
  sk: string
  pointer?: true
  /** Ingest of the first report of a flow, and its end. */
  at?: number
  fend?: number | bigint
  subject?: { actor_id?: string; actor_email?: string } | null
}

/** A walk through streams of an account. */
export type PartWalk = {
  account: string
  streams: LogStream[]
  /** Only entries that name this actor, email or object; `alone` where that is the only condition. */
  named?: { field: NamedField; value: string; alone: boolean }
  /** Only flows of these actors. */
  flowActors?: string[] | null
  /** The window, in microseconds. */
  begin: number
  end: number
  /** Before this instant there are only flows. */
  oldest?: number
  /** Only entries beyond this one, in the direction of the walk. */
  from?: string
  /** Oldest first instead of newest first. */
  ascending?: boolean
  /** Number of items that are expected to be taken. */
  expected?: number
  /** Only the attributes that the conditions are tested on are read. */
  counting?: boolean
  /** How many more are wanted: entries that are only counted are not read beyond that. */
  wanted?: { left: number }
  /** Entries older than a minute are read at half the price. */
  relaxed?: boolean
  /** Only these attributes are read. */
  passing?: readonly string[]
}

/** Ids from `begin` to `end` that are still ahead of the walk. */
export function idsAhead({ from, ascending = false }: PartWalk, stream: LogStream, begin: number, end: number) {
  const ids = idsBetween(stream, begin, end)
  return ids && from !== undefined ? beyond(ids, from, ascending) : ids
}

export type Part = {
  pk: string
  range: IdRange
  /** Its items are pointers to entries. */
  pointers?: true
  filter?: { expression: string; values: Record<string, unknown> }
}
/** Parts that are looked up when their day is read. */
export type LazyParts = () => Promise<Part[]>

const matched = ['sk', 'at', 'fend', 'auth', 'actor', 'actor_id', 'subject']

const maxAtOnce = 1_000
const minAtOnce = 8
const idLength = 24
/** Sorts behind everything that follows an id in a key. */
const behind = '~'

/** The items of a part, in pages that grow. */
async function* readPart(
  { pk, range, pointers, filter }: Part,
  walk: PartWalk,
  expected = 100,
): AsyncGenerator<LogItem> {
  const names = walk.counting ? matched : walk.passing
  let start: Record<string, unknown> | undefined
  for (let limit = Math.min(maxAtOnce, expected); ; limit = Math.min(maxAtOnce, limit * 2)) {
    const answer = await table().send(
      new QueryCommand({
        TableName: tableName(),
        // All replicas have what is older than a minute.
        ConsistentRead: !((walk.counting || walk.relaxed) && instantOf(range.last) < clock.now() - 60_000_000),
        ScanIndexForward: walk.ascending ?? false,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
        FilterExpression: filter?.expression,
        ExpressionAttributeValues: {
          ':pk': pk,
          ':first': range.first,
          ':last': range.last + behind,
          ...filter?.values,
        },
        ExclusiveStartKey: start,
        Limit: Math.min(limit, Math.max(minAtOnce, walk.wanted?.left ?? maxAtOnce)),
        ...(names && projectionOf(names)),
      }),
    )
    for (const item of (answer.Items ?? []) as LogItem[]) {
      yield pointers ? { ...item, sk: item.sk.slice(0, idLength), pointer: true } : item
    }
    start = answer.LastEvaluatedKey
    if (!start) return
  }
}

/** The next of some items that are read one by one, and the others. */
type Head = { item: LogItem; others: AsyncGenerator<LogItem> }

/** Reads the first of each, all at once. */
export async function headsOf(all: AsyncGenerator<LogItem>[]): Promise<Head[]> {
  const heads = all.map(async (others) => {
    const { value: item } = await others.next()
    return item ? [{ item, others }] : []
  })
  return (await Promise.all(heads)).flat()
}

export async function openParts(some: (Part | LazyParts)[], walk: PartWalk): Promise<Head[]> {
  const parts = (await Promise.all(some.map((part) => (typeof part === 'function' ? part() : part)))).flat()
  // Reads each of several parts for its share, and as much again in case it holds more.
  const twice = walk.counting ? 1 : 2
  const share = Math.ceil((twice * (walk.expected ?? 100)) / parts.length)
  const expected = parts.length > 4 ? Math.max(minAtOnce, share) : walk.expected
  return headsOf(parts.map((part) => readPart(part, walk, expected)))
}

/** Merges items in order. */
export async function* merge(all: Head[], ascending = false): AsyncGenerator<LogItem> {
  const sign = ascending ? 1 : -1
  for (let heads = all; heads.length > 0; ) {
    const first = heads.reduce((a, b) => (sign * compareIds(a.item.sk, b.item.sk) <= 0 ? a : b))
    yield first.item
    const { value: item } = await first.others.next()
    if (item) first.item = item
    else heads = heads.filter((head) => head !== first)
  }
}
