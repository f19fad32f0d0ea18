import { type Item, type Key, partition } from '../../table/keys.ts'
import { logTtl, namedPartition } from '../entries/log-keys.ts'

/** Length of the slices of time by which flows are found, each named by its first microsecond. */
export const sliceMicros = 300_000_000
export const sliceOf = (micros: number): number => micros - (micros % sliceMicros)
export const sliceSort = (slice: number): string => String(slice).padStart(16, '0')

/** A flow that lasted no longer than this is found by its start alone; a longer one has a pointer. */
export const shortFlowMicros = 300_000_000

const growth = 4
const classes = 8
/**
 * Classes of closed flows by their length, each up to four times that of the one before: of the flows of a class that
 * began in the stretch before an instant, at least a quarter lasted until it.
 */
export const longFlowClasses = Array.from({ length: classes }, (_, place) => ({
  place,
  shorterThan: place === classes - 1 ? Number.POSITIVE_INFINITY : shortFlowMicros * growth ** (place + 1),
}))
const classOf = (length: number): number => longFlowClasses.findIndex(({ shorterThan }) => length < shorterThan)

/** Time after its slice from which an open flow is treated as a long one. */
const patienceMicros = 600_000_000
/** Longer than a consumer runs, and more than clocks differ. */
const graceMicros = 120_000_000

/** True once open flows of the slice are stored with their pointer; before, the slice is marked. */
export const isPast = (slice: number, now: number): boolean => now >= slice + sliceMicros + patienceMicros
/** True once no process stores an open flow of the slice without a pointer, so that its open flows can be gathered. */
export const isSettled = (slice: number, now: number): boolean => isPast(slice, now - graceMicros)

/** Days on which flows began, each with the shards that hold them. */
export const flowDaysPartition = (account: string): string => partition(account, 'log.flow.days')
export const flowSlicesPartition = (account: string): string => partition(account, 'log.flow.slices')
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

/** The pointer to a flow that was open when the pointer was written. */
export const openPointer = ({ account, id, actor, ingestedAt }: Pointed): Item => ({
  ...openPointerKey(account, id),
  kind: 'flow_pointer',
  ttl: logTtl('flow', ingestedAt),
  actor,
})

/** The pointer to a flow that ended; null for a short one. Reports of different ends have a pointer each. */
export function longPointer(flow: Pointed, start: number, end: number): Item | null {
  if (end - start <= shortFlowMicros) return null
  const pk = longFlowsPartition(flow.account, classOf(end - start))
  return { ...openPointer(flow), pk, sk: `${flow.id}#${end}`, fend: BigInt(end) }
}
