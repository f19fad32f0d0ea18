import { clock, dayMicros, microsOf } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { Item } from '../../table/keys.ts'
import { queryItems } from '../../table/read.ts'
import type { Counts, Run } from '../runs/run.ts'
import { runsPartition } from '../runs/run-items.ts'
import { running, runOf } from '../runs/run-store.ts'

/** For how long after its end a run can be undone (I4.1(6)). */
const daysBack = 7

const refused = (detail: string) => new ApiError('run_not_rewindable', detail)

const applied = ({ applied }: Run, ...changes: (keyof Counts)[]): boolean =>
  Object.values(applied).some((counts) => changes.some((change) => counts[change] > 0))

/** Actors and policies are planned and not counted (I4.1(4)). */
const planned = ({ outcome, sections }: Run, ...names: string[]): boolean =>
  outcome === 'applied' && names.some((name) => (sections[name] ?? 0) > 0)

const hasDeleted = (run: Run): boolean => applied(run, 'delete') || planned(run, 'actors')

const hasChanged = (run: Run): boolean =>
  applied(run, 'insert', 'update', 'delete') || planned(run, 'actors', 'relinked')

/**
 * Only the last run that has changed something can be undone, once, and not for ever: runs that find nothing to change come every
 * two hours. One that was stopped on its way counts like one that came to its end.
 * @throws ApiError `run_not_rewindable`, `sync_running`
 */
export async function checkRewindable(run: Run): Promise<void> {
  if (run.finished_at === null) throw running()
  if (run.preview) throw refused('A preview changes nothing, so there is nothing to rewind.')
  if (run.rewinds !== null) throw refused('This run is a rewind itself.')
  if (!hasDeleted(run)) throw refused('The run has deleted nothing, so there is nothing to rewind.')
  if (microsOf(run.finished_at) < clock.now() - daysBack * dayMicros) {
    throw refused(`The run ended more than ${daysBack} days ago.`)
  }
  const later = (await queryItems<Item & Run>(runsPartition(run.account_id, run.source_id), { after: run.id })).map(
    runOf,
  )
  const undone = later.find(({ rewinds, outcome }) => rewinds === run.id && outcome === 'applied')
  if (undone) throw refused(`The run has been rewound already, by ${undone.id}.`)
  const newer = later.find((other) => other.rewinds === null && hasChanged(other))
  if (newer) throw refused(`Only the last run can be rewound: ${newer.id} has changed something since.`)
}
