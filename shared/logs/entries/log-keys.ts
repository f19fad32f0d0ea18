import { createHash } from 'node:crypto'
import { dayMicros, timestamp } from '../../core/clock.ts'
import { env } from '../../core/env.ts'
import { indexPartition, type Key, partition } from '../../table/keys.ts'
import { instantOf, type LogStream, parseLogId } from './log-id.ts'

/** Number of partitions for one day of flows. The initiating actor determines the partition. */
export const flowShards = 16

export const flowShard = (actorId: string): number =>
  createHash('sha256').update(actorId).digest().readUInt8(0) % flowShards

export const dayOf = (micros: number): string => timestamp(micros).slice(0, 10)

/** Partition of an account's stream for one day. For flows, each shard of the day has a separate partition. */
export const logPartition = (account: string, stream: LogStream, date: string, shard?: number): string =>
  partition(account, `log.${stream}`, shard === undefined ? date : `${date}#${shard}`)

/** Fields by which entries are indexed: the actor and email in the snapshot, and the object of a change. */
export type PointerField = 'actor' | 'email' | 'object'

/**
 * Partition of the pointers to the entries for an actor, email or object. For flows, the partition lists the time slices of an actor, or
 * the actors with an email.
 */
export const pointerPartition = (account: string, stream: LogStream, field: PointerField, value: string): string =>
  indexPartition(account, `log.${stream}`, field, value)

export const flowKey = (account: string, actorId: string, id: string): Key => ({
  pk: logPartition(account, 'flow', dayOf(instantOf(id)), flowShard(actorId)),
  sk: id,
})

/** Possible keys of an entry. A flow has one possible key per shard, because its log id does not contain the actor. */
export function logKeys(account: string, id: string): Key[] {
  const parsed = parseLogId(id)
  if (!parsed) return []
  const { stream, micros } = parsed
  const shards = stream === 'flow' ? Array.from({ length: flowShards }, (_, i) => i) : [undefined]
  return shards.map((shard) => ({ pk: logPartition(account, stream, dayOf(micros), shard), sk: id }))
}

export const retentionMicros = (stream: LogStream): number => {
  const { logRetentionDays, flowRetentionDays } = env
  return (stream === 'flow' ? flowRetentionDays : logRetentionDays) * dayMicros
}

/** Time in seconds at which an entry expires: the entry's `timestamp` plus the retention period (L1). */
export const logTtl = (stream: LogStream, micros: number): number =>
  Math.ceil((micros + retentionMicros(stream)) / 1_000_000)
