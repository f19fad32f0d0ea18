import { clock, microsOf, timestamp } from '../../core/clock.ts'
import { ApiError, notFound } from '../../core/errors.ts'
import { uuidV7 } from '../../core/ids.ts'
import { scheduledSyncItem } from '../../domain/sync/sync-state.ts'
import { changeItem } from '../../table/change-item.ts'
import { type Item, type Key, partition } from '../../table/keys.ts'
import { getItem, queryItems } from '../../table/read.ts'
import { put, putIf, writeTogether } from '../../table/write-together.ts'
import { type Run, type SourceInfo, type SourceRow, zeroCounts } from './run.ts'

const leaseMicros = 120_000_000

/** Retention of runs and their plans, in microseconds (I4.1(4)). */
const retentionMicros = 30 * 86_400_000_000

/** Partition of the runs of one directory or posture provider, sorted by run id. */
export const runsPartition = (account: string, sourceId: string): string => partition(account, 'sync.runs', sourceId)

const openRunsPartition = (account: string): string => partition(account, 'sync.open')

/** Progress and lease of a run in progress. Commits of the run update this item. It is deleted when the run ends. */
export type OpenRun = Pick<Run, 'applied' | 'skipped' | 'skipped_sample'> & {
  run_id: string
  /** Worker that last took the lease; null before the first step. */
  owner: string | null
  /** End of the lease in microseconds since 1970; 0 after the lease was released. */
  until: number
  /** Position in the plan at which the next step resumes. */
  at: { section: number; index: number }
  took_administrator?: boolean
}

export const openRunKey = (account: string, sourceId: string): Key => ({ pk: openRunsPartition(account), sk: sourceId })

export function openRunItem(account: string, sourceId: string, open: OpenRun): Item {
  return { ...openRunKey(account, sourceId), kind: 'open_run', ...open }
}

/** Returns the expiry time of a run's items, in seconds since 1970. */
export const runTtl = (startedAt: string): number => Math.ceil((microsOf(startedAt) + retentionMicros) / 1_000_000)

export const isRetained = ({ started_at }: Pick<Run, 'started_at'>): boolean =>
  started_at > timestamp(clock.now() - retentionMicros)

export function runItem(run: Run): Item {
  const pk = runsPartition(run.account_id, run.source_id)
  return { pk, sk: run.id, kind: 'run', ttl: runTtl(run.started_at), ...run }
}

export const toRun = ({ pk: _pk, sk: _sk, kind: _kind, ttl: _ttl, ...run }: Item & Run): Run => run

export async function readRun(account: string, sourceId: string, id: string): Promise<Run | null> {
  const item = await getItem<Item & Run>({ pk: runsPartition(account, sourceId), sk: id })
  return item && isRetained(item) ? toRun(item) : null
}

export async function getRun(account: string, sourceId: string, id: string): Promise<Run> {
  const run = await readRun(account, sourceId, id)
  if (!run) throw notFound()
  return run
}

export const readOpenRun = (account: string, sourceId: string) => getItem<Item & OpenRun>(openRunKey(account, sourceId))

export const readOpenRuns = (account: string) => queryItems<Item & OpenRun>(openRunsPartition(account))

export const syncRunning = () => new ApiError('sync_running', 'A sync run is already in progress. Wait until it ends.')

type RunFields = Pick<Run, 'preview'> & Partial<Run>

export function newRun<R extends SourceRow>(
  { entity, objects, connectionOf }: SourceInfo<R>,
  row: R,
  given: RunFields,
): { run: Run; open: OpenRun } {
  const now = clock.now()
  const progress = () => ({ applied: zeroCounts(objects), skipped: {}, skipped_sample: [] })
  const run: Run = {
    ...progress(),
    id: uuidV7(now),
    account_id: row.account_id,
    collection: entity.name,
    source_id: row.id,
    connection: connectionOf(row),
    rewinds: null,
    subject: null,
    scopes: null,
    started_at: timestamp(now),
    finished_at: null,
    phase: 'read',
    outcome: null,
    error: null,
    seen: Object.fromEntries(objects.map((object) => [object, 0])),
    planned: zeroCounts(objects),
    took_administrator: false,
    reading: null,
    root: null,
    staged_at: timestamp(now),
    whole_at: timestamp(now),
    sections: {},
    troubled_since: null,
    ...given,
  }
  return { run, open: { ...progress(), run_id: run.id, owner: null, until: 0, at: { section: 0, index: 0 } } }
}

/**
 * Begins a run.
 * @throws ApiError `sync_running` if a run is in progress, or if the next run is no longer due at `dueAt`
 */
export async function beginRun<R extends SourceRow>(
  kind: SourceInfo<R>,
  row: R,
  given: RunFields,
  dueAt?: string,
): Promise<Run> {
  const { run, open } = newRun(kind, row, given)
  const { account_id, source_id } = run
  const scheduled = scheduledSyncItem(run, run.started_at)
  for (let tries = 0; tries < 5; tries++) {
    if (await readOpenRun(account_id, source_id)) throw syncRunning()
    const outcome = await writeTogether([
      putIf(openRunItem(account_id, source_id, open), null),
      put(runItem(run)),
      dueAt === undefined ? put(scheduled) : putIf(scheduled, { next_at: dueAt }),
    ])
    if (outcome === 'done') return run
  }
  throw syncRunning()
}

/** Takes the lease of a run in progress. Returns null if another worker holds the lease or the run has ended. */
export async function takeLease(account: string, sourceId: string, owner: string): Promise<OpenRun | null> {
  const now = clock.now()
  const leased = { owner, until: now + leaseMicros }
  const before = await changeItem<Item & OpenRun>(openRunKey(account, sourceId), {
    set: leased,
    when: 'attribute_exists(pk) AND #until < :now',
    values: { now },
  })
  if (!before) return null
  const { pk: _pk, sk: _sk, kind: _kind, ...open } = before
  return { ...open, ...leased }
}

export const renewLease = (open: OpenRun): OpenRun => ({ ...open, until: clock.now() + leaseMicros })
