import { actors } from '../../../domain/actors/actor.ts'
import { memberships } from '../../../domain/memberships/membership.ts'
import { partition } from '../../../table/keys.ts'
import { getRows, sortKeysOf } from '../../../table/read.ts'
import { batches } from '../../plans/batches.ts'
import { bounds, tooMany } from '../read/bounds.ts'
import { type DirectMembers, flatMembers, readDirectMembers } from '../read/snapshot.ts'
import type { PresentGroup } from './plan-groups.ts'
import type { Person, Planning } from './planning.ts'

export async function planMemberships(planning: Planning, present: Map<string, PresentGroup>): Promise<void> {
  const { work, chunks, root } = planning
  const direct = await readDirectMembers(chunks, root.members)
  let seen = 0
  for (const group of present.values()) {
    seen += await planGroup(planning, group, direct)
    if (seen > bounds.memberships) throw tooMany('memberships')
    if (work.isDue) await work.save()
  }
  work.run.seen.memberships = seen
}

/** @returns how many members the group has at the provider */
async function planGroup(
  planning: Planning,
  { group, row }: PresentGroup,
  direct: Map<string, DirectMembers>,
): Promise<number> {
  const { work, chunks, sheet, people } = planning
  const flat = await flatMembers(chunks, direct, group.idp_id)
  const current = new Set(row ? await sortKeysOf(partition(work.accountId, memberships.name, row.id)) : [])
  sheet.losses.memberships.owned += current.size
  const staying = new Set<string>()
  let members = 0
  for (const user of flat.everyone ? active(people) : flat.users) {
    const person = people.get(user)
    if (!person) {
      work.skip({ idp_id: user, name: null, reason: 'foreign_member' })
      continue
    }
    if (person.state === 'inactive' || person.state === 'outside') continue
    if (person.actor !== null) staying.add(person.actor)
    if (person.state === 'unusable') continue
    members++
    if (person.actor !== null && current.has(person.actor)) continue
    await sheet.add('joined', { group: group.idp_id, user, name: `${group.name} / ${user}` })
  }
  for (const user of flat.unread) {
    const actor = people.get(user)?.actor
    if (actor) staying.add(actor)
  }
  const ended = [...current].filter((actor) => !staying.has(actor))
  if (!flat.incomplete) await planEnded(planning, { group, row }, ended)
  return members
}

function* active(people: Map<string, Person>): Generator<string> {
  for (const [id, { state }] of people) if (state === 'active') yield id
}

async function planEnded(
  { work, sheet, inactiveActors }: Planning,
  { group, row }: PresentGroup,
  ended: string[],
): Promise<void> {
  if (!row) return
  for await (const batch of batches(ended)) {
    const rows = await getRows(actors, work.accountId, batch)
    for (const [i, actor] of batch.entries()) {
      // Whom the provider itself names as not active counts for no percentage (I5.3).
      if (!inactiveActors.has(actor)) sheet.losses.memberships.lost++
      const name = `${group.name} / ${rows[i]?.name ?? actor}`
      await sheet.add('ended', { group: row.id, actor, name, idp_id: group.idp_id })
    }
  }
}
