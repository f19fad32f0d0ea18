import type { Author } from '../../commit/commit.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { type Application, applyPlan, endingOfPlan } from '../apply/apply-plan.ts'
import type { Staged } from '../plans/staged.ts'
import type { Ending } from '../runs/ending.ts'
import type { RunWork } from '../runs/run-work.ts'
import type { SourceKind, SourceRow } from '../sources/sync-source.ts'
import { planRewind } from './plan-rewind.ts'
import { regainGroups } from './regain-groups.ts'
import { bringBack, restorations } from './restore-rows.ts'
import {
  belongingSections,
  ownerSections,
  type RewindEntries,
  type RewindSection,
  rewindSections,
} from './rewind-plan.ts'

/** Entries that one commit looks at: as many as may fit it. */
const perCommit: Record<RewindSection, number> = {
  actors: 10,
  groups: 18,
  identities: 15,
  memberships: 48,
  policies: 24,
  clients: 10,
  pool_members: 30,
}

type Stagers = {
  [S in RewindSection]: (transaction: Transaction, author: Author, entries: RewindEntries[S][]) => Promise<Staged>
}

const stagers: Stagers = {
  actors: (transaction, author, entries) => bringBack(transaction, author, restorations.actors, entries),
  groups: (transaction, author, entries) => bringBack(transaction, author, restorations.groups, entries),
  identities: (transaction, author, entries) => bringBack(transaction, author, restorations.identities, entries),
  memberships: (transaction, author, entries) => bringBack(transaction, author, restorations.memberships, entries),
  policies: (transaction, _author, entries) => regainGroups(transaction, entries),
  clients: (transaction, author, entries) => bringBack(transaction, author, restorations.clients, entries),
  pool_members: (transaction, author, entries) => bringBack(transaction, author, restorations.pool_members, entries),
}

const sections = rewindSections.map((name) => ({ name, perCommit: perCommit[name] }))
const stagedBy =
  (author: Author): Application['stage'] =>
  (section, transaction, entries) =>
    stagers[section as RewindSection](transaction, author, entries as never[])

/**
 * Undoes what a run has deleted (I4.1(6)), in the steps and with the lease of a run of its own: first those to whom everything
 * else belongs, then what belonged to them. Until the owners are there, what is left over from their deletion may still be at work.
 * @throws RunCancelled when the directory was deleted, or its account disabled; StepOver, LeaseLost
 */
export async function rewound<R extends SourceRow>(work: RunWork, kind: SourceKind<R>): Promise<Ending> {
  const { run, author } = work
  const stage = stagedBy(author)
  if (run.phase === 'plan') {
    await planRewind(work, ownerSections)
    run.phase = 'apply'
    await work.save()
  }
  await applyPlan(work, kind, { sections: sections.slice(0, ownerSections.length), stage })
  if (run.sections[belongingSections[0]] === undefined) {
    await planRewind(work, belongingSections)
    await work.save()
  }
  await applyPlan(work, kind, { sections, stage })
  return endingOfPlan(work)
}
