import { isDeepStrictEqual } from 'node:util'
import { commit } from '../../commit/commit.ts'
import { clock, dayMicros, microsOf, timestamp } from '../../core/clock.ts'
import { measure } from '../../core/logging/invocation.ts'
import { logLine } from '../../core/logging/log.ts'
import { type AccountRow, accounts } from '../../domain/accounts/account.ts'
import { lastGoodRunItem } from '../../domain/sync/last-good-run.ts'
import { syncTurnItem } from '../../domain/sync/sync-turn.ts'
import type { Item } from '../../table/keys.ts'
import { getItem, getRow } from '../../table/read.ts'
import { put, removeOnly, untilDone, writeTogether } from '../../table/write-together.ts'
import { cancelled, type Ending } from '../runs/ending.ts'
import { nextSlot } from '../runs/next-slot.ts'
import { noteSkipped, type Run, type RunSkipped } from '../runs/run.ts'
import { type OpenRun, openRunKey, runItem } from '../runs/run-items.ts'
import type { RunWork } from '../runs/run-work.ts'
import { LeaseLost } from '../runs/step-end.ts'
import { mayGoOn } from '../sources/check-standing.ts'
import type { SourceKind, SourceRow } from '../sources/sync-source.ts'

/**
 * The end as it counts: a run that may not go on is no judge of its source any more, neither of what somebody has disabled nor of
 * a connection that it has not tried. A preview never is.
 */
const endingOf = <R extends SourceRow>(
  { run }: RunWork,
  kind: SourceKind<R>,
  ending: Ending,
  row: R | null,
  account: AccountRow | null,
): Ending => (run.preview || mayGoOn(run, kind, row, account) ? ending : cancelled(run))

/** Runs that fail for this long disable what they are of. */
const patienceMicros = dayMicros

function mergedSkips(run: Run, open: OpenRun): Pick<Run, 'skipped' | 'skipped_sample'> {
  const both = { skipped: { ...run.skipped }, skipped_sample: [...run.skipped_sample] }
  for (const [reason, count] of Object.entries(open.skipped)) both.skipped[reason] = (both.skipped[reason] ?? 0) + count
  const sample: RunSkipped[] = both.skipped_sample
  for (const one of open.skipped_sample) {
    noteSkipped({ skipped: {}, skipped_sample: sample }, one)
  }
  return both
}

/** The run as it is listed from now on. */
const closed = (run: Run, open: OpenRun, ending: Ending, now: number): Run => ({
  ...run,
  ...mergedSkips(run, open),
  finished_at: timestamp(now),
  outcome: ending.outcome,
  error: ending.error ?? null,
  applied: open.applied,
  took_administrator: open.took_administrator ?? false,
  phase: ending.outcome === 'applied' ? 'finish' : run.phase,
  reading: null,
})

/** What the end of a run changes of the row of its source. */
function rowAfter<R extends SourceRow>(kind: SourceKind<R>, row: R, ending: Ending, now: number): Partial<R> {
  if (ending.outcome === 'applied') {
    const good = { error: null, error_count: 0, error_emailed_at: null, first_failed_at: null, error_mails: 0 }
    return { ...good, accept_deletions: false, ...kind.onSuccess } as Partial<R>
  }
  if (!('class' in ending)) return {}
  const first = row.first_failed_at ?? timestamp(now)
  const isFatal = ending.class === 'fatal' || microsOf(first) <= now - patienceMicros
  return {
    error: ending.error,
    error_count: row.error_count + 1,
    first_failed_at: first,
    ...(isFatal && { is_disabled: true, disabled_reason: 'sync error', ...kind.onFatal }),
  } as Partial<R>
}

/** When the schedule looks again: at once where a run was asked for meanwhile, or what it reads with has changed. */
function nextTurn<R extends SourceRow>(kind: SourceKind<R>, row: R, { run }: RunWork, now: number): string {
  const isAsked = row.sync_requested_at && row.sync_requested_at > run.started_at
  const hasMoved = !row.is_disabled && kind.connectionOf(row) !== run.connection
  return timestamp(isAsked || hasMoved ? now : nextSlot(kind.minuteOf(row), now))
}

