import * as v from 'valibot'
import { timestamp } from '../../core/clock.ts'

/** How something that is synced stands: a directory (A26), a posture provider (A28). */
export type SyncState = {
  is_disabled: boolean
  disabled_reason: string | null
  synced_at: string | null
  error: string | null
  error_count: number
  error_emailed_at: string | null
  /** Since when runs have failed without a success between (I6); internal. */
  first_failed_at: string | null
  /** Mails about the error that stands (I8); internal. */
  error_mails: number
  /** When a run was last requested beside the clock. */
  sync_requested_at: string | null
  /** Will let the next run pass the deletion brake (I5). */
  accept_deletions: boolean
}

const healthy = { disabled_reason: null, error: null, error_count: 0, first_failed_at: null, error_mails: 0 }

/** Before the first run. */
export const neverSynced: SyncState = {
  is_disabled: false,
  ...healthy,
  synced_at: null,
  error_emailed_at: null,
  sync_requested_at: null,
  accept_deletions: false,
}

/** The fields whose change alone is not logged (L6.2(3)): runs change them over and over. */
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

/** The state as the API shows it. */
export const shownSyncState = {
  is_disabled: v.boolean(),
  disabled_reason: text,
  synced_at: text,
  error: text,
  error_count: v.number(),
  error_emailed_at: text,
}

/** Creating what is synced starts a run, unless it is disabled (A26.2(3)). */
export const firstSyncState = (isDisabled: boolean, now: number): SyncState => ({
  ...neverSynced,
  is_disabled: isDisabled,
  sync_requested_at: isDisabled ? null : timestamp(now),
})

/** Enabling it clears what was wrong, and starts a run where it was disabled (A26.2(3)). */
export const enabledSyncState = ({ is_disabled }: SyncState, now: number): Partial<SyncState> => ({
  ...healthy,
  ...(is_disabled && { sync_requested_at: timestamp(now) }),
})
