import { dayMicros, timestamp } from '../../core/clock.ts'
import { env } from '../../core/env.ts'
import { indexPartition, type Key, partition } from '../../table/keys.ts'
import { instantOf, type LogStream, streamOf } from './log-id.ts'

export const dayOf = (micros: number): string => timestamp(micros).slice(0, 10)

/** Partition of an account's stream for one day. Flows are stored in blocks and files instead. */
export const logPartition = (account: string, stream: LogStream, date: string): string =>
  partition(account, `log.${stream}`, date)

/** Fields by which entries are indexed: the actor and email in the snapshot, and the object of a change. */
export type PointerField = 'actor' | 'email' | 'object'

/**
 * Partition of the pointers to the entries for an actor, email or object. For flows, the partition lists the actors with an email.
 */
export const pointerPartition = (account: string, stream: LogStream, field: PointerField, value: string): string =>
  indexPartition(account, `log.${stream}`, field, value)

export const logKey = (account: string, id: string): Key => ({
  pk: logPartition(account, streamOf(id), dayOf(instantOf(id))),
  sk: id,
})

export const retentionMicros = (stream: LogStream): number => {
  const { logRetentionDays, flowRetentionDays } = env
  return (stream === 'flow' ? flowRetentionDays : logRetentionDays) * dayMicros
}

/** Time in seconds at which an entry expires: the entry's `timestamp` plus the retention period (L1). */
export const logTtl = (stream: LogStream, micros: number): number =>
  Math.ceil((micros + retentionMicros(stream)) / 1_000_000)
