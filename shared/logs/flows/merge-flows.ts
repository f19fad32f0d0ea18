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

type Cursor = { next: StoredFlow; rest: Iterator<StoredFlow> }

/** Binary heap of chunks, ordered by the next flow of each chunk. */
class CursorHeap {
  private readonly cursors: Cursor[] = []
  private readonly sign: number

  constructor(ascending: boolean) {
    this.sign = ascending ? 1 : -1
  }

  get top(): StoredFlow | undefined {
    return this.cursors[0]?.next
  }

  add(flows: Iterable<StoredFlow>): void {
    const rest = flows[Symbol.iterator]()
    const { value: next } = rest.next()
    if (!next) return
    this.cursors.push({ next, rest })
    for (let at = this.cursors.length - 1; at > 0; ) {
      const parent = (at - 1) >> 1
      if (!this.isBefore(at, parent)) return
      this.swap(at, parent)
      at = parent
    }
  }

  /** Removes the first flow. */
  shift(): void {
    const [first] = this.cursors
    if (!first) return
    const { value: next } = first.rest.next()
    if (next) first.next = next
    else {
      const last = this.cursors.pop() as Cursor
      if (last !== first) this.cursors[0] = last
    }
    for (let at = 0; ; ) {
      let least = at
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < this.cursors.length && this.isBefore(child, least)) least = child
      }
      if (least === at) return
      this.swap(at, least)
      at = least
    }
  }

  private isBefore(a: number, b: number): boolean {
    const [left, right] = [this.cursors[a] as Cursor, this.cursors[b] as Cursor]
    return this.sign * compareIds(left.next.sk, right.next.sk) < 0
  }

  private swap(a: number, b: number): void {
    const cursor = this.cursors[a] as Cursor
    this.cursors[a] = this.cursors[b] as Cursor
    this.cursors[b] = cursor
  }
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
  const heap = new CursorHeap(ascending)
  const sources = new Set(all)
  for (;;) {
    for (let due = sourcesDue(sources, heap.top, ascending); due.length > 0; ) {
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
        if (flows) heap.add(flows)
        for (const source of found) sources.add(source)
      }
      for (const source of due) if (source.bound === null) sources.delete(source)
      due = sourcesDue(sources, heap.top, ascending)
    }
    const first = heap.top
    if (!first) return
    const same: StoredFlow[] = []
    for (let next: StoredFlow | undefined = first; next?.sk === first.sk; next = heap.top) {
      same.push(next)
      heap.shift()
    }
    yield mergeStored(same)
  }
}

/** Returns the sources that may contain the next flow: all whose bound reaches the first flow, or the first bound without flows. */
function sourcesDue(sources: Set<FlowSource>, first: StoredFlow | undefined, ascending: boolean): FlowSource[] {
  const sign = ascending ? 1 : -1
  let reach = first ? sign * instantOf(first.sk) : Number.POSITIVE_INFINITY
  if (!first) for (const { bound } of sources) if (bound !== null) reach = Math.min(reach, sign * bound)
  return [...sources].filter(({ bound }) => bound !== null && sign * bound <= reach)
}
