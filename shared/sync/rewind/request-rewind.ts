import { checkAdministration } from '../../commit/check-administration.ts'
import { type Author, commit } from '../../commit/commit.ts'
import { clock, dayMicros, microsOf } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { uuidV7 } from '../../core/ids.ts'
import { scheduledSyncItem } from '../../domain/sync/sync-state.ts'
import type { Item } from '../../table/keys.ts'
import { queryItems } from '../../table/read.ts'
import type { Counts, Run, SourceInfo, SourceRow } from '../runs/run.ts'
import { getRun, newRun, openRunItem, readOpen, runItem, running, runsPartition } from '../runs/run-store.ts'

/**
 * Begins to undo the deletions of a run (I4.1(6)) by a run whose commits have the requester as their subject. The same
 * commit disables the directory, so that no other run follows.
 * @throws ApiError `not_found`, `scope_exceeded`, `run_not_rewindable`, `sync_running`
 */
export function requestRewind<R extends SourceRow>(
  kind: SourceInfo<R>,
  author: Author,
  sourceId: string,
  runId: string,
): Promise<{ data: Run }> {
  const { accountId: account_id, subject, scopes = null } = author
  const id = uuidV7(clock.now())
  return commit({ ...author, runId: id }, async (transaction) => {
    const row = await transaction.existing(kind.entity, sourceId)
    const undone = await getRun(account_id, sourceId, runId)
    if (undone.took_administrator) checkAdministration(author, 'Rewinding a run that has deleted an administrator')
    await checkRewindable(undone)
    if (await readOpen(account_id, sourceId)) throw running()
    // A permission of further deletions contradicts the rewind.
    const disabled = { is_disabled: true, disabled_reason: 'rewound', accept_deletions: false } as Partial<R>
    transaction.update(kind.entity, row, disabled)
    const { run, open } = newRun(kind, row, { id, preview: false, phase: 'plan', rewinds: runId, subject, scopes })
    transaction.claim(openRunItem(account_id, sourceId, open))
    transaction.put(runItem(run))
    transaction.put(scheduledSyncItem(run, run.started_at))
    return { data: run }
  })
}

/** Days after its end in which a run can be undone (I4.1(6)). */
const daysBack = 7

const refused = (detail: string) => new ApiError('run_not_rewindable', detail)

const applied = ({ applied }: Run, ...changes: (keyof Counts)[]): boolean =>
  Object.values(applied).some((counts) => changes.some((change) => counts[change] > 0))

/** Returns whether a plan with actors or policies was applied; those are planned and not counted (I4.1(4)). */
const planned = ({ outcome, sections }: Run, ...names: string[]): boolean =>
  outcome === 'applied' && names.some((name) => (sections[name] ?? 0) > 0)

/** Checks that a run is recent, not undone yet, and the last that changed something. @throws ApiError */
async function checkRewindable(run: Run): Promise<void> {
  if (run.finished_at === null) throw running()
  if (run.preview) throw refused('A preview changes nothing, so there is nothing to rewind.')
  if (run.rewinds !== null) throw refused('This run is a rewind itself.')
  if (!applied(run, 'delete') && !planned(run, 'actors'))
    throw refused('The run has deleted nothing, so there is nothing to rewind.')
  if (microsOf(run.finished_at) < clock.now() - daysBack * dayMicros) {
    throw refused(`The run ended more than ${daysBack} days ago.`)
  }
  const later = await queryItems<Item & Run>(runsPartition(run.account_id, run.source_id), { after: run.id })
  const undone = later.find(({ rewinds, outcome }) => rewinds === run.id && outcome === 'applied')
  if (undone) throw refused(`The run has been rewound already, by ${undone.id}.`)
  const hasChanged = (other: Run) =>
    applied(other, 'insert', 'update', 'delete') || planned(other, 'actors', 'relinked')
  const newer = later.find((other) => other.rewinds === null && hasChanged(other))
  if (newer) throw refused(`Only the last run can be rewound: ${newer.id} has changed something since.`)
}
