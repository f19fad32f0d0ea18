import { commit } from '../../commit/commit.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { fieldsOf } from '../../core/json/is-object.ts'
import { waiting } from '../../core/work/waiting.ts'
import { accounts } from '../../domain/accounts/account.ts'
import { itemRow } from '../../table/entity.ts'
import { entityKey, type Key } from '../../table/keys.ts'
import { getItems } from '../../table/read.ts'
import { isRefusedItem } from '../../table/refused-item.ts'
import { PlanReader } from '../plans/plan-store.ts'
import { nothingStaged, type Staged, stagedSkip } from '../plans/staged.ts'
import { ProviderFault } from '../provider-fault.ts'
import type { Ending } from '../runs/ending.ts'
import { countChange, noteSkipped } from '../runs/run.ts'
import { type OpenRun, openRunItem, openRunKey } from '../runs/run-items.ts'
import { renewed } from '../runs/run-store.ts'
import type { RunWork } from '../runs/run-work.ts'
import { LeaseLost } from '../runs/step-end.ts'
import { checkStanding } from '../sources/check-standing.ts'
import type { SourceKind, SourceRow } from '../sources/sync-source.ts'
import { Pace } from './pace.ts'

/** How a plan is applied: its sections, in their order, and what stages as many entries of one as have room. */
export type Application = {
  sections: SourceKind['sections']
  stage(section: string, transaction: Transaction, entries: unknown[]): Promise<Staged>
}

/** Tells whether a run may still change anything: read inside the commit, whose condition holds it. */
async function checkHeld<R extends SourceRow>(work: RunWork, kind: SourceKind<R>): Promise<void> {
  const { accountId, sourceId, run } = work
  const [open, item, account] = await getItems<Key & Partial<OpenRun>>([
    openRunKey(accountId, sourceId),
    entityKey(accountId, kind.entity.name, sourceId),
    entityKey(accountId, accounts.name, accountId),
  ])
  if (open?.run_id !== run.id || open.owner !== work.open.owner) throw new LeaseLost()
  checkStanding(run, kind, item ? itemRow(kind.entity, item) : null, account ? itemRow(accounts, account) : null)
}

const advanced = (open: OpenRun, { handled, changes, skipped, tookAdministrator }: Staged): OpenRun => {
  const next = renewed({
    ...structuredClone(open),
    at: { section: open.at.section, index: open.at.index + handled },
  })
  if (tookAdministrator) next.took_administrator = true
  for (const { object, change } of changes) countChange(next.applied, object, change)
  for (const one of skipped) noteSkipped(next, one)
  return next
}

/**
 * Applies the plan, section by section, one commit at a time and at a polite pace (I4.5). Each commit notes in its own
 * transaction how far it has come, on the condition that the lease is still held: nothing is done twice, and what was done is
 * never forgotten.
 * @throws RunCancelled when the run may not go on
 */
export async function applyPlan<R extends SourceRow>(
  work: RunWork,
  kind: SourceKind<R>,
  { sections, stage }: Application,
): Promise<void> {
  const plan = new PlanReader(work.accountId, work.run.id)
  const pace = new Pace()
  /** Entries that are applied one by one, because a commit of all of them was refused. */
  let alone = 0
  for (let section = sections[work.open.at.section]; section; section = sections[work.open.at.section]) {
    const total = work.run.sections[section.name] ?? 0
    while (work.open.at.index < total) {
      const { index } = work.open.at
      const entries = await plan.read<unknown>(work.open.at.section, index, alone > 0 ? 1 : section.perCommit)
      await pace.turn()
      try {
        pace.note(await applySome(work, kind, (transaction) => stage(section.name, transaction, entries)))
      } catch (error) {
        if (!isRefusedItem(error)) throw error
        if (entries.length > 1) {
          alone = entries.length
          continue
        }
        await applySome(work, kind, async () => withoutEntry(entries[0]))
        checkRefused(work)
      }
      alone = Math.max(0, alone - (work.open.at.index - index))
      await work.keepPlace()
    }
    work.open = { ...work.open, at: { section: work.open.at.section + 1, index: 0 } }
  }
}

const notStorable = 'not_storable'
/** Above this number of refused entries, the run itself is at fault. */
const maxRefused = 100

/** Skips an entry that the table refuses. */
function withoutEntry(entry: unknown): Staged {
  const { idp_id, id, name } = fieldsOf(entry)
  const staged = { ...nothingStaged(), handled: 1 }
  stagedSkip(staged, String(idp_id ?? id ?? ''), typeof name === 'string' ? name : null, notStorable)
  return staged
}

function checkRefused({ open }: RunWork): void {
  const refused = open.skipped[notStorable] ?? 0
  if (refused >= maxRefused)
    throw new ProviderFault('transient', `${refused} entries could not be stored; the run ended.`)
}

/** The ending of a run whose plan is applied: one that had to skip entries because the table refused them has failed. */
export function endingOfPlan({ open }: RunWork): Ending {
  const refused = open.skipped[notStorable]
  if (refused === undefined) return { outcome: 'applied' }
  const error = `${refused} entries could not be stored and were skipped (${notStorable}); all others were applied.`
  return { outcome: 'failed', error, class: 'transient' }
}

/** One commit; how long it took, and how many races it lost. */
async function applySome<R extends SourceRow>(
  work: RunWork,
  kind: SourceKind<R>,
  stage: (transaction: Transaction) => Promise<Staged>,
): Promise<{ ms: number; lost: number }> {
  const { accountId, sourceId, run, open } = work
  const began = waiting.now()
  let tries = 0
  const { next, isWritten } = await commit(work.author, async (transaction) => {
    tries++
    // At once: the shorter the time between reading the head and writing it, the fewer races are lost.
    const [staged] = await Promise.all([stage(transaction), checkHeld(work, kind)])
    const next = advanced(open, staged)
    const isWritten = transaction.writes().length > 0
    // What changes nothing is no commit: the place is kept by the next one, or by the clock.
    if (isWritten) {
      transaction.exchange(openRunItem(accountId, sourceId, next), { run_id: run.id, owner: open.owner })
    }
    return { next, isWritten }
  })
  if (isWritten) work.noteSaved(next)
  else work.open = { ...next, until: open.until }
  return { ms: waiting.now() - began, lost: tries - 1 }
}
