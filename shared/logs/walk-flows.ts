import { type ArchiveView, readArchive } from './blocks/archive-view.ts'
import { OpenSetSource, openRank } from './blocks/open-set.ts'
import { SlotSource } from './blocks/slot-source.ts'
import { columnsOf } from './counters/dimensions.ts'
import { type FlowCondition, matchesAll } from './counters/flow-conditions.ts'
import { HourFinder } from './counters/hour-finder.ts'
import { clampMicros, type IdRange, instantOf } from './entries/log-id.ts'
import { HourSource, LateSource } from './files/file-source.ts'
import { FlowFiles } from './files/flow-files.ts'
import { FlushedIds } from './files/flushed-ids.ts'
import { isFiled, isHidden, mergeFlows, type StoredFlow } from './flows/merge-flows.ts'
import type { ReadBudget } from './flows/read-budget.ts'
import { windowsOverlap } from './match-entries.ts'
import { idsAhead, type PartWalk } from './part-reader.ts'

/** Search for flows by the range of their log ids. */
export type FlowSearch = {
  view: ArchiveView
  range: IdRange
  ascending: boolean
  /** Time before which flows that ended are not needed. */
  endsAfter: number
  conditions?: readonly FlowCondition[]
  open?: boolean | null
  /** False if the caller needs no flow of a file. */
  withFiles?: boolean
  /** Columns of files that the caller needs; all by default. */
  columns?: readonly string[]
  budget?: ReadBudget
  /** True if the budget is extended until the walk makes progress. */
  isExtensible?: boolean
}

function sourcesOf({ view, ...search }: FlowSearch) {
  const { account, watermark } = view
  const { range, ascending, endsAfter, budget, conditions = [] } = search
  const walk = { range, ascending, endsAfter, budget }
  const finder = conditions.length > 0 ? new HourFinder(view, conditions, budget) : undefined
  const files = { ...walk, finder, files: new FlowFiles(account, search) }
  return {
    buffered: [
      ...view.slots.map((slot) => new SlotSource(account, slot, walk)),
      ...(watermark > 0 ? [new OpenSetSource(view, walk)] : []),
    ],
    filed: watermark > 0 ? [new HourSource(view, files)] : [],
    late: watermark > 0 ? [new LateSource(view, files)] : [],
  }
}

/** Yields the flows of a search in order, each once, from blocks, the open set and files (R8.1). */
export async function* searchFlows(
  search: FlowSearch,
  isWanted: (flow: StoredFlow) => boolean = () => true,
): AsyncGenerator<StoredFlow> {
  const { view, range, ascending, endsAfter, conditions = [], open = null, budget } = search
  const { withFiles = open !== true } = search
  const { buffered, filed, late } = sourcesOf(search)
  const flushed = new FlushedIds(view.account, view.watermark, budget)
  // Finds repeated reports of flows in files that the walk does not read, for example because those flows ended before the window.
  const isRepeated = (flow: StoredFlow): boolean | Promise<boolean> =>
    !isFiled(flow) &&
    flow.rank !== openRank &&
    (!withFiles || conditions.length > 0 || instantOf(flow.sk) < endsAfter) &&
    flushed.has(flow.sk)
  const start = search.isExtensible ? instantOf(ascending ? range.first : range.last) : undefined
  const sources = [...buffered, ...(withFiles ? [...filed, ...late] : [])]
  for await (const flow of mergeFlows(sources, ascending, { budget, start })) {
    if (isHidden(flow)) continue
    if (open !== null && (flow.fend === undefined) !== open) continue
    if (conditions.length > 0 && !matchesAll(columnsOf(flow), conditions)) continue
    if (isWanted(flow) && !(await isRepeated(flow))) yield flow
  }
}

/** Yields the flows that overlap a window in order, each once (L2.4). */
export async function* walkFlows(walk: PartWalk): AsyncGenerator<StoredFlow> {
  const range = idsAhead(walk, 'flow', 0, walk.end)
  if (!range) return
  const { ascending = false, flowSearch } = walk
  const view = await readArchive(walk.account)
  const search = { ...flowSearch, view, range, ascending, endsAfter: clampMicros(walk.begin), isExtensible: true }
  yield* searchFlows(search, (flow) => windowsOverlap(instantOf(flow.sk), flow.fend, walk))
}

/** Finds a flow by its log id. Reads first where most flows are, and files before blocks, whose reports may repeat those of a filed flow. */
export async function findFlow(account: string, id: string): Promise<StoredFlow | undefined> {
  const view = await readArchive(account)
  const { buffered, filed, late } = sourcesOf({
    view,
    range: { first: id, last: id },
    ascending: false,
    endsAfter: instantOf(id),
  })
  for (const sources of [filed, late, buffered])
    for await (const flow of mergeFlows(sources)) return isHidden(flow) ? undefined : flow
  return undefined
}
