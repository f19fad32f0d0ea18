import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import { clock } from '../clock.ts'
import { flowDaysPartition } from '../flows/flow-store.ts'
import { table, tableName } from '../table/client.ts'
import { unpackLarge } from '../table/large-attributes.ts'
import { queryItems } from '../table/read.ts'
import { idFrom, idUntil, type LogStream, lastLogMicros, parseLogId } from './log-id.ts'
import { dayOf, flowShard, logPartition } from './log-keys.ts'

export type LogItem = Record<string, unknown> & { sk: string }

/** What to walk through: streams, the window in microseconds, and for flows the actor whose shard is enough. */
export type Walk = {
  account: string
  streams: LogStream[]
  begin: number
  end: number
  actorId: string | null
  /** Only entries beyond this one, in the direction of the walk. */
  from?: string
  /** Oldest first instead of newest first. */
  ascending?: boolean
  /** Only what tells whether an entry matches is read, in large pages. */
  counting?: boolean
}

type Part = { stream: LogStream; pk: string; first: string; last: string }

const dayMicros = 86_400_000_000

/** Order of entries across streams: the time in the id, then the id (L2.3). */
export function compareIds(a: string, b: string): number {
  const [left, right] = [a.slice(1, 14), b.slice(1, 14)]
  if (left !== right) return left < right ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

/** Entries in order, read page by page as they are asked for, a day of partitions at a time. */
export async function* walkLogs(walk: Walk): AsyncGenerator<LogItem> {
  const days = await partsByDay(walk)
  const dates = [...days.keys()].sort()
  if (!walk.ascending) dates.reverse()
  // The first pages of ever more days are asked for at once: a busy day is enough for a page, and a stretch of empty
  // days costs few round trips.
  for (let at = 0, width = 1; at < dates.length; at += width, width = Math.min(16, width * 2)) {
    const group = dates
      .slice(at, at + width)
      .map((date) => (days.get(date) as Part[]).map((part) => new PartReader(part, walk)))
    await Promise.all(group.flat().map((reader) => reader.fill()))
    for (const readers of group) yield* merge(readers, walk.ascending ?? false)
  }
}

async function* merge(readers: PartReader[], ascending: boolean): AsyncGenerator<LogItem> {
  const sign = ascending ? 1 : -1
  await Promise.all(readers.map((reader) => reader.fill()))
  for (;;) {
    const heads = readers.filter((reader) => reader.head !== undefined)
    if (heads.length === 0) return
    const next = heads.reduce((a, b) =>
      sign * compareIds((a.head as LogItem).sk, (b.head as LogItem).sk) <= 0 ? a : b,
    )
    yield next.take()
    await next.fill()
  }
}

const matchedNames = ['sk', 'at', 'fend', 'auth', 'actor', 'actor_id', 'subject']
const matchedAttributes = {
  ProjectionExpression: matchedNames.map((name) => `#${name}`).join(', '),
  ExpressionAttributeNames: Object.fromEntries(matchedNames.map((name) => [`#${name}`, name])),
}

/** Reads one partition in one direction, a page at a time. */
class PartReader {
  private readonly part: Part
  private readonly ascending: boolean
  private readonly counting: boolean
  private page: LogItem[] = []
  private start: Record<string, unknown> | undefined
  private done = false

  constructor(part: Part, { ascending = false, counting = false }: Walk) {
    this.part = part
    this.ascending = ascending
    this.counting = counting
  }

  get head(): LogItem | undefined {
    return this.page[0]
  }

  take(): LogItem {
    return this.page.shift() as LogItem
  }

  async fill(): Promise<void> {
    while (this.page.length === 0 && !this.done) {
      const answer = await table().send(
        new QueryCommand({
          TableName: tableName(),
          ConsistentRead: true,
          ScanIndexForward: this.ascending,
          KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
          ExpressionAttributeValues: { ':pk': this.part.pk, ':first': this.part.first, ':last': this.part.last },
          ExclusiveStartKey: this.start,
          Limit: this.counting ? 1_000 : 100,
          ...(this.counting && matchedAttributes),
        }),
      )
      this.page = (answer.Items ?? []).map(unpackLarge) as LogItem[]
      this.start = answer.LastEvaluatedKey
      this.done = this.start === undefined
    }
  }
}

/** The partitions to read, by day. Bounds are ids; those beyond `from` are cut off. */
async function partsByDay(walk: Walk): Promise<Map<string, Part[]>> {
  const days = new Map<string, Part[]>()
  const add = (date: string, part: Part) => {
    const bounded = beyond(part, walk)
    if (bounded.first <= bounded.last) days.set(date, [...(days.get(date) ?? []), bounded])
  }
  for (const stream of walk.streams) {
    if (stream === 'flow') {
      for (const [date, shard] of await flowDays(walk)) {
        // A flow that began before the window can overlap it, so only the end bounds its start (L2.4).
        add(date, {
          stream,
          pk: logPartition(walk.account, stream, date, shard),
          first: idFrom(stream, 0),
          last: idUntil(stream, clamp(walk.end)),
        })
      }
    } else {
      // Only flows can lie in the future; the day beyond now is room for clocks that differ.
      const end = Math.min(clamp(walk.end), clock.now() + dayMicros)
      for (let at = Math.floor(clamp(walk.begin) / dayMicros) * dayMicros; at <= end; at += dayMicros) {
        const pk = logPartition(walk.account, stream, dayOf(at))
        add(dayOf(at), { stream, pk, first: idFrom(stream, clamp(walk.begin)), last: idUntil(stream, clamp(walk.end)) })
      }
    }
  }
  return days
}

const clamp = (micros: number): number => Math.min(lastLogMicros, Math.max(0, micros))

/** Cuts a part at the entry the walk starts beyond: an id of another stream cuts by time, then by its first character. */
function beyond(part: Part, { from, ascending }: Walk): Part {
  if (from === undefined) return part
  const micros = (parseLogId(from) as { micros: number }).micros
  const code = part.first[0] as string
  const cut =
    code === from[0] ? from : code < (from[0] as string) ? idUntil(part.stream, micros) : idFrom(part.stream, micros)
  if (ascending) {
    const first = code < (from[0] as string) || code === from[0] ? next(cut) : cut
    return { ...part, first: later(first, part.first) }
  }
  const last = code > (from[0] as string) || code === from[0] ? previous(cut) : cut
  return { ...part, last: earlier(last, part.last) }
}

const later = (a: string, b: string): string => (compareIds(a, b) > 0 ? a : b)
const earlier = (a: string, b: string): string => (compareIds(a, b) < 0 ? a : b)

const step = (id: string, by: bigint): string => (BigInt(`0x${id}`) + by).toString(16).padStart(24, '0')
const next = (id: string): string => step(id, 1n)
const previous = (id: string): string => step(id, -1n)

/** Days and shards that hold flows and can overlap the window. */
async function flowDays({ account, end, actorId }: Walk): Promise<[date: string, shard: number][]> {
  const wanted = actorId === null ? null : flowShard(actorId)
  const marks = await queryItems(flowDaysPartition(account))
  const now = clock.now()
  return marks.flatMap(({ sk, ttl }): [string, number][] => {
    const [date = '', shard] = String(sk).split('#')
    if (Number(ttl) * 1_000_000 <= now) return []
    const fits = date <= dayOf(clamp(end)) && (wanted === null || wanted === Number(shard))
    return fits ? [[date, Number(shard)]] : []
  })
}
