import { type Change, commitRecords } from '../../commit/commit-record.ts'
import { microsOf, timestamp } from '../../core/clock.ts'
import { groups } from '../../domain/groups/group.ts'
import { policies } from '../../domain/policies/policy.ts'
import { type Entity, itemRow, type Row } from '../../table/entity.ts'
import { getRows } from '../../table/read.ts'
import { type Appliers, applyPlan, endingAfterApply } from '../runs/apply-plan.ts'
import { batches, discardPlan, PlanWriter } from '../runs/plan.ts'
import { directoryObjects, type Ending, type SourceInfo } from '../runs/run.ts'
import { getRun } from '../runs/run-store.ts'
import type { RunWork } from '../runs/run-work.ts'
import { type Restoration, type RewindContext, relinkPolicies, restorations, restoreRows } from './restore-rows.ts'
import {
  belongingSections,
  type DeletedRow,
  type OrphanedPolicy,
  ownerSections,
  type RewindSection,
  rewindPlan,
  rewindSections,
} from './rewind-plan.ts'

/** Assumed maximum clock skew between two processes, in microseconds. */
const maxClockSkew = 60_000_000

/**
 * Plan entry with its section. `namedBy` contains the rows whose names form the name of the entry; empty if the entry already has a name.
 */
type FoundEntry = {
  section: RewindSection
  entry: DeletedRow<Row> | OrphanedPolicy
  namedBy: { entity: Entity; id: string }[]
}

const sectionOf = new Map(
  rewindSections.flatMap((name) => (name === 'policies' ? [] : [[restorations[name].entity.name, name]])),
)

/**
 * Converts a deleted row from a commit record to a plan entry. Upgrades the row to the current version, because old records may lack
 * fields.
 */
function toDeletedEntry(object: string, before: Record<string, unknown>, at: string): FoundEntry | null {
  const section = sectionOf.get(object)
  if (!section) return null
  const { entity, toRow, nameOf, owners = [] }: Restoration = restorations[section]
  const row = toRow?.(before) ?? itemRow(entity, before)
  // Lists the last owner first, so that the name begins with a member's group or a device's pool.
  const namedBy = nameOf ? [] : owners.toReversed().map(({ entity, idOf }) => ({ entity, id: idOf(row) }))
  return { section, entry: { row, name: nameOf?.(row) ?? '', at }, namedBy }
}

function toFoundEntry({ object, before, after }: Change, at: string): FoundEntry | null {
  if (before === null) return null
  if (after === null) return toDeletedEntry(object, before, at)
  if (object !== policies.name) return null
  const [{ group_id }, is] = [itemRow(policies, before), itemRow(policies, after)]
  if (group_id === null || is.group_id !== null) return null
  const { id, resource_id, updated_at } = is
  const entry = { id, resource_id, updated_at, group_id, name: '' }
  return { section: 'policies', entry, namedBy: [{ entity: groups, id: group_id }] }
}

async function nameEntries(account: string, found: FoundEntry[], names: Map<string, string>): Promise<void> {
  for (const { entry } of found) if ('row' in entry && entry.name) names.set(entry.row.id, entry.name)
  const unknown = found.flatMap(({ namedBy }) => namedBy).filter(({ id }) => !names.has(id))
  for (const [entity, owners] of Map.groupBy(unknown, ({ entity }) => entity)) {
    const rows: ((Row & { name?: string }) | null)[] = await getRows(entity, account, [
      ...new Set(owners.map(({ id }) => id)),
    ])
    for (const row of rows) if (row?.name) names.set(row.id, row.name)
  }
  for (const { entry, namedBy } of found) {
    if (namedBy.length > 0) entry.name = namedBy.map(({ id }) => names.get(id) ?? id).join(' / ')
  }
}

/** Plans sections of a rewind from the deletions that the rewound run committed. Changes no rows and is idempotent. */
async function planRewind(work: RunWork, planned: readonly RewindSection[]): Promise<void> {
  const { run, accountId, sourceId } = work
  const rewoundRun = await getRun(accountId, sourceId, run.rewinds ?? '')
  await discardPlan(run, rewindSections.indexOf(planned[0] ?? 'actors'))
  const planWriter = new PlanWriter<Record<RewindSection, FoundEntry['entry']>>(work, rewindPlan, directoryObjects)
  const names = new Map<string, string>()
  async function* findEntries() {
    const since = microsOf(rewoundRun.started_at) - maxClockSkew
    for await (const commit of commitRecords(accountId, since, Number.POSITIVE_INFINITY)) {
      if (work.isSaveDue) await work.save()
      if (commit.run_id !== rewoundRun.id) continue
      for (const change of commit.changes) {
        const found = toFoundEntry(change, timestamp(commit.time))
        if (found && planned.includes(found.section)) yield found
      }
    }
  }
  for await (const batch of batches(findEntries())) {
    await nameEntries(accountId, batch, names)
    for (const { section, entry } of batch) await planWriter.add(section, entry)
  }
  const { sections, counts } = await planWriter.end()
  for (const section of planned) run.sections[section] = sections[section] ?? 0
  for (const [object, count] of Object.entries(counts)) if (count.insert > 0) run.planned[object] = count
}

const restoringAppliers = Object.entries<Restoration>(restorations).map(([section, kind]) => [
  section,
  {
    perCommit: kind.perCommit,
    stage: (stage: RewindContext, entries: DeletedRow<Row>[]) => restoreRows(stage, kind, entries),
  },
])

const appliers: Appliers<RewindContext> = {
  ...Object.fromEntries(restoringAppliers),
  policies: {
    perCommit: 24,
    stage: ({ transaction }, entries: OrphanedPolicy[]) => relinkPolicies(transaction, entries),
  },
}

/**
 * Executes a rewind, which undoes the deletions of an earlier run (I4.1(6)). Restores owners first, because the rows that belong to them
 * may still be deleted until the owners exist.
 * @throws RunCancelled if the directory was deleted or its account disabled; StepOver, LeaseLost
 */
export async function rewindRun(work: RunWork, kind: SourceInfo): Promise<Ending> {
  const { run, author } = work
  if (run.phase === 'plan') {
    await planRewind(work, ownerSections)
    run.phase = 'apply'
    await work.save()
  }
  await applyPlan(work, kind, ownerSections, appliers, { author })
  if (run.sections.identities === undefined) {
    await planRewind(work, belongingSections)
    await work.save()
  }
  await applyPlan(work, kind, rewindSections, appliers, { author })
  return endingAfterApply(work)
}
