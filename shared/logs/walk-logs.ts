import { clock, dayMicros } from '../core/clock.ts'
import { weightOf } from '../table/large-attributes.ts'
import { storedItems } from '../table/read.ts'
import { clampMicros, type LogStream, streamOf } from './entries/log-id.ts'
import { dayOf, flowKey, logKeys, logPartition, namedPartition } from './entries/log-keys.ts'
import { flowParts, walkEarlierFlows } from './flow-parts.ts'
import { headsOf, idsAhead, type LogItem, merge, openParts, type Part, type PartWalk } from './part-reader.ts'

/** Batches stay below this size, so that few large entries are read that a page has no room for. */
const maxBatchBytes = 2_000_000

/** The items of a walk by the batches that are looked at together. */
export async function* inBatches(
  items: AsyncIterable<LogItem>,
  { expected = 100 }: PartWalk,
): AsyncGenerator<LogItem[]> {
  const size = Math.min(200, expected)
  let batch: LogItem[] = []
  let bytes = 0
  for await (const item of items) {
    batch.push(item)
    bytes += weightOf(item)
    if (batch.length < size && bytes < maxBatchBytes) continue
    yield batch
    batch = []
    bytes = 0
  }
  yield batch
}

/**
 * The entries of the window in order, each once, read page by page as they are taken. Flows that began before it come
 * last, newest first; some of them may have ended before it.
 */
export async function* walkLogs(walk: PartWalk): AsyncGenerator<LogItem> {
  // A pointer is enough to be counted where its name is the only condition.
  const isEnough = ({ sk }: LogItem) => Boolean(walk.counting && walk.named?.alone) && streamOf(sk) !== 'flow'
  const leadsOn = (item: LogItem) => item.pointer === true && !isEnough(item)
  for await (const batch of inBatches(inOrder(walk), walk)) {
    const keys = batch.filter(leadsOn).flatMap(({ sk, actor }) => targetOf(walk.account, sk, actor))
    const entries = storedItems<LogItem>(keys)
    for (const item of batch) {
      const entry = leadsOn(item) ? (await entries.next()).value : item
      if (entry) yield entry
    }
  }
}

/** The only key that a pointer points to. */
const targetOf = (account: string, id: string, actor: unknown) =>
  streamOf(id) === 'flow' ? [flowKey(account, String(actor), id)] : logKeys(account, id)

async function* inOrder(walk: PartWalk): AsyncGenerator<LogItem> {
  // Several pointers can point to a flow that is also found by its start.
  let last: string | undefined
  for await (const item of withEarlierFlows(walk)) {
    if (item.sk !== last) yield item
    last = item.sk
  }
}

async function* withEarlierFlows(walk: PartWalk): AsyncGenerator<LogItem> {
  const flows = walk.streams.includes('flow')
  if (flows && walk.ascending) yield* walkEarlierFlows(walk)
  // Each stream is first read for its share, and half as much again in case it has more.
  const expected = Math.ceil(((walk.expected ?? 100) * 1.5) / Math.max(1.5, walk.streams.length))
  const streams = walk.streams.map((stream) => walkStream({ ...walk, expected }, stream))
  yield* merge(await headsOf(streams), walk.ascending)
  if (flows && !walk.ascending) yield* walkEarlierFlows(walk)
}

async function* walkStream(walk: PartWalk, stream: LogStream): AsyncGenerator<LogItem> {
  const { expected = 100 } = walk
  const days = stream === 'flow' ? await flowParts(walk, walk.begin, walk.end) : partsOf(walk, stream)
  if (!walk.ascending) days.reverse()
  // Reads as many days at once as the rest should take, judged by the days before; twice as many after empty ones.
  let found = 0
  for (let at = 0, width = 1; at < days.length; ) {
    const ofDay = Math.ceil(Math.max(expected - found, expected / 4) / width)
    const reading = walk.counting ? { ...walk, expected: ofDay } : walk
    const group = days.slice(at, at + width).map((parts) => openParts(parts, reading))
    for (const heads of await Promise.all(group)) {
      for await (const item of merge(heads, walk.ascending)) {
        found++
        yield item
      }
    }
    at += width
    const needed = Math.ceil(((expected - found) * at) / Math.max(1, found))
    // Counting is paid for: the newest day, of which there may be minutes, says nothing about the others.
    width = Math.max(1, Math.min(16, walk.counting && at === 1 ? 1 : width * 2, needed))
  }
}

/**
 * The partitions of the window, oldest day first, or the one with the pointers of a name. Only flows can be of the
 * future; a day of tolerance is for clocks that differ.
 */
function partsOf(walk: PartWalk, stream: Exclude<LogStream, 'flow'>): Part[][] {
  const { account, named } = walk
  const begin = clampMicros(Math.max(walk.begin, walk.oldest ?? 0))
  const end = Math.min(walk.end, clock.now() + dayMicros)
  const partOf = (pk: string, from: number, to: number, pointers?: true): Part[][] => {
    const range = idsAhead(walk, stream, from, to)
    return range ? [[{ pk, range, pointers }]] : []
  }
  if (named) return partOf(namedPartition(account, stream, named.field, named.value), begin, end, true)
  const days: Part[][] = []
  for (let day = Math.floor(begin / dayMicros) * dayMicros; day <= end; day += dayMicros) {
    const pk = logPartition(account, stream, dayOf(day))
    days.push(...partOf(pk, Math.max(begin, day), Math.min(end, day + dayMicros - 1)))
  }
  return days
}
