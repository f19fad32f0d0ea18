import { clock } from '../clock.ts'
import { flowParts } from './flow-parts.ts'
import type { LogStream } from './log-id.ts'
import { dayMicros, dayOf, logPartition } from './log-keys.ts'
import { beyond, clampMicros, compareIds, idsBetween } from './log-order.ts'
import { type LogItem, mergeParts, openParts, type Part, type Reading } from './part-reader.ts'
import { walkEarlierFlows } from './walk-earlier-flows.ts'

/** What to walk through: streams, the window in microseconds, and for flows the actor whose shard is enough. */
export type Walk = Reading & {
  account: string
  streams: LogStream[]
  begin: number
  end: number
  /** Before this instant there are only flows. */
  oldest?: number
  actorId?: string | null
  /** Only entries beyond this one, in the direction of the walk. */
  from?: string
}

/**
 * The entries of the window in order, read page by page as they are asked for. Flows that began before the window come
 * last, newest first; some of them may be over before it.
 */
export async function* walkLogs(walk: Walk): AsyncGenerator<LogItem> {
  const flows = walk.streams.includes('flow')
  if (flows && walk.ascending) yield* walkEarlierFlows(walk)
  yield* mergeStreams(
    walk.streams.map((stream) => walkStream(walk, stream)),
    walk.ascending ?? false,
  )
  if (flows && !walk.ascending) yield* walkEarlierFlows(walk)
}

async function* mergeStreams(streams: AsyncGenerator<LogItem>[], ascending: boolean): AsyncGenerator<LogItem> {
  const sign = ascending ? 1 : -1
  const next = async (stream: AsyncGenerator<LogItem>) => {
    const { done, value } = await stream.next()
    return done ? [] : [{ stream, item: value as LogItem }]
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
  const days = stream === 'flow' ? await flowParts(walk, walk.begin, walk.end) : dailyParts(walk, stream)
  if (!walk.ascending) days.reverse()
  // The first pages of ever more days are asked for at once: a busy day is enough for a page, and a stretch of empty
  // days costs few round trips.
  for (let at = 0, width = 1; at < days.length; at += width, width = Math.min(16, width * 2)) {
    const group = days.slice(at, at + width).map((parts) => openParts(parts, walk))
    for (const readers of await Promise.all(group)) yield* mergeParts(readers, walk.ascending)
  }
}

/** The partitions of the window, oldest day first. Only flows can lie in the future; a day is room for clocks that differ. */
function dailyParts(walk: Walk, stream: LogStream): Part[][] {
  const begin = clampMicros(Math.max(walk.begin, walk.oldest ?? 0))
  const end = Math.min(walk.end, clock.now() + dayMicros)
  const days: Part[][] = []
  for (let day = Math.floor(begin / dayMicros) * dayMicros; day <= end; day += dayMicros) {
    const ids = idsBetween(stream, Math.max(begin, day), Math.min(end, day + dayMicros - 1))
    const range = ids && walk.from !== undefined ? beyond(ids, walk.from, walk.ascending ?? false) : ids
    if (range) days.push([{ pk: logPartition(walk.account, stream, dayOf(day)), ranges: [range] }])
  }
  return days
}
