import { createHash } from 'node:crypto'
import { dayMicros, timestamp } from '../../core/clock.ts'
import { env } from '../../core/env.ts'
import { indexPartition, type Key, partition } from '../../table/keys.ts'
import { instantOf, type LogStream, parseLogId } from './log-id.ts'

/** Number of partitions that the flows of a day are spread over, by the initiating actor. */
export const flowShards = 16

export const flowShard = (actorId: string): number =>
  createHash('sha256').update(actorId).digest().readUInt8(0) % flowShards

export const dayOf = (micros: number): string => timestamp(micros).slice(0, 10)

/** Partition of a stream and day of an account; for flows of a shard of that. */
export const logPartition = (account: string, stream: LogStream, date: string, shard?: number): string =>
  partition(account, `log.${stream}`, shard === undefined ? date : `${date}#${shard}`)

/** Names that entries are found by: the actor and the email in their snapshot, and the object of a change. */
export type NamedField = 'actor' | 'email' | 'object'

/** Pointers to the entries that name an actor, an email or an object; for flows, their slices or actors. */
export const namedPartition = (account: string, stream: LogStream, field: NamedField, value: string): string =>
  indexPartition(account, `log.${stream}`, field, value)

export const flowKey = (account: string, actorId: string, id: string): Key => ({
  pk: logPartition(account, 'flow', dayOf(instantOf(id)), flowShard(actorId)),
  sk: id,
})

/** Possible keys of an entry: its id has the stream and day, and only a flow can be in one of several shards. */
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

/** TTL of an entry, in seconds; retention counts from its `timestamp` (L1). */
export const logTtl = (stream: LogStream, micros: number): number =>
  Math.ceil((micros + retentionMicros(stream)) / 1_000_000)
