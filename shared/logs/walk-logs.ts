import { clock, dayMicros } from '../core/clock.ts'
import { flowParts } from './flow-parts.ts'
import { followPointers } from './follow-pointers.ts'
import { type LogStream, streamOf } from './log-id.ts'
import { dayOf, logPartition, type NamedField, namedPartition } from './log-keys.ts'
import { beyond, clampMicros, compareIds, idsBetween } from './log-order.ts'
import { type LogItem, mergeParts, openParts, type Part, type Reading } from './part-reader.ts'
import { walkEarlierFlows } from './walk-earlier-flows.ts'

/** A walk through streams; its window is in microseconds. */
export type Walk = Reading & {
  account: string
  streams: LogStream[]
  /** Only entries that name this actor, email or object; `alone` where nothing else is asked of them. */
  named?: { field: NamedField; value: string; alone: boolean }
  /** Only flows of these actors. */
  flowActors?: string[] | null
  begin: number
  end: number
  /** Before this instant there are only flows. */
  oldest?: number
  /** Only entries beyond this one, in the direction of the walk. */
  from?: string
}

/** So many entries are looked at together. */
export const batchSizeOf = ({ expected = 100 }: Walk): number => Math.min(200, expected)

/**
 * The entries of the window in order, read page by page as they are asked for. Flows that began before the window come
 * last, newest first; some of them may be over before it.
 */
export function walkLogs(walk: Walk): AsyncGenerator<LogItem> {
  // To be counted, a pointer is as good as its entry when the name is all that is asked for.
  const isEnough = ({ sk }: LogItem) => Boolean(walk.counting && walk.named?.alone) && streamOf(sk) !== 'flow'
  return followPointers(walk.account, inOrder(walk), batchSizeOf(walk), isEnough)
}

async function* inOrder(walk: Walk): AsyncGenerator<LogItem> {
  const flows = walk.streams.includes('flow')
  if (flows && walk.ascending) yield* walkEarlierFlows(walk)
  // Each stream is first read for its share, and half as much again in case it has more.
  const expected = Math.ceil(((walk.expected ?? 100) * 1.5) / Math.max(1.5, walk.streams.length))
  yield* mergeStreams(
    walk.streams.map((stream) => walkStream({ ...walk, expected }, stream)),
    walk.ascending ?? false,
  )
  if (flows && !walk.ascending) yield* walkEarlierFlows(walk)
}

async function* mergeStreams(streams: AsyncGenerator<LogItem>[], ascending: boolean): AsyncGenerator<LogItem> {
  const sign = ascending ? 1 : -1
  const next = async (stream: AsyncGenerator<LogItem>) => {
    const next = await stream.next()
    return next.done ? [] : [{ stream, item: next.value }]
  }
  let heads = (await Promise.all(streams.map(next))).flat()
  while (heads.length > 0) {
    const first = heads.reduce((a, b) => (sign * compareIds(a.item.sk, b.item.sk) <= 0 ? a : b))
    yield first.item
    heads = [...heads.filter((head) => head !== first), ...(await next(first.stream))]
  }
}

/** The entries of one stream. */
async function* walkStream(walk: Walk, stream: LogStream): AsyncGenerator<LogItem> {
  const days = stream === 'flow' ? await flowParts(walk, walk.begin, walk.end) : partsOf(walk, stream)
  if (!walk.ascending) days.reverse()
  // Asks for as many days at once as the rest should take, judged by the days before; after empty ones for ever more.
  let found = 0
  for (let at = 0, width = 1; at < days.length; ) {
    const reading = walk.counting ? { ...walk, expected: shareOfDay(walk, found, width) } : walk
    const group = days.slice(at, at + width).map((parts) => openParts(parts, reading))
    for (const readers of await Promise.all(group)) {
      for await (const item of mergeParts(readers, walk.ascending)) {
        found++
        yield item
      }
    }
    at += width
    const needed = Math.ceil((((walk.expected ?? 100) - found) * at) / Math.max(1, found))
    // What is counted is paid for: the newest day, of which there may be minutes, does not speak for the others.
    width = Math.max(1, Math.min(16, walk.counting && at === 1 ? 1 : width * 2, needed))
  }
}

/** How many entries to read of each of some days that are asked for together, to be counted. */
const shareOfDay = ({ expected = 100 }: Walk, found: number, days: number): number =>
  Math.ceil(Math.max(expected - found, expected / 4) / days)

/**
 * The partitions of the window, oldest day first, or the one with the pointers of a name. Only flows can lie in the
 * future; a day is room for clocks that differ.
 */
function partsOf(walk: Walk, stream: Exclude<LogStream, 'flow'>): Part[][] {
  const { account, named } = walk
  const begin = clampMicros(Math.max(walk.begin, walk.oldest ?? 0))
  const end = Math.min(walk.end, clock.now() + dayMicros)
  if (named) return partOf(walk, stream, begin, end, namedPartition(account, stream, named.field, named.value), true)
  const days: Part[][] = []
  for (let day = Math.floor(begin / dayMicros) * dayMicros; day <= end; day += dayMicros) {
    const [from, to] = [Math.max(begin, day), Math.min(end, day + dayMicros - 1)]
    days.push(...partOf(walk, stream, from, to, logPartition(account, stream, dayOf(day))))
  }
  return days
}

/** A part of what the walk has yet before it, if that is something. */
function partOf(walk: Walk, stream: LogStream, begin: number, end: number, pk: string, pointers?: true): Part[][] {
  const ids = idsBetween(stream, begin, end)
  const range = ids && walk.from !== undefined ? beyond(ids, walk.from, walk.ascending ?? false) : ids
  return range ? [[{ pk, range, pointers }]] : []
}
