import TinyQueue from 'tinyqueue'
import { compareIds, instantOf } from '../entries/log-id.ts'
import type { ReadBudget } from './read-budget.ts'
import { type BufferedFlow, mergeReports } from './stored-flow.ts'

/** Row of a flow in a file, with its attribution. Without `fend`, the flow is erased, or its retention has ended. */
export type FiledFlow = { sk: string; at: number; fend?: number; row: Record<string, unknown> }

export type StoredFlow = BufferedFlow | FiledFlow

/** Flows in the order of the walk, and sources that were found while they were read. */
export type FlowChunk = { flows?: Iterable<StoredFlow>; sources?: FlowSource[] }

/**
 * Part of the stored flows, read in chunks. No flow that is left starts after `bound`, in microseconds; in an ascending walk, none starts
 * before it. `bound` is null when no flow is left. A source that its budget refuses returns an empty chunk and keeps its bound.
 */
export type FlowSource = { readonly bound: number | null; read(): Promise<FlowChunk> }

/** Creates a source that is read at once. `load` returns null if its budget refuses the read. */
export function flowSource(
  bound: number,
  load: () => Iterable<StoredFlow> | null | Promise<Iterable<StoredFlow> | null>,
): FlowSource {
  const source = {
    bound: bound as number | null,
    read: async () => {
      const flows = await load()
      if (flows === null) return {}
      source.bound = null
      return { flows }
    },
  }
  return source
}

/** Chunk that is merged, ordered by its next flow. */
type Run = { next: StoredFlow; rest: Iterator<StoredFlow> }

function advance(runs: TinyQueue<Run>, rest: Iterator<StoredFlow>): void {
  const { value: next } = rest.next()
  if (next) runs.push({ next, rest })
}

export const isFiled = (flow: StoredFlow): flow is FiledFlow => 'row' in flow

/** True for a flow of a file that readers omit, because it is erased or its retention has ended. */
export const isHidden = (flow: StoredFlow): boolean => isFiled(flow) && flow.fend === undefined

/** Returns the id of the initiating actor. */
export const actorOf = (flow: StoredFlow): string =>
  String(isFiled(flow) ? flow.row.initiator_actor_id : flow.ids.initiator_actor_id)

/** Merges what is stored of one flow. The row of a file is complete, because later reports of its flow change nothing. */
const mergeStored = (flows: StoredFlow[]): StoredFlow =>
  flows.length === 1 ? (flows[0] as StoredFlow) : (flows.find(isFiled) ?? mergeReports(flows as BufferedFlow[]))

/** Budget of a merge. `start` is the first start of the walk; with it, the budget is extended until the walk has passed that start. */
type MergeLimits = { budget?: ReadBudget; start?: number }

/**
 * Yields the flows of all sources in the order of their log ids, each flow once. Reads a source only when one of its flows can be next.
 * Ends when the budget is exhausted.
 */
export async function* mergeFlows(
  all: FlowSource[],
  ascending = false,
  { budget, start }: MergeLimits = {},
): AsyncGenerator<StoredFlow> {
  const sign = ascending ? 1 : -1
  const runs = new TinyQueue<Run>([], (a, b) => sign * compareIds(a.next.sk, b.next.sk))
  const nextFlow = () => runs.peek()?.next
  const sources = new Set(all)
  for (;;) {
    for (let due = sourcesDue(sources, nextFlow(), ascending); due.length > 0; ) {
      if (budget?.isExhausted) {
        const bounds = due.map(({ bound }) => bound as number)
        const end = ascending ? Math.min(...bounds) : Math.max(...bounds)
        if (end !== start) {
          budget.end = end
          return
        }
        budget.extend()
      }
      const chunks = await Promise.all(due.map((source) => source.read()))
      for (const { flows, sources: found = [] } of chunks) {
        if (flows) advance(runs, flows[Symbol.iterator]())
        for (const source of found) sources.add(source)
      }
      for (const source of due) if (source.bound === null) sources.delete(source)
      due = sourcesDue(sources, nextFlow(), ascending)
    }
    const first = nextFlow()
    if (!first) return
    const same: StoredFlow[] = []
    for (let next: StoredFlow | undefined = first; next?.sk === first.sk; next = nextFlow()) {
      same.push(next)
      advance(runs, (runs.pop() as Run).rest)
    }
    yield mergeStored(same)
  }
}

/** Returns the sources whose bound is at or before the next flow; without a flow, those with the nearest bound. */
function sourcesDue(sources: Set<FlowSource>, first: StoredFlow | undefined, ascending: boolean): FlowSource[] {
  const sign = ascending ? 1 : -1
  let reach = first ? sign * instantOf(first.sk) : Number.POSITIVE_INFINITY
  if (!first) for (const { bound } of sources) if (bound !== null) reach = Math.min(reach, sign * bound)
  return [...sources].filter(({ bound }) => bound !== null && sign * bound <= reach)
}
