import { type Item, type Key, partition } from '../../table/keys.ts'
import { logTtl, namedPartition } from '../log-keys.ts'

/** Flows are looked for by the slices of time in which they began: five minutes each, named by their first microsecond. */
export const sliceMicros = 300_000_000
export const sliceOf = (micros: number): number => micros - (micros % sliceMicros)
export const sliceSort = (slice: number): string => String(slice).padStart(16, '0')

/** A flow that lasted no longer than this is found by its start alone; a longer one has a pointer. */
export const shortFlowMicros = 300_000_000

const growth = 4
const classes = 8
/**
 * Pointers of closed flows, in classes of their length, each up to four times as long as the one before. All flows of a
 * class that lasted until an instant began in one stretch before it, of which at least a quarter did last so long.
 */
export const longFlowClasses = Array.from({ length: classes }, (_, place) => ({
  place,
  shorterThan: place === classes - 1 ? Number.POSITIVE_INFINITY : shortFlowMicros * growth ** (place + 1),
}))
const classOf = (length: number): number => longFlowClasses.findIndex(({ shorterThan }) => length < shorterThan)

/** A flow that is still open so long after its slice is taken for a long one. */
const patienceMicros = 600_000_000
/** Longer than a consumer runs, and more than clocks differ. */
const graceMicros = 120_000_000

/** From when on an open flow of the slice has its pointer from whoever stores it; before, the slice is marked. */
export const isPast = (slice: number, now: number): boolean => now >= slice + sliceMicros + patienceMicros
/** From when on nobody stores an open flow into the slice without a pointer, so that its open flows can be gathered. */
export const isSettled = (slice: number, now: number): boolean => isPast(slice, now - graceMicros)

/** Days on which flows began, each with the shards that hold them. */
export const flowDaysPartition = (account: string): string => partition(account, 'log.flow.days')
/** Slices whose open flows have no pointers yet. */
export const flowSlicesPartition = (account: string): string => partition(account, 'log.flow.slices')
/** Slices in which flows of an actor began. */
export const actorSlicesPartition = (account: string, actor: string): string =>
  namedPartition(account, 'flow', 'actor', actor)
/** Actors that had an email when they were authorized. */
export const emailActorsPartition = (account: string, email: string): string =>
  namedPartition(account, 'flow', 'email', email)
export const openFlowsPartition = (account: string): string => partition(account, 'log.flow.open')
export const longFlowsPartition = (account: string, place: number | '*'): string =>
  partition(account, 'log.flow.long', String(place))

export const openPointerKey = (account: string, id: string): Key => ({ pk: openFlowsPartition(account), sk: id })

type Pointed = { account: string; id: string; actor: string; ingestedAt: number }

/** Says that a flow is open, or was when this was written: only the flow itself tells. */
export const openPointer = ({ account, id, actor, ingestedAt }: Pointed): Item => ({
  ...openPointerKey(account, id),
  kind: 'flow_pointer',
  ttl: logTtl('flow', ingestedAt),
  actor,
})

/**
 * Says that a flow was reported to end then; null for a short flow. Reports that differ about the end have a pointer
 * each, so that there is always one for the report that was kept.
 */
export function longPointer(flow: Pointed, start: number, end: number): Item | null {
  if (end - start <= shortFlowMicros) return null
  const pk = longFlowsPartition(flow.account, classOf(end - start))
  return { ...openPointer(flow), pk, sk: `${flow.id}#${end}`, fend: BigInt(end) }
}
