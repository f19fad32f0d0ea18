import { isDeepStrictEqual } from 'node:util'
import { commit } from '../../commit/commit.ts'
import { clock, dayMicros, microsOf, timestamp } from '../../core/clock.ts'
import { measure } from '../../core/logging/invocation.ts'
import { logLine } from '../../core/logging/log.ts'
import { type AccountRow, accounts } from '../../domain/accounts/account.ts'
import { lastGoodRunItem, scheduledSyncItem } from '../../domain/sync/sync-state.ts'
import type { Item } from '../../table/keys.ts'
import { put, removeWhile, untilDone, writeTogether } from '../../table/write-together.ts'
import { cancelledEnding, type Ending, mergedSkips, nextSlot, type SourceRow } from '../runs/run.ts'
import { openRunKey, readOpenRun, runItem } from '../runs/run-store.ts'
import type { RunWork } from '../runs/run-work.ts'
import { mayContinue, readSource, type SourceKind } from '../runs/source.ts'

/**
 * Changes the ending to `cancelled` if the run may not continue, because the result does not apply to the changed source. Keeps the ending
 * of a preview.
 */
const validEnding = (
  { run }: RunWork,
  kind: SourceKind,
  ending: Ending,
  row: SourceRow | null,
  account: AccountRow | null,
): Ending => (run.preview || mayContinue(run, kind, row, account) ? ending : cancelledEnding(run))

/** Duration of continuous failure after which a source is disabled (I6). */
const maxFailingMicros = dayMicros

function sourceChanges(kind: SourceKind, row: SourceRow, ending: Ending, now: number): Partial<SourceRow> {
  if (ending.outcome === 'applied') {
    const healthy = { error: null, error_count: 0, error_emailed_at: null, first_failed_at: null, error_mails: 0 }
    return { ...healthy, accept_deletions: false, ...kind.onSuccess }
  }
  if (!('class' in ending)) return {}
  const first = row.first_failed_at ?? timestamp(now)
  const isFatal = ending.class === 'fatal' || microsOf(first) <= now - maxFailingMicros
  return {
    error: ending.error,
    error_count: row.error_count + 1,
    first_failed_at: first,
    ...(isFatal && { is_disabled: true, disabled_reason: 'sync error', ...kind.onFatal }),
  }
}

/**
 * Ends a run (I4.8, I6). Updates the run and the source and deletes the lease in one transaction. Previews and rewinds never change the
 * source. If the source does not change, no commit record is written.
 * @throws LeaseLost if a different worker holds the lease
 */
export async function closeRun(work: RunWork, kind: SourceKind, proposed: Ending): Promise<void> {
  const { run } = work
  const ending = await writeEnding(work, kind, proposed)
  logLine(ending.error === undefined ? 'INFO' : 'WARN', 'sync_run_ended', {
    account_id: work.accountId,
    run_id: run.id,
    collection: run.collection,
    outcome: ending.outcome,
    error: ending.error,
  })
  if (ending.outcome === 'failed') measure('sync_runs_failed')
}

async function writeEnding(work: RunWork, kind: SourceKind, proposed: Ending): Promise<Ending> {
  const { accountId, sourceId, run } = work
  const key = openRunKey(accountId, sourceId)
  const checkLease = async () => work.checkLease(await readOpenRun(accountId, sourceId))
  const [row, account] = await readSource(kind, accountId, sourceId)
  const changes = (ending: Ending, current: SourceRow | null, now: number) =>
    current && !run.preview && run.rewinds === null ? sourceChanges(kind, current, ending, now) : {}
  const ending = validEnding(work, kind, proposed, row, account)
  if (!row || isDeepStrictEqual({ ...row, ...changes(ending, row, 0) }, row)) {
    return untilDone(async () => {
      await checkLease()
      const items = endItems(work, kind, ending, row, clock.now())
      const outcome = await writeTogether([removeWhile(key, work.lease), ...items.map(put)])
      return outcome === 'conflict' ? 'conflict' : ending
    })
  }
  return commit(work.author, async (transaction) => {
    await checkLease()
    const current = await transaction.get(kind.entity, sourceId)
    const valid = validEnding(work, kind, proposed, current, await transaction.get(accounts, accountId))
    if (current) transaction.update(kind.entity, current, changes(valid, current, transaction.now))
    transaction.discard(key, work.lease)
    for (const item of endItems(work, kind, valid, current, transaction.now)) transaction.put(item)
    return valid
  })
}

function endItems(work: RunWork, kind: SourceKind, ending: Ending, row: SourceRow | null, now: number): Item[] {
  const { run, open, accountId, sourceId } = work
  const { outcome, error = null } = ending
  const items = [
    runItem({
      ...run,
      ...mergedSkips(run, open),
      finished_at: timestamp(now),
      outcome,
      error,
      applied: open.applied,
      took_administrator: open.took_administrator ?? false,
      phase: outcome === 'applied' ? 'finish' : run.phase,
      reading: null,
    }),
  ]
  if (outcome === 'applied' && run.root !== null) {
    const { started_at: synced_at, id: run_id, root, staged_at, whole_at } = run
    items.push(lastGoodRunItem(accountId, sourceId, { synced_at, run_id, root, staged_at, whole_at }))
  }
  if (row) {
    // Makes the next run due immediately if, during this run, a new run was requested or the connection settings changed.
    const isRequested = row.sync_requested_at !== null && row.sync_requested_at > run.started_at
    const isReconnected = !row.is_disabled && kind.connectionOf(row) !== run.connection
    items.push(
      scheduledSyncItem(run, timestamp(isRequested || isReconnected ? now : nextSlot(kind.minuteOf(row), now))),
    )
  }
  return items
}
