import { queryItems } from '../table/read.ts'
import { type FlowFilter, type FlowSearch, flowIds, flowParts, joined } from './flow-parts.ts'
import {
  flowSlicesPartition,
  longFlowClasses,
  longFlowsPartition,
  openFlowsPartition,
  shortFlowMicros,
  sliceMicros,
  sliceSort,
} from './flows/flow-index.ts'
import { lastLogMicros } from './log-id.ts'
import { type LazyParts, type LogItem, mergeParts, openParts, type Part, type Reading } from './part-reader.ts'

type Search = FlowSearch & Reading & { begin: number }

const open: FlowFilter = { expression: 'attribute_not_exists(fend)' }

/**
 * Flows that began before `begin` and can have lasted until then, in order: short ones by their start, long ones by
 * their pointers, open ones by theirs, or among all of the few slices whose open flows have no pointers yet.
 */
export async function* walkEarlierFlows(search: Search): AsyncGenerator<LogItem> {
  const begin = Math.min(search.begin, lastLogMicros + 1)
  if (begin <= 0) return
  const readers = await openParts(await earlierParts(search, begin), search)
  yield* mergeParts(readers, search.ascending)
}

async function earlierParts(search: Search, begin: number): Promise<(Part | LazyParts)[]> {
  const { account } = search
  const lasting: FlowFilter = { expression: 'fend > :begin', values: { ':begin': begin } }
  const lastingOrOpen: FlowFilter = { ...lasting, expression: `${open.expression} OR ${lasting.expression}` }
  const recent = begin - shortFlowMicros
  const pointers = (pk: string, from: number, ...filters: FlowFilter[]): Part[] => {
    const ids = flowIds(search, from, recent - 1)
    return ids ? [{ pk, range: ids, pointers: true, filter: joined(search, filters) }] : []
  }
  const [short, ...unsettled] = await Promise.all([
    flowParts(search, recent, begin - 1, lastingOrOpen),
    ...(await slicesBefore(account, recent)).map((slice) =>
      flowParts(search, slice, Math.min(slice + sliceMicros, recent) - 1, open),
    ),
  ])
  return [
    ...[short ?? [], ...unsettled].flat(2),
    ...pointers(openFlowsPartition(account), 0),
    ...longFlowClasses.flatMap(({ place, shorterThan }) =>
      pointers(longFlowsPartition(account, place), Math.max(0, begin - shorterThan), lasting),
    ),
  ]
}

/** Slices that began before, and whose open flows have no pointers yet. */
async function slicesBefore(account: string, micros: number): Promise<number[]> {
  const marks = await queryItems(flowSlicesPartition(account), {
    after: sliceSort(Math.max(0, micros)),
    backward: true,
  })
  return marks.map(({ sk }) => Number(sk))
}
