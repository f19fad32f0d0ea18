import { clock, hourMicros, hourStart, parseTimestamp, timestamp } from '../core/clock.ts'
import { logLine } from '../core/logging/log.ts'
import { type AccountRow, accounts } from '../domain/accounts/account.ts'
import { type ArchiveState, readArchive, readArchiveState } from '../logs/blocks/archive-view.ts'
import { readErasures } from '../logs/blocks/erasures.ts'
import { retentionMicros } from '../logs/entries/log-keys.ts'
import { SealDamage } from '../seal/log/seal-damage.ts'
import { settledUntil } from '../seal/sealing/seal-activity.ts'
import { getRow } from '../table/read.ts'
import { ArchiveLease } from './archive-lease.ts'
import { ArchiveMismatch } from './archive-mismatch.ts'
import { sealedSizes } from './entry-files.ts'
import { flushHour } from './flush-hour.ts'
import { UnfinishedHour } from './hour-files.ts'

/** Microseconds from the end of an hour until an alarm reports that it is not flushed (R2.5). */
const maxDelayMicros = 3 * hourMicros

/** True 15 minutes after the end of an hour (R3.1), when its entries are sealed too. */
const isDue = (hour: number, now: number): boolean => hour < settledUntil(now)

/** Returns the state before the first flush, which begins with the oldest entry that is retained. */
async function firstState(account: string, now: number, slots: number[]): Promise<ArchiveState> {
  const row: AccountRow | null = await getRow(accounts, account, account)
  const created = parseTimestamp(row?.inserted_at ?? '') ?? now
  const retained = now - retentionMicros('change') + hourMicros
  const watermark = hourStart(Math.min(slots[0] ?? now, Math.max(created, retained)))
  return { watermark, until: watermark, manifests: 0, previous: null, totals: {}, written_at: 0 }
}

/**
 * Flushes the due hours of an account, oldest first, until the deadline in milliseconds of `clock.monotonic` (R3.1). Ends without an error if a different run flushes the
 * account, or if an hour is not sealed yet.
 */
export async function flushAccount(account: string, deadline: number): Promise<void> {
  const now = clock.now()
  const { slots } = await readArchive(account)
  const stored = await readArchiveState(account)
  let state = stored ?? (await firstState(account, now, slots))
  if (!isDue(state.watermark, now)) return
  const lease = new ArchiveLease(account)
  if (!(await lease.take(stored?.watermark))) return
  const hours = Math.ceil((now - maxDelayMicros - state.watermark) / hourMicros) - 1
  // The first flush of an account begins with its oldest entry, so it is always behind.
  if (state.written_at > 0 && hours > 0)
    logLine('ERROR', 'archive_behind', { account_id: account, hour: timestamp(state.watermark), hours })
  let unstored: ArchiveState | undefined
  try {
    // Stores the first hour before its files, because a later run would begin with a later hour.
    if (!stored && !(await lease.store(state))) return
    const erasures = await readErasures(account)
    while (isDue(state.watermark, now) && clock.monotonic() < deadline) {
      const hour = state.watermark
      const sealed = await sealedSizes(account, hour + hourMicros)
      if (!sealed) return
      const due = { account, hour, slots: slots.filter((slot) => hourStart(slot) === hour), deadline, erasures }
      state = { ...(await flushHour(due, state, sealed)), written_at: clock.now() }
      unstored = state
      // Stores idle hours together, because flushing them again is cheap.
      if (due.slots.length === 0 && state.until < state.watermark) continue
      if (!(await lease.store(state))) return
      unstored = undefined
    }
  } catch (error) {
    if (error instanceof UnfinishedHour) return
    if (!(error instanceof ArchiveMismatch || error instanceof SealDamage)) throw error
    logLine('ERROR', 'archive_stopped', { account_id: account, at: error.at })
  } finally {
    await lease.end(unstored)
  }
}
