import { checkAdministration } from '../../commit/check-administration.ts'
import { type Author, commit } from '../../commit/commit.ts'
import { clock } from '../../core/clock.ts'
import { notFound } from '../../core/errors.ts'
import { syncTurnItem } from '../../domain/sync/sync-turn.ts'
import type { Run } from '../runs/run.ts'
import { openRunItem, runItem } from '../runs/run-items.ts'
import { knownRun, newRun, readOpen, running } from '../runs/run-store.ts'
import type { SourceInfo, SourceRow } from '../sources/sync-source.ts'
import { checkRewindable } from './check-rewindable.ts'

/**
 * Begins to undo what a run has deleted (I4.1(6)), in one commit. It disables the directory, so that no run follows,
 * and begins a run for the minute schedule. That run's commits have the requester as their subject.
 * @throws ApiError `not_found`, `scope_exceeded`, `run_not_rewindable`, `sync_running`
 */
export function requestRewind<R extends SourceRow>(
  kind: SourceInfo<R>,
  author: Author,
  sourceId: string,
  runId: string,
): Promise<{ data: Run }> {
  const { accountId: account_id, subject, scopes = null } = author
  const place = { account_id, collection: kind.entity.name, source_id: sourceId }
  const now = clock.now()
  const begun = newRun({ ...place, preview: false, connection: '', objects: kind.objects }, now)
  return commit({ ...author, runId: begun.run.id }, async (transaction) => {
    const row = await transaction.get(kind.entity, sourceId)
    if (!row) throw notFound()
    const undone = await knownRun(account_id, sourceId, runId)
    if (undone.took_administrator) checkAdministration(author, 'Rewinding a run that has deleted an administrator')
    await checkRewindable(undone)
    if (await readOpen(account_id, sourceId)) throw running()
    // Who undoes deletions does not mean those to come.
    const disabled = { is_disabled: true, disabled_reason: 'rewound', accept_deletions: false } as Partial<R>
    transaction.update(kind.entity, row, disabled)
    const run: Run = {
      ...begun.run,
      phase: 'plan',
      rewinds: runId,
      subject,
      scopes,
      connection: kind.connectionOf(row),
    }
    transaction.claim(openRunItem(account_id, sourceId, begun.open))
    transaction.put(runItem(run))
    transaction.put(syncTurnItem(run, run.started_at))
    return { data: run }
  })
}
