import { clock, timestamp } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { attemptAll } from '../../core/work/in-parallel.ts'
import { directoryKinds } from '../../domain/directories/directory.ts'
import {
  lastStepItem,
  readScheduledSyncs,
  type ScheduledSync,
  scheduledSyncItem,
  scheduledSyncKey,
} from '../../domain/sync/sync-state.ts'
import { put, putIf, removeWhile, writeTogether } from '../../table/write-together.ts'
import { directorySources } from '../directories/directory-source.ts'
import { inventorySource } from '../inventories/inventory-source.ts'
import { nextSlot } from '../runs/run.ts'
import { beginRun, readOpenRun, readOpenRuns, readRun } from '../runs/run-store.ts'
import { isAllowed, readSource, type SourceKind } from '../runs/source.ts'
import { workOnRun } from './work-on-run.ts'

/** Number of runs that an invocation executes in parallel. It exceeds `maxOpenRuns`, so that no account occupies all of them. */
const concurrency = 3
const maxOpenRuns = 2

/**
 * Orders due runs in rounds, each with one run per account. Within a round, accounts whose last step is the oldest come first (I4.1(1)).
 */
export function orderFairly(syncs: ScheduledSync[], lastSteps: Map<string, string>): ScheduledSync[] {
  const byAccount = Map.groupBy(
    syncs.toSorted((a, b) => (a.next_at < b.next_at ? -1 : 1)),
    ({ account_id }) => account_id,
  )
  const queues = [...byAccount].toSorted(([a], [b]) => ((lastSteps.get(a) ?? '') < (lastSteps.get(b) ?? '') ? -1 : 1))
  const rounds = Math.max(0, ...queues.map(([, queue]) => queue.length))
  return Array.from({ length: rounds }, (_, i) => queues.flatMap(([, queue]) => queue[i] ?? [])).flat()
}

/**
 * Begins the runs that are due and resumes the runs in progress (I4.1). The lease of a run prevents overlapping invocations from working on
 * the same run.
 * @param deadline in milliseconds since 1970
 * @throws AggregateError with the errors of failed runs, after all other runs were processed
 */
export async function runDue(deadline: number): Promise<void> {
  const now = timestamp(clock.now())
  const { scheduled: syncs, lastSteps } = await readScheduledSyncs()
  const due = syncs.filter(({ next_at }) => next_at <= now)
  const begun = new Map<string, Promise<unknown>>()
  const workInTime = async (sync: ScheduledSync) => {
    if (clock.monotonic() < deadline) await workOnSync(sync, deadline, begun)
  }
  await attemptAll(orderFairly(due, lastSteps), concurrency, workInTime, 'Some sync runs could not continue.')
}

async function workOnSync(sync: ScheduledSync, deadline: number, begun: Map<string, Promise<unknown>>): Promise<void> {
  const kind = sourceKinds.get(sync.collection)
  if (!kind) return
  const { account_id } = sync
  // Handles the sources of an account one after the other, so that each check of `maxOpenRuns` includes the runs that have just begun.
  const isOpen = (begun.get(account_id) ?? Promise.resolve()).then(() => findOrBeginRun(sync, kind))
  begun.set(
    account_id,
    isOpen.catch(() => undefined),
  )
  if (!(await isOpen)) return
  const noteStep = () => writeTogether([put(lastStepItem(account_id, clock.now()))])
  await noteStep()
  try {
    await workOnRun(sync, kind, deadline)
  } finally {
    await noteStep()
  }
}

/** Begins a run if none is in progress. Returns whether a step of the run may be executed now. */
async function findOrBeginRun(sync: ScheduledSync, kind: SourceKind): Promise<boolean> {
  const { account_id, source_id } = sync
  const open = await readOpenRun(account_id, source_id)
  if (open) return open.until < clock.now() && isWithinLimit(sync)
  if ((await readOpenRuns(account_id)).length >= maxOpenRuns) return false
  return (await beginIfAllowed(sync, kind)) && isWithinLimit(sync)
}

/** Returns true for a rewind, and for a run that is among the oldest `maxOpenRuns` of its account (I4.1(1)). */
async function isWithinLimit({ account_id, source_id }: ScheduledSync): Promise<boolean> {
  const all = (await readOpenRuns(account_id)).toSorted((a, b) => (a.run_id < b.run_id ? -1 : 1))
  const rank = all.findIndex(({ sk }) => sk === source_id)
  const openRun = all[rank]
  if (!openRun || rank < maxOpenRuns) return openRun !== undefined
  const run = await readRun(account_id, source_id, openRun.run_id)
  return run?.rewinds != null
}

async function beginIfAllowed(sync: ScheduledSync, kind: SourceKind): Promise<boolean> {
  const { account_id, source_id } = sync
  const [row, account] = await readSource(kind, account_id, source_id)
  if (!row || !isAllowed(kind, row, account)) {
    // Writes only if the schedule is unchanged, so that a run requested after the schedule was read is not lost.
    const asRead = { next_at: sync.next_at }
    const next = row && scheduledSyncItem(sync, timestamp(nextSlot(kind.minuteOf(row), clock.now())))
    await writeTogether([next ? putIf(next, asRead) : removeWhile(scheduledSyncKey(sync), asRead)])
    return false
  }
  try {
    await beginRun(kind, row, { preview: false }, sync.next_at)
    return true
  } catch (error) {
    if (error instanceof ApiError && error.code === 'sync_running') return false
    throw error
  }
}

const sourceKinds: ReadonlyMap<string, SourceKind> = new Map(
  [...directoryKinds.map((kind) => directorySources[kind]), inventorySource].map((kind) => [kind.entity.name, kind]),
)
