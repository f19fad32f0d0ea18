import { clock } from '../core/clock.ts'
import { table, tableName } from '../table/client.ts'
import { PassingQueryCommand, QueryCommand } from '../table/commands.ts'
import { projectionOf } from '../table/projection.ts'
import { instantOf } from './log-id.ts'
import { compareIds, type IdRange } from './log-order.ts'

/** An entry as it is stored, large attributes packed, or a pointer to one; `sk` is its log id. */
export type LogItem = Record<string, unknown> & {
  sk: string
  pointer?: true
  /** Of a flow: the ingest of its first report, and its end. */
  at?: number
  fend?: number | bigint
  subject?: { actor_id?: string; actor_email?: string } | null
}

export type Part = {
  pk: string
  range: IdRange
  /** Its items are pointers to entries. */
  pointers?: true
  /** Only items that satisfy this are handed over. */
  filter?: { expression: string; values: Record<string, unknown> }
}
/** Parts that have to be looked up first. */
export type LazyParts = () => Promise<Part[]>

export type Reading = {
  /** Oldest first instead of newest first. */
  ascending?: boolean
  /** How many items are expected to be taken of a part. */
  expected?: number
  /** Only what tells whether an entry matches is read. */
  counting?: boolean
  /** How many more are wanted of all parts together: what is only counted is not read beyond that. */
  wanted?: { left: number }
  /** What is older than a minute is read at half the price. */
  relaxed?: boolean
  /** Only these attributes are read, of entries that are looked at and let go. */
  passing?: readonly string[]
}

const matched = ['sk', 'at', 'fend', 'auth', 'actor', 'actor_id', 'subject']

const mostAtOnce = 1_000
const leastAtOnce = 8
const idLength = 24
/** Sorts behind everything that follows an id in a key. */
const behind = '~'

/** Reads one part in one direction, in pages that grow. */
export class PartReader {
  private readonly part: Part
  private readonly reading: Reading
  private page: LogItem[] = []
  private done = false
  private start: Record<string, unknown> | undefined
  private limit: number

  constructor(part: Part, reading: Reading) {
    this.part = part
    this.reading = reading
    this.limit = Math.min(mostAtOnce, reading.expected ?? 100)
  }

  get head(): LogItem | undefined {
    return this.page[0]
  }

  /** Leaves the head behind. */
  drop(): void {
    this.page.shift()
  }

  async fill(): Promise<void> {
    while (this.page.length === 0 && !this.done) {
      await this.read(this.part.range)
      this.limit = Math.min(mostAtOnce, this.limit * 2)
      this.done = this.start === undefined
    }
  }

  private async read({ first, last }: IdRange): Promise<void> {
    const { pk, pointers, filter } = this.part
    const { counting, passing, relaxed } = this.reading
    const names = counting ? matched : passing
    const Command = passing ? PassingQueryCommand : QueryCommand
    const answer = await table().send(
      new Command({
        TableName: tableName(),
        // What is older than a minute looks the same everywhere.
        ConsistentRead: !((counting || relaxed) && instantOf(last) < clock.now() - 60_000_000),
        ScanIndexForward: this.reading.ascending ?? false,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
        FilterExpression: filter?.expression,
        ExpressionAttributeValues: { ':pk': pk, ':first': first, ':last': last + behind, ...filter?.values },
        ExclusiveStartKey: this.start,
        Limit: Math.min(this.limit, Math.max(leastAtOnce, this.reading.wanted?.left ?? mostAtOnce)),
        ...(names && projectionOf(names)),
      }),
    )
    const items = (answer.Items ?? []) as LogItem[]
    this.page = pointers ? items.map((item) => ({ ...item, sk: item.sk.slice(0, idLength), pointer: true })) : items
    this.start = answer.LastEvaluatedKey
  }
}

/** Readers that have fetched their first page. */
export async function openParts(some: (Part | LazyParts)[], reading: Reading): Promise<PartReader[]> {
  const parts = (await Promise.all(some.map((part) => (typeof part === 'function' ? part() : part)))).flat()
  // Of several parts each has its share, and as much again in case it has more; a part that has still more is read on.
  const twice = reading.counting ? 1 : 2
  const share = Math.ceil((twice * (reading.expected ?? 100)) / parts.length)
  const expected = parts.length > 4 ? Math.max(leastAtOnce, share) : undefined
  const readers = parts.map((part) => new PartReader(part, { ...reading, ...(expected && { expected }) }))
  await Promise.all(readers.map((reader) => reader.fill()))
  return readers
}

/** Items of several parts in order. */
export async function* mergeParts(readers: PartReader[], ascending = false): AsyncGenerator<LogItem> {
  const sign = ascending ? 1 : -1
  for (;;) {
    let next: { reader: PartReader; item: LogItem } | undefined
    for (const reader of readers) {
      const item = reader.head
      if (item && (!next || sign * compareIds(item.sk, next.item.sk) < 0)) next = { reader, item }
    }
    if (!next) return
    next.reader.drop()
    yield next.item
    if (next.reader.head === undefined) await next.reader.fill()
  }
}
