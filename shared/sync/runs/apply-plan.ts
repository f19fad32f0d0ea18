import { commit } from '../../commit/commit.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { clock } from '../../core/clock.ts'
import { fieldsOf } from '../../core/json/is-object.ts'
import { accounts } from '../../domain/accounts/account.ts'
import { itemRow } from '../../table/entity.ts'
import { entityKey, type Key } from '../../table/keys.ts'
import { getItems } from '../../table/read.ts'
import { isRefusedItem } from '../../table/refused-item.ts'
import { ProviderFault } from '../adapter.ts'
import { PlanReader, type StageContext, type StagedChange } from './plan.ts'
import { countChange, type Ending, noteSkipped, type SourceInfo } from './run.ts'
import { type OpenRun, openRunItem, openRunKey, renewLease } from './run-store.ts'
import type { RunWork } from './run-work.ts'
import { checkMayContinue } from './source.ts'

/**
 * Applier of one section of a plan. `stage` is a method, and therefore bivariant, so that one map can contain the appliers of all sections.
 */
type Applier<C, E> = {
  /** Maximum number of entries per commit; lower for entries that may need many writes. */
  perCommit: number
  stage(context: C, entries: E[]): Promise<StagedChange>
}
export type Appliers<C, M = Record<string, unknown>> = { readonly [S in keyof M]: Applier<C, M[S]> }

/**
 * Checks within a commit that the run may still change data.
 * @throws LeaseLost, RunCancelled
 */
async function checkLeaseAndSource(work: RunWork, kind: SourceInfo): Promise<void> {
  const { accountId, sourceId, run } = work
  const [open, item, account] = await getItems<Key & Partial<OpenRun>>([
    openRunKey(accountId, sourceId),
    entityKey(accountId, kind.entity.name, sourceId),
    entityKey(accountId, accounts.name, accountId),
  ])
  work.checkLease(open)
  checkMayContinue(run, kind, item ? itemRow(kind.entity, item) : null, account ? itemRow(accounts, account) : null)
}

const advanceOpenRun = (open: OpenRun, { handled, changes, skipped, deletedAdministrator }: StagedChange): OpenRun => {
  const next = renewLease({
    ...structuredClone(open),
    at: { section: open.at.section, index: open.at.index + handled },
  })
  if (deletedAdministrator) next.took_administrator = true
  for (const { object, change } of changes) countChange(next.applied, object, change)
  for (const one of skipped) noteSkipped(next, one)
  return next
}

/**
 * Applies the plan section by section, one commit at a time, with pauses for other writers (I4.5). Each commit also saves the position in
 * the plan, provided that the lease is still held, so no entry is applied twice.
 * @throws RunCancelled if the run may not continue; StepOver, LeaseLost
 */
export async function applyPlan<C>(
  work: RunWork,
  kind: SourceInfo,
  names: readonly string[],
  appliers: Appliers<StageContext & C>,
  context: C,
): Promise<void> {
  const { sourceId, run } = work
  const plan = new PlanReader(run)
  const pace = new Pace()
  /** Number of entries still to be applied one by one, after DynamoDB rejected a commit of all of them. */
  let singles = 0
  for (let name = names[work.open.at.section]; name !== undefined; name = names[work.open.at.section]) {
    const applier = appliers[name]
    const total = run.sections[name] ?? 0
    while (applier && work.open.at.index < total) {
      const { section, index } = work.open.at
      const entries = await plan.read<unknown>(section, index, singles > 0 ? 1 : applier.perCommit)
      const stage = (transaction: Transaction) =>
        applier.stage({ transaction, sourceId, startedAt: run.started_at, ...context }, entries)
      await pace.wait()
      try {
        pace.record(await applyEntries(work, kind, stage))
      } catch (error) {
        if (!isRefusedItem(error)) throw error
        if (entries.length > 1) {
          singles = entries.length
          continue
        }
        await applyEntries(work, kind, async () => skipEntry(entries[0]))
        const refused = work.open.skipped[notStorable] ?? 0
        if (refused >= maxRefused)
          throw new ProviderFault('transient', `${refused} entries could not be stored; the run ended.`)
      }
      singles = Math.max(0, singles - (work.open.at.index - index))
      await work.checkpoint()
    }
    work.open = { ...work.open, at: { section: work.open.at.section + 1, index: 0 } }
  }
}

const notStorable = 'not_storable'
/** Number of rejected entries at which the run ends (I4.5). */
const maxRefused = 100

function skipEntry(entry: unknown): StagedChange {
  const { idp_id, id, name } = fieldsOf(entry)
  const skipped = { idp_id: String(idp_id ?? id ?? ''), name: typeof name === 'string' ? name : null }
  return { handled: 1, changes: [], skipped: [{ ...skipped, reason: notStorable }] }
}

/** Returns the ending of a run whose plan was applied: `failed` if DynamoDB rejected entries, otherwise `applied`. */
export function endingAfterApply({ open }: RunWork): Ending {
  const refused = open.skipped[notStorable]
  if (refused === undefined) return { outcome: 'applied' }
  const error = `${refused} entries could not be stored and were skipped (${notStorable}); all others were applied.`
  return { outcome: 'failed', error, class: 'transient' }
}

/** Applies entries in one commit. Returns the duration in milliseconds and the number of conflicts with other writers. */
async function applyEntries(
  work: RunWork,
  kind: SourceInfo,
  stage: (transaction: Transaction) => Promise<StagedChange>,
): Promise<{ ms: number; conflicts: number }> {
  const { accountId, sourceId, open } = work
  const began = clock.monotonic()
  let tries = 0
  const { next, isWritten } = await commit(work.author, async (transaction) => {
    tries++
    // Stages and checks in parallel. The shorter the time between reading and writing the account version, the fewer conflicts occur.
    const [staged] = await Promise.all([stage(transaction), checkLeaseAndSource(work, kind)])
    const next = advanceOpenRun(open, staged)
    const isWritten = transaction.writes().length > 0
    // Saves the position only in a commit with changes. Without changes, a later commit or checkpoint saves the position.
    if (isWritten) transaction.exchange(openRunItem(accountId, sourceId, next), work.lease)
    return { next, isWritten }
  })
  if (isWritten) work.noteSaved(next)
  else work.open = { ...next, until: open.until }
  return { ms: clock.monotonic() - began, conflicts: tries - 1 }
}

/** Maximum number of commits per second of a run (I4.5). */
const maxRate = 15
const maxPauseMs = 2_000

/**
 * Spaces out the commits of a run (I4.5). Each pause is as long as the commit, so that other writers get half of the time. After a commit
 * with conflicts, the pause is three times as long as one attempt.
 */
export class Pace {
  private readyAt = 0

  async wait(): Promise<void> {
    const now = clock.monotonic()
    if (now < this.readyAt) await clock.sleep(this.readyAt - now)
  }

  /** Records the duration of a commit in milliseconds, including the attempts that ended in conflicts. */
  record({ ms, conflicts }: { ms: number; conflicts: number }): void {
    const once = ms / (conflicts + 1)
    const pause = Math.min(maxPauseMs, conflicts > 0 ? 3 * once : once)
    this.readyAt = clock.monotonic() + Math.max(pause, 1_000 / maxRate - ms)
  }
}
