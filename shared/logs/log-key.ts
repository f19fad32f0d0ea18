import { timestamp } from '../clock.ts'
import { env } from '../env.ts'
import { type Item, type Key, partition } from '../table/keys.ts'
import { type LogStream, parseLogId } from './log-id.ts'

export const flowShards = 16

/** The shard of an actor's flows: the last hexadecimal digit of its id. */
export const flowShard = (actorId: string): number => Number.parseInt(actorId.at(-1) ?? '0', 16)

export const dayOf = (micros: number): string => timestamp(micros).slice(0, 10)
export const monthOf = (micros: number): string => timestamp(micros).slice(0, 7)

/** Flows lie in partitions of a day and shard. */
export const flowPartition = (account: string, day: string, shard: number): string =>
  partition(account, 'log.flow', day, String(shard))

/** The other streams are slow enough for a partition a month: a whole window is a handful of queries. */
export const logPartition = (account: string, stream: Exclude<LogStream, 'flow'>, month: string): string =>
  partition(account, `log.${stream}`, month)

export const flowKey = (account: string, id: string, shard: number): Key => ({
  pk: flowPartition(account, dayOf(parseLogId(id)?.micros ?? 0), shard),
  sk: id,
})

const microsPerDay = 86_400_000_000

export const retentionMicros = (stream: LogStream): number => {
  const { logRetentionDays, flowRetentionDays } = env()
  return (stream === 'flow' ? flowRetentionDays : logRetentionDays) * microsPerDay
}

/** When the engine may drop an entry of this time, in epoch seconds. Readers filter by the time itself (L1.1). */
export const logTtl = (stream: LogStream, micros: number): number =>
  Math.ceil((micros + retentionMicros(stream)) / 1_000_000)

/** The item of an entry that is not a flow. */
export function logItem(
  account: string,
  stream: Exclude<LogStream, 'flow'>,
  id: string,
  fields: Record<string, unknown>,
): Item {
  const micros = parseLogId(id)?.micros ?? 0
  return {
    ...fields,
    pk: logPartition(account, stream, monthOf(micros)),
    sk: id,
    kind: 'log',
    ttl: logTtl(stream, micros),
  }
}
