import { dayMicros, hourMicros } from '../core/clock.ts'
import type { ArchiveView } from './blocks/archive-view.ts'
import { mergedUntil, readHourCounts } from './counters/count-items.ts'
import type { CountedDimension } from './counters/dimensions.ts'
import type { HourCounts } from './counters/value-counts.ts'
import type { TrafficQuery } from './traffic-query.ts'

/** Reads the counters of flushed flows that started in the window. */
export async function readCounters(view: ArchiveView, query: TrafficQuery): Promise<HourCounts[]> {
  const { begin, end, by, conditions } = query
  const isWanted = ({ hour }: HourCounts) => hour >= begin && hour < end
  const merged = mergedUntil(view.watermark)
  // Late flows of the window are found by their totals, because those are cheap to read.
  const totals = await readHourCounts(view, 'total', 'late', [begin, view.watermark])
  const late = totals.filter(({ hours }) => hours.some(isWanted)).map(({ at }) => at)
  const first = Math.min(...late)
  const last = Math.max(...late)
  const lateRange = [first, last + (last < merged ? dayMicros : hourMicros)] as const
  const dimensions: readonly CountedDimension[] = by ? [by] : (conditions[0]?.dimensions ?? ['total'])
  const groups = await Promise.all(
    dimensions.flatMap((dimension) => [
      readHourCounts(view, dimension, 'usual', [begin, end]),
      late.length === 0 ? [] : dimension === 'total' ? totals : readHourCounts(view, dimension, 'late', lateRange),
    ]),
  )
  return groups.flat().flatMap(({ hours }) => hours.filter(isWanted))
}
