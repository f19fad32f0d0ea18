import { clock, hourMicros, hourStart, timestamp } from '../../core/clock.ts'
import { describeError } from '../../core/logging/describe-error.ts'
import { measure } from '../../core/logging/invocation.ts'
import { logLine } from '../../core/logging/log.ts'
import { inParallel } from '../../core/work/in-parallel.ts'
import { waitAtMost } from '../../core/work/wait-at-most.ts'
import { changeItem } from '../../table/change-item.ts'
import { type Key, partition } from '../../table/keys.ts'
import { removeItem } from '../../table/put-item.ts'
import { itemsOf, queryItems } from '../../table/read.ts'
import { logTtl } from '../entries/log-keys.ts'

/** Reasons why a client was not authorized (K11.G9). */
export const refusalReasons = [
  'unknown_resource',
  'not_connectable',
  'no_policy',
  'conditions_violated',
  'gateway_offline',
  'version_mismatch',
] as const
export type RefusalReason = (typeof refusalReasons)[number]

type Refusal = {
  actor_id: string
  client_id: string
  /** Null for an unknown resource. */
  resource_id: string | null
  reason: RefusalReason
  /** Properties of the conditions that the newest refusal found violated. */
  violated: string[]
  /** Address and region of the newest refusal. */
  ip: string
  ip_region: string | null
}

/** Refusals of one client, resource and reason in one hour. */
export type RefusalRow = Key & Refusal & { count: number; first_at: string; last_at: string; ttl: number }

export const refusalsPartition = (account: string): string => partition(account, 'log.refusals')

export const refusalTotalsPartition = (account: string): string => partition(account, 'log.refusals.total')

/** Sort key of an hour, with which the sort keys of its rows begin. */
export const refusalHour = (micros: number): string => timestamp(hourStart(micros)).slice(0, 13)

/** Maximum time in milliseconds that the response to a refusal waits for its recording. */
const maxRecordingMs = 500

/**
 * Counts a refusal in its row and in the total of its hour, with one write unit each. Never throws, so that a failure changes no response;
 * `refusals_unrecorded` counts it.
 */
export async function recordRefusal(account: string, refusal: Refusal, now: number): Promise<void> {
  const { actor_id, client_id, reason, violated, ip, ip_region } = refusal
  // All unknown resources share a row, so that a client cannot create many rows.
  const resource_id = reason === 'unknown_resource' ? null : refusal.resource_id
  const hour = refusalHour(now)
  const at = timestamp(now)
  const ttl = logTtl('change', hourStart(now) + hourMicros)
  const row = { pk: refusalsPartition(account), sk: [hour, client_id, resource_id ?? '', reason].join('#') }
  const newest = { actor_id, client_id, resource_id, reason, violated, ip, ip_region, last_at: at }
  const writes = Promise.all([
    changeItem(row, { set: { kind: 'refusal', ttl, ...newest }, initial: { first_at: at }, add: { count: 1 } }),
    changeItem(
      { pk: refusalTotalsPartition(account), sk: hour },
      { set: { kind: 'refusal_total', ttl }, add: { count: 1 } },
    ),
  ])
  const isRecorded = await waitAtMost(maxRecordingMs, writes.catch(noteFailure))
  if (!isRecorded) noteFailure(new Error('The recording of a refusal took too long.'))
}

function noteFailure(error: unknown): void {
  measure('refusals_unrecorded')
  logLine('WARN', 'refusal_not_recorded', describeError(error))
}

/** Number of refusals in the current hour and the 23 hours before it. Reads one item per hour, which take one read unit together. */
export async function refusalsOfLastDay(account: string): Promise<number> {
  const now = clock.now()
  const between = [refusalHour(now - 23 * hourMicros), refusalHour(now)] as const
  const totals = await queryItems<Key & { count: number }>(refusalTotalsPartition(account), { between })
  return totals.reduce((sum, { count }) => sum + count, 0)
}

/** Deletes the rows of an actor (R12.4). The totals, which name nobody, remain. Idempotent. */
export async function eraseRefusals(account: string, actor: string): Promise<void> {
  const keys: Key[] = []
  const attributes = ['pk', 'sk', 'actor_id'] as const
  for await (const { pk, sk, actor_id } of itemsOf<RefusalRow>(refusalsPartition(account), {}, attributes))
    if (actor_id === actor) keys.push({ pk, sk })
  await inParallel(keys, 10, (key) => removeItem(key))
}
