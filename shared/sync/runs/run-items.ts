import { clock, microsOf, timestamp } from '../../core/clock.ts'
import { type Item, type Key, partition } from '../../table/keys.ts'
import type { CountsByObject, Run, RunSkipped } from './run.ts'

/** How long runs and their plans are listed (I4.1(4)). */
const keptMicros = 30 * 86_400_000_000

/** The runs of one directory or posture provider, by their ids. */
export const runsPartition = (account: string, sourceId: string): string => partition(account, 'sync.runs', sourceId)

/** The runs under way, by what they are of. */
export const openRunsPartition = (account: string): string => partition(account, 'sync.open')

/** Where an application of a plan goes on. */
type PlanPosition = { section: number; index: number }

/**
 * Stands for as long as a run is under way, so that there is one at a time. It has the lease of who works on it, and how far
 * the plan is applied: that is written with each commit.
 */
export type OpenRun = {
  run_id: string
  /** Who holds the lease; null for nobody. */
  owner: string | null
  /** Until when, in microseconds. */
  until: number
  at: PlanPosition
  applied: CountsByObject
  /** Its commits have deleted an administrator, or an identity of one. */
  took_administrator?: boolean
  skipped: Record<string, number>
  skipped_sample: RunSkipped[]
}

export const openRunKey = (account: string, sourceId: string): Key => ({
  pk: openRunsPartition(account),
  sk: sourceId,
})

export const openRunItem = (account: string, sourceId: string, open: OpenRun): Item => ({
  ...openRunKey(account, sourceId),
  kind: 'open_run',
  ...open,
})

/** When the items of a run end, in seconds. */
export const runTtl = (startedAt: string): number => Math.ceil((microsOf(startedAt) + keptMicros) / 1_000_000)

export const isKept = ({ started_at }: Pick<Run, 'started_at'>): boolean =>
  started_at > timestamp(clock.now() - keptMicros)

export const runItem = (run: Run): Item => ({
  pk: runsPartition(run.account_id, run.source_id),
  sk: run.id,
  kind: 'run',
  ttl: runTtl(run.started_at),
  ...run,
})
