import { hourMicros, hourStart } from '../../core/clock.ts'
import { weightOf } from '../../table/large-attributes.ts'
import { queryItems, type Range, type StoredItem } from '../../table/read.ts'
import type { ArchiveView } from '../blocks/archive-view.ts'
import type { IdWalk } from '../blocks/block-content.ts'
import { hourSort, parseHour } from '../blocks/block-keys.ts'
import type { HourFinder } from '../counters/hour-finder.ts'
import { commonIds, type IdRange, idsBetween, instantOf } from '../entries/log-id.ts'
import { type FiledFlow, type FlowChunk, type FlowSource, flowSource } from '../flows/merge-flows.ts'
import { queryWithin } from '../flows/read-budget.ts'
import {
  type FileItem,
  filePartition,
  type LateItem,
  lateGroups,
  latePartition,
  type RowGroup,
  readLateItem,
  rowGroups,
} from './file-index.ts'
import { type FlowFiles, isPastRetention } from './flow-files.ts'

/**
 * Position in the archive, and the time before which flows that ended are not needed. `finder` excludes hours without a matching flow.
 */
export type FileWalk = IdWalk & { files: FlowFiles; endsAfter: number; finder?: HourFinder }

/** Returns a source for the flows of a row group in the range, or no source if the row group has none. */
function groupSource(group: RowGroup, range: IdRange, { files, ascending, finder }: FileWalk): FlowSource[] {
  const wanted = commonIds(group, range)
  if (!wanted || isPastRetention(group)) return []
  const { first, last } = wanted
  const read = async () => {
    const isWanted = finder ? await finder.mayMatch(group.hour, wanted) : true
    const rows = isWanted ? await files.rows(group) : []
    if (isWanted === null || rows === null) return null
    const flows: FiledFlow[] = []
    for (const row of rows) {
      const sk = String(row.log_id)
      if (sk < first || sk > last) continue
      // A row without an end hides repeated reports of its flow, which is erased or whose retention has ended.
      const fend = row.flow_end === null ? undefined : Number(row.flow_end)
      flows.push({ sk, at: Number(row.timestamp), fend, row })
    }
    return ascending ? flows : flows.reverse()
  }
  return [flowSource(instantOf(ascending ? first : last), read)]
}

/** Reads items of the index; null if the budget is exhausted. */
const queryIndex = <T extends StoredItem>(pk: string, range: Range, { budget }: FileWalk): Promise<T[] | null> =>
  queryWithin(budget, range.relaxed === true, async (onRead) => {
    const items = await queryItems<T>(pk, range)
    for (const item of items) onRead(weightOf(item))
    return items
  })

const firstLimit = 4
const maxLimit = 256

/** Files of the flushed hours that flows of the range can belong to, without late flows. */
export class HourSource implements FlowSource {
  bound: number | null
  private readonly view: ArchiveView
  private readonly walk: FileWalk
  private readonly between: readonly [first: string, last: string]
  private limit = firstLimit
  private start: string | undefined

  constructor(view: ArchiveView, walk: FileWalk) {
    const [first, last] = [instantOf(walk.range.first), instantOf(walk.range.last)]
    this.view = view
    this.walk = walk
    // A flow belongs to the hour of its start or to the next hour, and ends before that hour ends.
    const earliest = Math.max(first, walk.endsAfter)
    const latest = Math.min(hourStart(last) + hourMicros, view.watermark - hourMicros)
    this.between = [hourSort(earliest), `${hourSort(Math.max(0, latest))}~`]
    this.bound = hourStart(earliest) > latest ? null : walk.ascending ? first : last
  }

  async read(): Promise<FlowChunk> {
    const { view, walk, between, limit } = this
    const { account, relaxed } = view
    const range = { between, start: this.start, backward: !walk.ascending, limit, relaxed }
    const items = await queryIndex<FileItem>(filePartition(account), range, walk)
    if (!items) return {}
    this.limit = Math.min(4 * limit, maxLimit)
    const last = items.at(-1)
    if (!last || items.length < limit) this.bound = null
    else {
      const hour = parseHour(last.sk.slice(0, 13))
      this.start = last.sk
      this.bound = walk.ascending
        ? Math.max(this.bound ?? 0, hour - hourMicros)
        : Math.min(this.bound ?? 0, hour + hourMicros - 1)
    }
    return {
      sources: items.flatMap(rowGroups).flatMap((group) => {
        const usual = idsBetween('flow', group.hour - hourMicros, group.hour + hourMicros - 1)
        const range = usual && commonIds(usual, walk.range)
        return range ? groupSource(group, range, walk) : []
      }),
    }
  }
}

/** Late flows of the flushed hours. */
export class LateSource implements FlowSource {
  bound: number | null
  private readonly view: ArchiveView
  private readonly walk: FileWalk
  private limit = firstLimit
  private start: string | undefined

  constructor(view: ArchiveView, walk: FileWalk) {
    const { range, ascending } = walk
    this.view = view
    this.walk = walk
    this.bound = view.watermark === 0 ? null : instantOf(ascending ? range.first : range.last)
  }

  async read(): Promise<FlowChunk> {
    const { view, walk } = this
    const { account, relaxed, watermark } = view
    const earliest = Math.max(instantOf(walk.range.first), walk.endsAfter)
    // An ascending walk needs all items, because the flows of each of them can have started at any time before.
    const limit = walk.ascending ? undefined : this.limit
    const range = { between: [hourSort(earliest), '~'] as const, start: this.start, backward: true, limit, relaxed }
    const items = await queryIndex<LateItem>(latePartition(account), range, walk)
    if (!items) return {}
    this.limit = Math.min(4 * this.limit, maxLimit)
    const last = items.at(-1)
    if (!last || limit === undefined || items.length < limit) this.bound = null
    else {
      this.start = last.sk
      this.bound = Math.min(this.bound ?? 0, readLateItem(last).latestEnd + hourMicros - 1)
    }
    const late = items.map(readLateItem).filter(({ hour }) => hour < watermark)
    return { sources: late.flatMap(lateGroups).flatMap((group) => groupSource(group, walk.range, walk)) }
  }
}
