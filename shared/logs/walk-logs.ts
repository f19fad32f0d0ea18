import { clock, dayMicros } from '../core/clock.ts'
import { weightOf } from '../table/large-attributes.ts'
import { storedItems } from '../table/read.ts'
import { clampMicros, streamOf } from './entries/log-id.ts'
import { dayOf, logKey, logPartition, pointerPartition } from './entries/log-keys.ts'
import type { StoredStream } from './entries/log-store.ts'
import { idsAhead, type LogItem, merge, openInputs, openParts, type Part, type PartWalk } from './part-reader.ts'
import { walkFlows } from './walk-flows.ts'

/** Maximum size of a batch in bytes. Limits how many large entries a page reads beyond the size limit of the response. */
const maxBatchBytes = 2_000_000

/** Number of entries of each day that a page may read in vain. */
const smallPage = 101

/** Groups the items of a walk into batches of at most 200 items, which callers filter and render together. */
export async function* inBatches(
  items: AsyncIterable<LogItem>,
  { expected = 100 }: PartWalk,
): AsyncGenerator<LogItem[]> {
  // Ends a batch at the last expected item, because a further item could cost a further request.
  const sizeAfter = (yielded: number) => Math.min(200, expected > yielded ? expected - yielded : expected)
  let yielded = 0
  let batch: LogItem[] = []
  let bytes = 0
  for await (const item of items) {
    batch.push(item)
    bytes += weightOf(item)
    if (batch.length < sizeAfter(yielded) && bytes < maxBatchBytes) continue
    yield batch
    yielded += batch.length
    batch = []
    bytes = 0
  }
  yield batch
}

/**
 * Yields the entries of the window in order and without duplicates, and reads pages on demand. Flows that began before the window are
 * included. The caller must filter out flows that ended before the window.
 */
export async function* walkLogs(walk: PartWalk): AsyncGenerator<LogItem> {
  // A pointer suffices for counting if the pointer's field is the only condition.
  const pointerSuffices = ({ sk }: LogItem) =>
    Boolean(walk.counting && walk.pointerFilter?.isOnlyCondition) && streamOf(sk) !== 'flow'
  const needsTarget = (item: LogItem) => item.pointer === true && !pointerSuffices(item)
  for await (const batch of inBatches(mergedStreams(walk), walk)) {
    const keys = batch.filter(needsTarget).map(({ sk }) => logKey(walk.account, sk))
    const entries = storedItems<LogItem>(keys)
    for (const item of batch) {
      const entry = needsTarget(item) ? (await entries.next()).value : item
      if (entry) yield entry
    }
  }
}

async function* mergedStreams(walk: PartWalk): AsyncGenerator<LogItem> {
  // The first page of each stream has 1.5 times the stream's share of the expected items.
  const expected = Math.ceil(((walk.expected ?? 100) * 1.5) / Math.max(1.5, walk.streams.length))
  const streams = walk.streams.map((stream) =>
    stream === 'flow' ? walkFlows(walk) : walkStream({ ...walk, expected }, stream),
  )
  yield* merge(await openInputs(streams), walk.ascending)
}

async function* walkStream(walk: PartWalk, stream: StoredStream): AsyncGenerator<LogItem> {
  const { expected = 100 } = walk
  const days = partsOfWalk(walk, stream)
  if (!walk.ascending) days.reverse()
  // `width` is the number of days read concurrently. The width depends on the items found per day, at most doubles in each step, and never
  // exceeds 16.
  let found = 0
  for (let at = 0, width = 1; at < days.length; ) {
    const expectedPerDay = Math.ceil(Math.max(expected - found, expected / 4) / width)
    // A small page reads each day as if the other days were empty, which saves requests.
    const reading = { ...walk, expected: Math.max(expectedPerDay, walk.counting ? 0 : Math.min(expected, smallPage)) }
    const group = days.slice(at, at + width).map((parts) => openParts(parts, reading))
    for (const inputs of await Promise.all(group)) {
      for await (const item of merge(inputs, walk.ascending)) {
        found++
        yield item
      }
    }
    at += width
    const needed = Math.ceil(((expected - found) * at) / Math.max(1, found))
    // While counting, the second step also reads a single day. Today may have just begun, so today's items predict nothing.
    width = Math.max(1, Math.min(16, walk.counting && at === 1 ? 1 : width * 2, needed))
  }
}

/**
 * Returns the partitions of the window, oldest day first, or the single partition that contains the pointer items. Stops one day after the
 * current time, to tolerate clock skew.
 */
export function partsOfWalk(walk: PartWalk, stream: StoredStream): Part[][] {
  const { account, pointerFilter } = walk
  const begin = clampMicros(Math.max(walk.begin, walk.oldest ?? 0))
  const end = Math.min(walk.end, clock.now() + dayMicros)
  const partOf = (pk: string, from: number, to: number, pointers?: true): Part[][] => {
    const range = idsAhead(walk, stream, from, to)
    return range ? [[{ pk, range, pointers }]] : []
  }
  if (pointerFilter)
    return partOf(pointerPartition(account, stream, pointerFilter.field, pointerFilter.value), begin, end, true)
  const days: Part[][] = []
  for (let day = Math.floor(begin / dayMicros) * dayMicros; day <= end; day += dayMicros) {
    const pk = logPartition(account, stream, dayOf(day))
    days.push(...partOf(pk, Math.max(begin, day), Math.min(end, day + dayMicros - 1)))
  }
  return days
}
