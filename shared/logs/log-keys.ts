import { createHash } from 'node:crypto'
import { dayMicros, timestamp } from '../core/clock.ts'
import { env } from '../core/env.ts'
import { edgePartition, type Key, partition } from '../table/keys.ts'
import { instantOf, type LogStream, parseLogId } from './log-id.ts'

/** Flows of one account are spread over this many partitions, by the actor that initiated them. */
export const flowShards = 16

export const flowShard = (actorId: string): number =>
  createHash('sha256').update(actorId).digest().readUInt8(0) % flowShards

export const dayOf = (micros: number): string => timestamp(micros).slice(0, 10)

/** One stream of an account, one day; for flows one shard of that. */
export const logPartition = (account: string, stream: LogStream, date: string, shard?: number): string =>
  partition(account, `log.${stream}`, shard === undefined ? date : `${date}#${shard}`)

/** What entries are found by: the actor or the email that their snapshot names, and the object that a change is about. */
export type NamedField = 'actor' | 'email' | 'object'

/** Pointers to the entries that name an actor, an email or an object; for flows, what leads to those of an actor. */
export const namedPartition = (account: string, stream: LogStream, field: NamedField, value: string): string =>
  edgePartition(account, `log.${stream}`, field, value)

export const flowKey = (account: string, actorId: string, id: string): Key => ({
  pk: logPartition(account, 'flow', dayOf(instantOf(id)), flowShard(actorId)),
  sk: id,
})

/** The keys at which an entry can lie: its id tells stream and day, and only a flow can be in one of several shards. */
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
