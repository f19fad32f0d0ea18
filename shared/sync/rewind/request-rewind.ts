import { checkAdministration } from '../../commit/check-administration.ts'
import { type Author, commit } from '../../commit/commit.ts'
import { clock, dayMicros, microsOf } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { uuidV7 } from '../../core/ids.ts'
import { scheduledSyncItem } from '../../domain/sync/sync-state.ts'
import type { Item } from '../../table/keys.ts'
import { queryItems } from '../../table/read.ts'
import type { Counts, Run, SourceInfo, SourceRow } from '../runs/run.ts'
import { getRun, newRun, openRunItem, readOpenRun, runItem, runsPartition, syncRunning } from '../runs/run-store.ts'

/**
 * Begins a run that undoes the deletions of an earlier run (I4.1(6)). The requester is recorded as the subject of the run's commits. The
 * commit that begins the run also disables the directory, so that no other run follows.
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
    const rewoundRun = await getRun(account_id, sourceId, runId)
    if (rewoundRun.took_administrator) checkAdministration(author, 'Rewinding a run that has deleted an administrator')
    await checkRewindable(rewoundRun)
    if (await readOpenRun(account_id, sourceId)) throw syncRunning()
    // Withdraws an approval of deletions, which would contradict the rewind.
    const disabled = { is_disabled: true, disabled_reason: 'rewound', accept_deletions: false } as Partial<R>
    transaction.update(kind.entity, row, disabled)
    const { run, open } = newRun(kind, row, { id, preview: false, phase: 'plan', rewinds: runId, subject, scopes })
    transaction.claim(openRunItem(account_id, sourceId, open))
    transaction.put(runItem(run))
    transaction.put(scheduledSyncItem(run, run.started_at))
    return { data: run }
  })
}

/** Number of days after its end during which a run can be rewound (I4.1(6)). */
const maxRewindDays = 7

const notRewindable = (detail: string) => new ApiError('run_not_rewindable', detail)

const hasApplied = ({ applied }: Run, ...changes: (keyof Counts)[]): boolean =>
  Object.values(applied).some((counts) => changes.some((change) => counts[change] > 0))

/**
 * Returns whether a run applied a plan with any of these sections. Uses the plan, because `applied` does not count changes to actors and
 * policies.
 */
const hasPlanned = ({ outcome, sections }: Run, ...names: string[]): boolean =>
  outcome === 'applied' && names.some((name) => (sections[name] ?? 0) > 0)

/**
 * Checks that a run is recent, has not been rewound, and is the last run with changes.
 * @throws ApiError `run_not_rewindable`, `sync_running`
 */
async function checkRewindable(run: Run): Promise<void> {
  if (run.finished_at === null) throw syncRunning()
  if (run.preview) throw notRewindable('A preview changes nothing, so there is nothing to rewind.')
  if (run.rewinds !== null) throw notRewindable('This run is itself a rewind.')
  if (!hasApplied(run, 'delete') && !hasPlanned(run, 'actors'))
    throw notRewindable('The run deleted nothing, so there is nothing to rewind.')
  if (microsOf(run.finished_at) < clock.now() - maxRewindDays * dayMicros) {
    throw notRewindable(`The run ended more than ${maxRewindDays} days ago.`)
  }
  const later = await queryItems<Item & Run>(runsPartition(run.account_id, run.source_id), { after: run.id })
  const earlierRewind = later.find(({ rewinds, outcome }) => rewinds === run.id && outcome === 'applied')
  if (earlierRewind) throw notRewindable(`The run was already rewound by ${earlierRewind.id}.`)
  const hasChanged = (other: Run) =>
    hasApplied(other, 'insert', 'update', 'delete') || hasPlanned(other, 'actors', 'relinked')
  const newer = later.find((other) => other.rewinds === null && hasChanged(other))
  if (newer) throw notRewindable(`Only the last run can be rewound: ${newer.id} has made changes since.`)
}
