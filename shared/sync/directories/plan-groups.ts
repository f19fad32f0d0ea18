import { isDeepStrictEqual } from 'node:util'
import { actors } from '../../domain/actors/actor.ts'
import { type GroupRow, groups } from '../../domain/groups/group.ts'
import { memberships } from '../../domain/memberships/membership.ts'
import { type PolicyRow, policies } from '../../domain/policies/policy.ts'
import { itemRow } from '../../table/entity.ts'
import { membersPartition, partition } from '../../table/keys.ts'
import { readMemberIds } from '../../table/member-ids.ts'
import { getRows, itemsOf } from '../../table/read.ts'
import { batches } from '../runs/plan.ts'
import type { RunSkipped } from '../runs/run.ts'
import type { PlannedGroupFields } from './directory-plan.ts'
import type { Planning } from './planning.ts'
import {
  type DirectMembers,
  flattenMembers,
  readDirectMembers,
  type SnapshotGroup,
  snapshotBounds,
  tooMany,
} from './snapshot.ts'

type UsableGroup = Exclude<SnapshotGroup, { unusable: string }>

type PresentGroup = { group: UsableGroup; row: GroupRow | null }
type Present = Map<string, PresentGroup>

const fieldsOf = ({ name, email, entity_type }: PlannedGroupFields): PlannedGroupFields => ({
  name,
  email,
  entity_type,
})

export async function planGroups(planning: Planning): Promise<Present> {
  const { work, chunks, root, planWriter, losses, provider } = planning
  const rows = new Map<string, GroupRow>()
  for await (const item of itemsOf(partition(work.accountId, groups.name))) {
    const row = itemRow(groups, item)
    if (row.idp_id !== null) rows.set(row.idp_id, row)
  }
  const present: Present = new Map()
  const listedIds = new Set<string>()
  const unusable = new Map<string, RunSkipped>()
  for await (const group of chunks.each<SnapshotGroup>(root.groups)) {
    const { idp_id, name } = group
    if (present.has(idp_id)) continue
    listedIds.add(idp_id)
    const row = rows.get(idp_id) ?? null
    if ('unusable' in group) unusable.set(idp_id, { idp_id, name, reason: group.unusable })
    else if (row && row.directory_id !== work.sourceId) work.skip({ idp_id, name, reason: 'other_directory' })
    else {
      present.set(idp_id, { group, row })
      const [fields, was] = [fieldsOf(group), row && fieldsOf(row)]
      if (row?.idp_provider === provider && isDeepStrictEqual(fields, was)) continue
      await planWriter.add('groups', { idp_id, fields, id: row?.id ?? null, was })
    }
  }
  for (const [id, skipped] of unusable) if (!present.has(id)) work.skip(skipped)
  work.run.seen.groups = present.size
  const owned = [...rows.values()].filter(({ directory_id }) => directory_id === work.sourceId)
  losses.groups.owned += owned.length
  for (const row of owned) {
    if (listedIds.has(row.idp_id as string)) continue
    const members = await readMemberIds(membersPartition(work.accountId, memberships.name, row.id))
    losses.groups.lost++
    losses.memberships.owned += members.length
    losses.memberships.lost += members.length
    await planWriter.add('vanished', { id: row.id, idp_id: row.idp_id as string, was: fieldsOf(row) })
  }
  return present
}

export async function planMemberships(planning: Planning, present: Present): Promise<void> {
  const { work, chunks, root } = planning
  const direct = await readDirectMembers(chunks, root.members)
  let seen = 0
  for (const group of present.values()) {
    seen += await planGroupMembers(planning, group, direct)
    if (seen > snapshotBounds.memberships) throw tooMany('memberships')
    if (work.isSaveDue) await work.save()
  }
  work.run.seen.memberships = seen
}

async function planGroupMembers(
  planning: Planning,
  { group, row }: PresentGroup,
  direct: Map<string, DirectMembers>,
): Promise<number> {
  const { work, chunks, planWriter, losses, people, inactiveActors } = planning
  const flat = await flattenMembers(chunks, direct, group.idp_id)
  const current = new Set(row ? await readMemberIds(membersPartition(work.accountId, memberships.name, row.id)) : [])
  losses.memberships.owned += current.size
  const remaining = new Set<string>()
  let members = 0
  const active = people.entries().filter(([, { state }]) => state === 'active')
  for (const user of flat.everyone ? active.map(([id]) => id) : flat.users) {
    const person = people.get(user)
    if (!person) {
      work.skip({ idp_id: user, name: null, reason: 'foreign_member' })
      continue
    }
    if (person.state === 'inactive' || person.state === 'outside') continue
    if (person.actor !== null) remaining.add(person.actor)
    if (person.state === 'unusable') continue
    members++
    if (person.actor !== null && current.has(person.actor)) continue
    await planWriter.add('joined', { group: group.idp_id, user, name: `${group.name} / ${user}` })
  }
  for (const user of flat.unread) {
    const actor = people.get(user)?.actor
    if (actor) remaining.add(actor)
  }
  if (flat.incomplete || !row) return members
  for await (const batch of batches(current.difference(remaining))) {
    const rows = await getRows(actors, work.accountId, batch)
    for (const [i, actor] of batch.entries()) {
      // Leaves people whom the provider reports as inactive out of the deletion percentage (I5.3).
      if (!inactiveActors.has(actor)) losses.memberships.lost++
      const name = `${group.name} / ${rows[i]?.name ?? actor}`
      await planWriter.add('ended', { group: row.id, actor, name, idp_id: group.idp_id })
    }
  }
  return members
}

/** Plans to link orphaned policies to groups that exist at the provider again (I4.6). */
export async function planRelinks({ work, planWriter, provider }: Planning, present: Present): Promise<void> {
  for await (const item of itemsOf(partition(work.accountId, policies.name))) {
    const { id, group_id, group_idp_id, group_idp_provider, resource_id }: PolicyRow = itemRow(policies, item)
    if (group_id !== null || group_idp_id === null || group_idp_provider !== provider) continue
    const found = present.get(group_idp_id)
    if (found) await planWriter.add('relinked', { id, group: group_idp_id, name: found.group.name, resource_id })
  }
}
