import { randomUUID } from 'node:crypto'
import { clock, microsOf } from '../../core/clock.ts'
import { env } from '../../core/env.ts'
import { measure } from '../../core/logging/invocation.ts'
import { type LastGoodRun, lastGoodRunKey, type SyncSource } from '../../domain/sync/sync-state.ts'
import type { Key } from '../../table/keys.ts'
import { getItem, getRow } from '../../table/read.ts'
import { ProviderFault } from '../adapter.ts'
import { callProvider } from '../read/read-list.ts'
import { rewindRun } from '../rewind/rewind.ts'
import { endingAfterApply } from '../runs/apply-plan.ts'
import { brake, discardPlan } from '../runs/plan.ts'
import { cancelledEnding, type Ending, type SourceRow } from '../runs/run.ts'
import { readRun, takeLease } from '../runs/run-store.ts'
import { LeaseLost, RunCancelled, RunWork, StepOver } from '../runs/run-work.ts'
import { checkMayContinue, type OpenSource, readSource, type SourceKind } from '../runs/source.ts'
import { closeRun } from './close-run.ts'

/** Maximum number of absent people to check with the provider. If more people are absent, a sample of this size is checked (I5.2). */
const maxConfirmed = 200

/** Maximum duration of a run in microseconds (I4.1(2)). A run that takes longer ends with a transient error. */
const maxRunMicros = 6 * 3_600_000_000

/**
 * Executes a step of a source's run, until the run ends or the deadline passes (I4.1(2)). Does nothing while a different worker holds the
 * lease.
 * @param deadline in milliseconds since 1970
 * @throws Error if the service's storage fails, after which the next step resumes the run
 */
export async function workOnRun(source: SyncSource, kind: SourceKind, deadline: number): Promise<void> {
  const { account_id, source_id } = source
  const open = await takeLease(account_id, source_id, randomUUID())
  if (!open) return
  const run = await readRun(account_id, source_id, open.run_id)
  if (!run) throw new Error(`The run ${open.run_id} no longer exists.`)
  measure('sync_run_age_ms', Math.round((clock.now() - microsOf(run.started_at)) / 1_000))
  const work = new RunWork(run, open, deadline)
  try {
    await closeRun(work, kind, await runPhases(work, kind))
  } catch (error) {
    if (error instanceof LeaseLost) return
    if (error instanceof StepOver) return work.release()
    await work.release().catch(() => undefined)
    throw error
  }
}

/**
 * Executes the remaining phases of a run. Converts faults of the provider to endings.
 * @throws StepOver, LeaseLost, and all errors that are not faults of the provider
 */
async function runPhases(work: RunWork, kind: SourceKind): Promise<Ending> {
  const { run, accountId, sourceId } = work
  let opened: SourceRow | null = null
  try {
    if (microsOf(run.started_at) < clock.now() - maxRunMicros)
      throw new ProviderFault('transient', 'The run did not end within 6 hours.')
    const [row, account] = await readSource(kind, accountId, sourceId)
    checkMayContinue(run, kind, row, account)
    if (run.rewinds !== null) return await rewindRun(work, kind)
    opened = row as SourceRow
    return await runProviderPhases(work, kind, opened)
  } catch (error) {
    if (error instanceof RunCancelled) return cancelledEnding(run)
    if (!(error instanceof ProviderFault)) throw error
    const isFatal = error.faultClass === 'fatal'
    // Ends the step without failing the run if a credential was replaced in the meantime. The next step uses the new credential.
    if (isFatal && opened && (await hasNewSecret(work, kind, opened))) throw new StepOver()
    return { outcome: 'failed', error: error.message, class: isFatal ? 'fatal' : 'transient' }
  }
}

async function hasNewSecret({ accountId, sourceId }: RunWork, { entity }: SourceKind, opened: SourceRow) {
  const row = await getRow(entity, accountId, sourceId)
  return row !== null && (entity.redact as (keyof SourceRow)[]).some((field) => row[field] !== opened[field])
}

async function runProviderPhases(work: RunWork, kind: SourceKind, row: SourceRow): Promise<Ending> {
  const { run, accountId, sourceId } = work
  const source = await kind.open(row, work.deadline)
  if (run.phase === 'read') {
    const last = await getItem<Key & LastGoodRun>(lastGoodRunKey(accountId, sourceId))
    await source.read(work, last)
    run.phase = 'plan'
    await work.save()
  }
  if (run.phase === 'plan' || run.phase === 'brake') {
    const ending = await planAndCheck(work, source, row)
    if (ending) return ending
    run.phase = 'apply'
    await work.save()
  }
  await source.apply(work)
  return endingAfterApply(work)
}

/** Plans the changes and checks that they are plausible (I5). Returns the ending of a run that must not apply them, otherwise null. */
async function planAndCheck(
  work: RunWork,
  source: OpenSource,
  { accept_deletions }: SourceRow,
): Promise<Ending | null> {
  const { run } = work
  run.phase = 'plan'
  await discardPlan(run)
  const { sections, counts, losses, absent } = await work.collectSkips(() => source.plan(work))
  run.sections = sections
  run.planned = counts
  run.phase = 'brake'
  await work.save()
  await confirmAbsent(work, source, absent)
  const stopped = accept_deletions ? null : brake(losses, env.syncDeletionBrakePercent)
  if (run.preview) return { outcome: 'previewed', ...(stopped !== null && { error: stopped }) }
  return stopped === null ? null : { outcome: 'stopped', error: stopped, class: 'fatal' }
}

/**
 * Checks that absent people are not active at the provider (I5.2).
 * @throws ProviderFault `fatal` if one of them is active
 */
async function confirmAbsent(work: RunWork, source: OpenSource, absent: string[]): Promise<void> {
  if (!source.confirm || absent.length === 0) return
  const every = Math.max(1, Math.floor(absent.length / maxConfirmed))
  const sample = absent.filter((_, i) => i % every === 0).slice(0, maxConfirmed)
  const confirm = source.confirm.bind(source)
  const present = await callProvider(work, () => confirm(sample))
  if (present.length === 0) return
  const people = `${present.length} of ${sample.length} checked users whom the provider still reports as active, such as ${present[0]}`
  throw new ProviderFault('fatal', `The list of users lacks ${people}; nothing was changed.`)
}
