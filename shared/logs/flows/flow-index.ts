import { type Item, type Key, partition } from '../../table/keys.ts'
import { logTtl, pointerPartition } from '../entries/log-keys.ts'

/** Length of the time slices that index flows, in microseconds. A slice is identified by its first microsecond. */
export const sliceMicros = 300_000_000
export const sliceOf = (micros: number): number => micros - (micros % sliceMicros)
export const sliceSort = (slice: number): string => String(slice).padStart(16, '0')

/** Maximum duration of a flow that is found by its start alone; a longer flow has a pointer. */
export const shortFlowMicros = 300_000_000

const growth = 4
const classes = 8
/**
 * Duration classes of long closed flows; each maximum is four times the previous one. To find flows that began before
 * a time window and reach into it, a query reads each class from one maximum duration before the window. At least a
 * quarter of the flows read match.
 */
export const longFlowClasses = Array.from({ length: classes }, (_, classIndex) => ({
  classIndex,
  shorterThan: classIndex === classes - 1 ? Number.POSITIVE_INFINITY : shortFlowMicros * growth ** (classIndex + 1),
}))
const classOf = (length: number): number => longFlowClasses.findIndex(({ shorterThan }) => length < shorterThan)

/** Time after the end of its slice from which an open flow counts as long, in microseconds. */
const openPointerDelayMicros = 600_000_000
/** Grace period, longer than the maximum run time of a consumer plus the possible clock skew. */
const graceMicros = 120_000_000

/** True once a report of an open flow in the slice also stores a pointer. Before that, it marks the slice instead. */
export const needsPointers = (slice: number, now: number): boolean =>
  now >= slice + sliceMicros + openPointerDelayMicros
/** True once no process stores an open flow of the slice without a pointer, so that the slice can be indexed. */
export const isSettled = (slice: number, now: number): boolean => needsPointers(slice, now - graceMicros)

/** Partition of the days on which flows began, each item with the shards that contain them. */
export const flowDaysPartition = (account: string): string => partition(account, 'log.flow.days')
export const flowSlicesPartition = (account: string): string => partition(account, 'log.flow.slices')
export const actorSlicesPartition = (account: string, actor: string): string =>
  pointerPartition(account, 'flow', 'actor', actor)
/** Partition of the actors that had this email when they were authorized. */
export const emailActorsPartition = (account: string, email: string): string =>
  pointerPartition(account, 'flow', 'email', email)
export const openFlowsPartition = (account: string): string => partition(account, 'log.flow.open')
export const longFlowsPartition = (account: string, classIndex: number | '*'): string =>
  partition(account, 'log.flow.long', String(classIndex))

export const openPointerKey = (account: string, id: string): Key => ({ pk: openFlowsPartition(account), sk: id })

type PointerFields = { account: string; id: string; actor: string; ingestedAt: number }

/** Pointer to a flow that is open. */
export const openPointer = ({ account, id, actor, ingestedAt }: PointerFields): Item => ({
  ...openPointerKey(account, id),
  kind: 'flow_pointer',
  ttl: logTtl('flow', ingestedAt),
  actor,
})

/** Pointer to a long closed flow; null for a short one. Reports with different ends get different pointers. */
export function longPointer(flow: PointerFields, start: number, end: number): Item | null {
  if (end - start <= shortFlowMicros) return null
  const pk = longFlowsPartition(flow.account, classOf(end - start))
  return { ...openPointer(flow), pk, sk: `${flow.id}#${end}`, fend: BigInt(end) }
}
