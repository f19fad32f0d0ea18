import * as v from 'valibot'
import type { Transaction } from '../../commit/transaction.ts'
import { dayMicros, timestamp } from '../../core/clock.ts'
import { type Item, type Key, presenceItemKey } from '../../table/keys.ts'
import { getItems, queryItems } from '../../table/read.ts'

/** Sync state of a source: a directory (A26) or a posture provider (A28). */
export type SyncState = {
  is_disabled: boolean
  disabled_reason: string | null
  synced_at: string | null
  error: string | null
  error_count: number
  error_emailed_at: string | null
  /** Time of the first failure since the last success (I6). Not part of API responses. */
  first_failed_at: string | null
  /** Number of mails sent about the current error (I8). Not part of API responses. */
  error_mails: number
  sync_requested_at: string | null
  /** Lets the next run pass the deletion brake (I5). */
  accept_deletions: boolean
}

/** Sentence with which the deletion brake stops a run (I5.3). */
export const brakeError = (deleted: number, owned: number, noun: string): string =>
  `Sync would delete ${deleted} of ${owned} ${noun}; nothing was changed.`

/** True for the error of a source that the deletion brake disabled. */
export const isBraked = (error: string): boolean =>
  /^Sync would delete \d+ of \d+ \w+; nothing was changed\.$/.test(error)

const healthy = { disabled_reason: null, error: null, error_count: 0, first_failed_at: null, error_mails: 0 }

export const neverSynced: SyncState = {
  is_disabled: false,
  ...healthy,
  synced_at: null,
  error_emailed_at: null,
  sync_requested_at: null,
  accept_deletions: false,
}

/** Fields that every sync run changes. A change of only these fields is not logged (L6.2(3)). */
export const unloggedOfSync = [
  'synced_at',
  'error',
  'error_count',
  'error_emailed_at',
  'first_failed_at',
  'error_mails',
  'sync_requested_at',
]

const text = v.nullable(v.string())

export const shownSyncState = {
  is_disabled: v.boolean(),
  disabled_reason: text,
  synced_at: text,
  error: text,
  error_count: v.number(),
  error_emailed_at: text,
}

/** Sync state of a new source. An enabled source requests its first run (A26.2(3)). */
export const firstSyncState = (isDisabled: boolean, now: number): SyncState => ({
  ...neverSynced,
  is_disabled: isDisabled,
  sync_requested_at: isDisabled ? null : timestamp(now),
})

/** Changes that enable a source: they clear its error and, if it was disabled, request a run (A26.2(3)). */
export const enabledSyncState = ({ is_disabled }: SyncState, now: number): Partial<SyncState> => ({
  ...healthy,
  ...(is_disabled && { sync_requested_at: timestamp(now) }),
})

/** Last successful run of a source. Stored outside the source's row, so that a run without changes does not write to the row (I4.3). */
export type LastGoodRun = {
  synced_at: string
  run_id: string
  root: string
  /** Time of the oldest part of the stored snapshot. Each part expires. */
  staged_at: string
  /** Time at which the members of all groups were last read from the provider. */
  whole_at: string
}

export const lastGoodRunKey = (account: string, sourceId: string): Key => presenceItemKey(account, 'sync', sourceId)

export function lastGoodRunItem(account: string, sourceId: string, run: LastGoodRun): Item {
  return { ...lastGoodRunKey(account, sourceId), kind: 'presence', ...run }
}

/**
 * Sets `synced_at` of each row to the start of its source's last successful run (I4.3). Rows whose source has no such run stay unchanged.
 */
export async function withLastRuns<R extends { synced_at: string | null }>(
  account: string,
  rows: R[],
  sourceOf: (row: R) => string | null,
): Promise<R[]> {
  const ids = [...new Set(rows.map(sourceOf))].filter((id) => id !== null)
  const runs = await getItems<Key & Partial<LastGoodRun>>(ids.map((id) => lastGoodRunKey(account, id)))
  const times = new Map(ids.map((id, i) => [id, runs[i]?.synced_at]))
  return rows.map((row) => ({ ...row, synced_at: times.get(sourceOf(row) ?? '') ?? row.synced_at }))
}

export async function withLastRun<R extends { id: string; account_id: string; synced_at: string | null }>(row: R) {
  const [shownRow = row] = await withLastRuns(row.account_id, [row], ({ id }) => id)
  return shownRow
}

export type SyncSource = { account_id: string; collection: string; source_id: string }

/** Item with the time at which the minutely schedule next starts or resumes a source's run. */
export type ScheduledSync = Key & SyncSource & { next_at: string }

/** Partition of the scheduled syncs of all sources, and of the last steps of all accounts. */
const scheduledSyncsPartition = 'service#sync'

/** Item with the time of the last step among an account's sync runs. Expires after a day. */
type LastStep = Key & { account_id: string; stepped_at: string }

export const lastStepItem = (account_id: string, now: number): Item => ({
  pk: scheduledSyncsPartition,
  sk: `#${account_id}`,
  kind: 'last_step',
  account_id,
  stepped_at: timestamp(now),
  ttl: Math.ceil((now + dayMicros) / 1_000_000),
})

export async function readScheduledSyncs(): Promise<{ scheduled: ScheduledSync[]; lastSteps: Map<string, string> }> {
  const items = await queryItems<ScheduledSync | LastStep>(scheduledSyncsPartition)
  const scheduled = items.flatMap((item) => ('next_at' in item ? [item] : []))
  const steps = items.flatMap((item) => ('stepped_at' in item ? [item] : []))
  return { scheduled, lastSteps: new Map(steps.map(({ account_id, stepped_at }) => [account_id, stepped_at])) }
}

export const scheduledSyncKey = ({ account_id, collection, source_id }: SyncSource): Key => ({
  pk: scheduledSyncsPartition,
  sk: `${account_id}#${collection}#${source_id}`,
})

export const scheduledSyncItem = ({ account_id, collection, source_id }: SyncSource, next_at: string): Item => {
  const source = { account_id, collection, source_id }
  return { ...scheduledSyncKey(source), kind: 'scheduled_sync', ...source, next_at }
}

/** Schedules a source to run immediately. The schedule starts a run, or ends the run if the source was deleted. */
export function stageScheduledSync(transaction: Transaction, collection: string, sourceId: string): void {
  const source = { account_id: transaction.accountId, collection, source_id: sourceId }
  transaction.put(scheduledSyncItem(source, timestamp(transaction.now)))
}
