import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { clock, microsOf } from '../../core/clock.ts'
import { env } from '../../core/env.ts'
import { measure } from '../../core/logging/invocation.ts'
import { accounts } from '../../domain/accounts/account.ts'
import { type LastGoodRun, lastGoodRunKey } from '../../domain/sync/last-good-run.ts'
import type { Synced } from '../../domain/sync/sync-turn.ts'
import type { Key } from '../../table/keys.ts'
import { getItem, getRow } from '../../table/read.ts'
import { applyPlan, endingOfPlan } from '../apply/apply-plan.ts'
import { brake } from '../plans/brake.ts'
import { discardPlan } from '../plans/plan-store.ts'
import { ProviderFault } from '../provider-fault.ts'
import { askProvider } from '../read/ask-provider.ts'
import { rewound } from '../rewind/rewound.ts'
import { cancelled, type Ending } from '../runs/ending.ts'
import { readRun, takeLease } from '../runs/run-store.ts'
import { RunWork } from '../runs/run-work.ts'
import { LeaseLost, RunCancelled, StepOver } from '../runs/step-end.ts'
import { checkStanding } from '../sources/check-standing.ts'
import type { OpenSource, SourceKind, SourceRow } from '../sources/sync-source.ts'
import { closeRun, isTooOld } from './close-run.ts'

/** Of more people who are absent, so many are asked for (I5.2). */
const mostConfirmed = 200

/**
 * Works on the run of a source that is under way, until it is over or time is: a step (I4.1(2)). Does nothing while somebody
 * else works on it.
 * @param deadline in milliseconds since 1970
 * @throws what the service's own storage throws; the run is as it was, and the next step goes on
 */
export async function workOnRun(synced: Synced, kind: SourceKind, deadline: number): Promise<void> {
  const { account_id, source_id } = synced
  const open = await takeLease(account_id, source_id, randomUUID())
  if (!open) return
  const run = await readRun(account_id, source_id, open.run_id)
  if (!run) throw new Error(`The run ${open.run_id} is gone.`)
  measure('sync_run_age_ms', Math.round((clock.now() - microsOf(run.started_at)) / 1_000))
  const work = new RunWork(run, open, deadline)
  try {
    await closeRun(work, kind, await finished(work, kind))
  } catch (error) {
    if (error instanceof LeaseLost) return
    // What it was doing is kept where it stands, and free for the next step.
    if (error instanceof StepOver) await work.release()
    else {
      await work.release().catch(() => undefined)
      throw error
    }
  }
}

/** Goes through the phases that are left; how the run ends. @throws StepOver, LeaseLost and errors that are no provider's */
async function finished(work: RunWork, kind: SourceKind): Promise<Ending> {
  try {
    if (isTooOld(work.run)) throw new ProviderFault('transient', 'The run did not end within 6 hours.')
    return await phasesOf(work, kind)
  } catch (error) {
    if (error instanceof RunCancelled) return cancelled(work.run)
    if (!(error instanceof ProviderFault)) throw error
    return { outcome: 'failed', error: error.message, class: error.faultClass === 'fatal' ? 'fatal' : 'transient' }
  }
}

async function hasNewSecret(
  { accountId, sourceId }: RunWork,
  { entity }: SourceKind,
  opened: SourceRow,
): Promise<boolean> {
  const secrets = (row: SourceRow) => Object.entries(row).filter(([field]) => entity.redact.includes(field))
  const row = await getRow(entity, accountId, sourceId)
  return row !== null && !isDeepStrictEqual(new Map(secrets(row)), new Map(secrets(opened)))
}

async function phasesOf(work: RunWork, kind: SourceKind): Promise<Ending> {
  const { run, accountId, sourceId } = work
  const [row, account] = await Promise.all([
    getRow(kind.entity, accountId, sourceId),
    getRow(accounts, accountId, accountId),
  ])
  checkStanding(run, kind, row, account)
  if (run.rewinds !== null) return rewound(work, kind)
  const source = row as SourceRow
  try {
    return await throughProvider(work, kind, source)
  } catch (error) {
    const isFatal = error instanceof ProviderFault && error.faultClass === 'fatal'
    // What a provider thinks of an old secret is of no matter once somebody has entered a new one.
    if (isFatal && (await hasNewSecret(work, kind, source))) throw new StepOver()
    throw error
  }
}

/** What is left of a run that asks its provider. */
async function throughProvider(work: RunWork, kind: SourceKind, row: SourceRow): Promise<Ending> {
  const { run, accountId, sourceId } = work
  const source = await kind.open(row, work.deadline)
  if (run.phase === 'read') {
    const last = await getItem<Key & LastGoodRun>(lastGoodRunKey(accountId, sourceId))
    await source.read(work, last)
    run.phase = 'plan'
    await work.save()
  }
  if (run.phase === 'plan' || run.phase === 'brake') {
    const ending = await planned(work, source, row)
    if (ending) return ending
    run.phase = 'apply'
    await work.save()
  }
  await applyPlan(work, kind, {
    sections: kind.sections,
    stage: (section, transaction, entries) => source.stage(section, transaction, work, entries),
  })
  return endingOfPlan(work)
}

/** Plans, and tests whether the plan is to be believed (I5); the ending of a run that goes no further. */
async function planned(work: RunWork, source: OpenSource, { accept_deletions }: SourceRow): Promise<Ending | null> {
  const { run } = work
  run.phase = 'plan'
  await discardPlan(run)
  const { sections, counts, losses, absent } = await work.collectingSkips(() => source.plan(work))
  run.sections = sections
  run.planned = counts
  run.phase = 'brake'
  await work.save()
  await confirmAbsent(work, source, absent)
  const stopped = accept_deletions ? null : brake(losses, env.syncDeletionBrakePercent)
  if (run.preview) return { outcome: 'previewed', ...(stopped !== null && { error: stopped }) }
  return stopped === null ? null : { outcome: 'stopped', error: stopped, class: 'fatal' }
}

/** A list that lacks people whom the provider still knows has lied (I5.2). */
async function confirmAbsent(work: RunWork, source: OpenSource, absent: string[]): Promise<void> {
  if (!source.confirm || absent.length === 0) return
  const every = Math.max(1, Math.floor(absent.length / mostConfirmed))
  const asked = absent.filter((_, i) => i % every === 0).slice(0, mostConfirmed)
  const confirm = source.confirm.bind(source)
  const known = await askProvider(work, () => confirm(asked))
  if (known.length === 0) return
  const sentence = `The list of users lacks ${known.length} of ${asked.length} whom the provider still knows as active, such as ${known[0]}; nothing was changed.`
  throw new ProviderFault('fatal', sentence)
}
