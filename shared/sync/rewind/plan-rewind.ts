import type { Change } from '../../commit/commit-record.ts'
import { microsOf, timestamp } from '../../core/clock.ts'
import { actors } from '../../domain/actors/actor.ts'
import { clientOfRecord, clients } from '../../domain/clients/client.ts'
import { externalIdentities } from '../../domain/external-identities/external-identity.ts'
import { groups } from '../../domain/groups/group.ts'
import { memberships } from '../../domain/memberships/membership.ts'
import { policies } from '../../domain/policies/policy.ts'
import { poolMembers } from '../../domain/pool-members/pool-member.ts'
import { resources } from '../../domain/resources/resource.ts'
import { commitRecords } from '../../logs/commit-records.ts'
import { type Entity, itemRow, type Row } from '../../table/entity.ts'
import { getRows } from '../../table/read.ts'
import { perLookup } from '../plans/batches.ts'
import { discardPlan, PlanWriter } from '../plans/plan-store.ts'
import { countChange, countsOf, directoryObjects } from '../runs/run.ts'
import { knownRun } from '../runs/run-store.ts'
import type { RunWork } from '../runs/run-work.ts'
import { type RewindEntries, type RewindSection, rewindPlan, rewindSections } from './rewind-plan.ts'

/** The clocks of two processes may differ by so much, in microseconds. */
const skew = 60_000_000

type Named = Row & { name: string }
type Entry = { [S in RewindSection]: { section: S; entry: RewindEntries[S] } }[RewindSection]

/** The names of those who own something. */
class Names {
  private readonly account: string
  private readonly known = new Map<string, string>()

  constructor(account: string) {
    this.account = account
  }

  async learn<R extends Named>(entity: Entity<R>, ids: string[]): Promise<void> {
    const unknown = [...new Set(ids)].filter((id) => !this.known.has(id))
    for (const row of await getRows(entity, this.account, unknown)) if (row) this.known.set(row.id, row.name)
  }

  note({ id, name }: Pick<Named, 'id' | 'name'>): void {
    this.known.set(id, name)
  }

  of(id: string): string {
    return this.known.get(id) ?? id
  }
}

/** The row of a record, in the form of today: one of a week ago may lack a field. */
const rowOf = <R extends Row>(entity: Entity<R>, recorded: Record<string, unknown>): R => itemRow(entity, recorded)

/** What a change of the run is to the rewind; null for what it leaves as it is. */
function entryOf({ object, before, after }: Change, at: string): Entry | null {
  if (before === null) return null
  if (object === policies.name && after !== null) {
    const [was, is] = [rowOf(policies, before), rowOf(policies, after)]
    if (was.group_id === null || is.group_id !== null) return null
    const { id, resource_id, updated_at } = is
    return { section: 'policies', entry: { id, resource_id, updated_at, group_id: was.group_id, name: was.group_id } }
  }
  if (after !== null) return null
  if (object === actors.name) {
    const row = rowOf(actors, before)
    return { section: 'actors', entry: { row, name: row.name, at } }
  }
  if (object === groups.name) {
    const row = rowOf(groups, before)
    return { section: 'groups', entry: { row, name: row.name, at } }
  }
  if (object === externalIdentities.name) {
    const row = rowOf(externalIdentities, before)
    return { section: 'identities', entry: { row, name: row.name ?? row.email ?? row.idp_id, at } }
  }
  if (object === memberships.name) {
    const row = rowOf(memberships, before)
    return { section: 'memberships', entry: { row, name: row.id, at } }
  }
  if (object === clients.name) {
    const row = clientOfRecord(before)
    return { section: 'clients', entry: { row, name: row.name, at } }
  }
  if (object === poolMembers.name) {
    const row = rowOf(poolMembers, before)
    return { section: 'pool_members', entry: { row, name: row.id, at } }
  }
  return null
}

/** Gives the entries names of those whom they belong to. */
async function name(entries: Entry[], names: Names): Promise<void> {
  const members = entries.flatMap(({ section, entry }) => (section === 'memberships' ? [entry] : []))
  const orphans = entries.flatMap(({ section, entry }) => (section === 'policies' ? [entry] : []))
  const of = [...members.map(({ row }) => row.group_id), ...orphans.map(({ group_id }) => group_id)]
  await names.learn(groups, of)
  await names.learn(
    actors,
    members.map(({ row }) => row.actor_id),
  )
  for (const entry of members) entry.name = `${names.of(entry.row.group_id)} / ${names.of(entry.row.actor_id)}`
  for (const entry of orphans) entry.name = names.of(entry.group_id)
  for (const { section, entry } of entries) if (section === 'clients') names.note(entry.row)
  const pooled = entries.flatMap(({ section, entry }) => (section === 'pool_members' ? [entry] : []))
  await names.learn(
    resources,
    pooled.map(({ row }) => row.resource_id),
  )
  for (const entry of pooled) entry.name = `${names.of(entry.row.resource_id)} / ${names.of(entry.row.device_id)}`
}

/**
 * Finds in the commits of a run what it has deleted, those that followed it included, and writes the sections of it from one on
 * down that are asked for. It changes nothing; one that dies is made anew.
 */
export async function planRewind(work: RunWork, planned: readonly RewindSection[]): Promise<void> {
  const { run, accountId, sourceId } = work
  const undone = await knownRun(accountId, sourceId, run.rewinds ?? '')
  await discardPlan(run, rewindSections.indexOf(planned[0] ?? 'actors'))
  const writer = new PlanWriter(run, rewindSections)
  const counts = countsOf(directoryObjects)
  const names = new Names(accountId)
  let found: Entry[] = []
  const flush = async () => {
    await name(found, names)
    for (const { section, entry } of found) {
      await writer.add(section, entry)
      const { object, change } = rewindPlan.changeOf(section, entry)
      countChange(counts, object, change)
    }
    found = []
  }
  for await (const commit of commitRecords(accountId, microsOf(undone.started_at) - skew, Number.POSITIVE_INFINITY)) {
    if (work.isDue) await work.save()
    if (commit.run_id !== undone.id) continue
    const entries = commit.changes.map((change) => entryOf(change, timestamp(commit.time)))
    found.push(...entries.filter((one): one is Entry => one !== null && planned.includes(one.section)))
    if (found.length >= perLookup) await flush()
  }
  await flush()
  const written = await writer.end()
  for (const section of planned) run.sections[section] = written[section] ?? 0
  for (const object of directoryObjects) {
    const more = counts[object]
    if (more && more.insert > 0) run.planned[object] = more
  }
}