/**
 * Ends a run (I4.8, I6): its item, its lease and what it means for its source change together, or not at all. A preview or a
 * rewind never changes its source, and a good run of a healthy one is no commit: it changes nothing that a row holds.
 * @throws LeaseLost when somebody else works on the run
 */
export async function closeRun<R extends SourceRow>(
  work: RunWork,
  kind: SourceKind<R>,
  reached: Ending,
): Promise<void> {
  const { run } = work
  const ending = await ended(work, kind, reached)
  logLine(ending.error === undefined ? 'INFO' : 'WARN', 'sync_run_ended', {
    account_id: work.accountId,
    run_id: run.id,
    collection: run.collection,
    outcome: ending.outcome,
    error: ending.error,
  })
  if (ending.outcome === 'failed') measure('sync_runs_failed')
}

async function ended<R extends SourceRow>(work: RunWork, kind: SourceKind<R>, reached: Ending): Promise<Ending> {
  const { accountId, sourceId, run } = work
  const [row, account] = await Promise.all([
    getRow(kind.entity, accountId, sourceId),
    getRow(accounts, accountId, accountId),
  ])
  const changes = (ending: Ending, current: R | null, now: number) =>
    current && !run.preview && run.rewinds === null ? rowAfter(kind, current, ending, now) : {}
  const ending = endingOf(work, kind, reached, row, account)
  if (!row || isDeepStrictEqual({ ...row, ...changes(ending, row, 0) }, row)) {
    await closeQuietly(work, kind, ending, row)
    return ending
  }
  return commit(work.author, async (transaction) => {
    await checkHeld(work)
    const current = await transaction.get(kind.entity, sourceId)
    const counts = endingOf(work, kind, reached, current, await transaction.get(accounts, accountId))
    if (current) transaction.update(kind.entity, current, changes(counts, current, transaction.now))
    const { discarded, items } = endOf(work, kind, counts, current, transaction.now)
    transaction.discard(discarded, heldBy(work))
    for (const item of items) transaction.put(item)
    return counts
  })
}

async function closeQuietly<R extends SourceRow>(
  work: RunWork,
  kind: SourceKind<R>,
  ending: Ending,
  row: R | null,
): Promise<void> {
  await untilDone(async () => {
    await checkHeld(work)
    const { discarded, items } = endOf(work, kind, ending, row, clock.now())
    return writeTogether([removeOnly(discarded, heldBy(work)), ...items.map(put)])
  })
}

const heldBy = ({ run, open }: RunWork) => ({ run_id: run.id, owner: open.owner })

async function checkHeld(work: RunWork): Promise<void> {
  const held = await getItem<Item & OpenRun>(openRunKey(work.accountId, work.sourceId))
  if (held?.run_id !== work.run.id || held.owner !== work.open.owner) throw new LeaseLost()
}

/** The items that the end of a run leaves. */
function endOf<R extends SourceRow>(work: RunWork, kind: SourceKind<R>, ending: Ending, row: R | null, now: number) {
  const { run, open, accountId, sourceId } = work
  const items = [runItem(closed(run, open, ending, now))]
  if (ending.outcome === 'applied' && run.root !== null) {
    const { started_at: synced_at, id: run_id, root, staged_at, whole_at } = run
    items.push(lastGoodRunItem(accountId, sourceId, { synced_at, run_id, root, staged_at, whole_at }))
  }
  if (row) items.push(syncTurnItem(run, nextTurn(kind, row, work, now)))
  return { discarded: openRunKey(accountId, sourceId), items }
}

/** Since when a run can be given up: a run that takes this long never ends (I4.1(2)). */
const longestMicros = 6 * 3_600_000_000

export const isTooOld = (run: Run): boolean => microsOf(run.started_at) < clock.now() - longestMicros
