import { type Item, type Key, partition } from '../../table/keys.ts'
import { logTtl, pointerPartition } from '../entries/log-keys.ts'

/** Length in microseconds of the time slices that index flows. A slice is identified by its first microsecond. */
export const sliceMicros = 300_000_000
export const sliceOf = (micros: number): number => micros - (micros % sliceMicros)
export const sliceSort = (slice: number): string => String(slice).padStart(16, '0')

/** Maximum duration in microseconds of a flow that queries find by its start. A longer flow has a pointer. */
export const shortFlowMicros = 300_000_000

const growth = 4
const classes = 8
/**
 * Duration classes of long closed flows. The maximum duration of each class is four times that of the previous class. To find flows that
 * reach into a window, a query reads each class from one maximum duration before the window. At least a quarter of the flows that the query
 * reads match.
 */
export const longFlowClasses = Array.from({ length: classes }, (_, classIndex) => ({
  classIndex,
  shorterThan: classIndex === classes - 1 ? Number.POSITIVE_INFINITY : shortFlowMicros * growth ** (classIndex + 1),
}))
const classOf = (length: number): number => longFlowClasses.findIndex(({ shorterThan }) => length < shorterThan)

/** Delay in microseconds after the end of a slice. Once the delay has passed, a report of an open flow must also store a pointer. */
const openPointerDelayMicros = 600_000_000
/** Grace period in microseconds, longer than the maximum run time of a consumer plus the possible clock skew. */
const graceMicros = 120_000_000

/** True if a report of an open flow must also store a pointer. A report that arrives earlier marks the slice instead. */
export const needsPointers = (slice: number, now: number): boolean =>
  now >= slice + sliceMicros + openPointerDelayMicros
/** True if no process can store another open flow of the slice without a pointer, so that the slice can be indexed. */
export const isSettled = (slice: number, now: number): boolean => needsPointers(slice, now - graceMicros)

/** Partition with one item per day on which flows began. Each item lists the shards that contain flows of the day. */
export const flowDaysPartition = (account: string): string => partition(account, 'log.flow.days')
export const flowSlicesPartition = (account: string): string => partition(account, 'log.flow.slices')
export const actorSlicesPartition = (account: string, actor: string): string =>
  pointerPartition(account, 'flow', 'actor', actor)
/** Partition of the actors who had the email address when they were authorized. */
export const emailActorsPartition = (account: string, email: string): string =>
  pointerPartition(account, 'flow', 'email', email)
export const openFlowsPartition = (account: string): string => partition(account, 'log.flow.open')
export const longFlowsPartition = (account: string, classIndex: number | '*'): string =>
  partition(account, 'log.flow.long', String(classIndex))

export const openPointerKey = (account: string, id: string): Key => ({ pk: openFlowsPartition(account), sk: id })

type PointerFields = { account: string; id: string; actor: string; ingestedAt: number }

export const openPointer = ({ account, id, actor, ingestedAt }: PointerFields): Item => ({
  ...openPointerKey(account, id),
  kind: 'flow_pointer',
  ttl: logTtl('flow', ingestedAt),
  actor,
})

/** Builds the pointer to a long closed flow; null for a short flow. Close reports with different end times result in different pointers. */
export function longPointer(flow: PointerFields, start: number, end: number): Item | null {
  if (end - start <= shortFlowMicros) return null
  const pk = longFlowsPartition(flow.account, classOf(end - start))
  return { ...openPointer(flow), pk, sk: `${flow.id}#${end}`, fend: BigInt(end) }
}
