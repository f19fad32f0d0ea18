import { handler as createGroup } from '#functions/api/groups/create-group.ts'
import { handler as deleteGroup } from '#functions/api/groups/delete-group.ts'
import { handler as editMemberships } from '#functions/api/memberships/edit-memberships.ts'
import { handler as replaceMemberships } from '#functions/api/memberships/replace-memberships.ts'
import type { Group } from '../models/account-model.ts'
import type { SimulatedAccount } from '../world/simulated-account.ts'
import type { Touched } from '../world/touched.ts'
import { addPolicy } from './policy-actions.ts'
import { sizes } from './populate.ts'

const resourcesOf = ({ model }: SimulatedAccount, group: Group) =>
  [...model.policies.values()].filter((policy) => policy.group === group.id).map(({ resource }) => resource)

async function edit(account: SimulatedAccount, group: Group): Promise<Touched> {
  const { model, random } = account
  const add = random.sample(model.actors.keys(), random.int(0, 3))
  // Removes one of the added actors in the same request, because adding takes precedence (A15).
  const remove = [...random.sample(group.members, random.int(0, 3)), ...random.sample(add, 1)]
  const body = { memberships: { add, remove } }
  await account.administer(editMemberships, { method: 'PATCH', params: { group_id: group.id }, body })
  for (const actor of remove) if (!add.includes(actor)) model.removeMember(group, actor)
  for (const actor of add) group.members.add(actor)
  return { actors: [...add, ...remove], resources: resourcesOf(account, group) }
}

async function replace(account: SimulatedAccount, group: Group): Promise<Touched> {
  const { model, random } = account
  const before = [...group.members]
  const after = [...random.sample(before, before.length - random.int(0, 4)), ...random.sample(model.actors.keys(), 2)]
  const body = { memberships: after.map((actor_id) => ({ actor_id })) }
  await account.administer(replaceMemberships, { method: 'PUT', params: { group_id: group.id }, body })
  // Keeps the authorizations of actors who are members both before and after the change (A15.5).
  for (const actor of before) if (!after.includes(actor)) model.removeMember(group, actor)
  for (const actor of after) group.members.add(actor)
  return {
    actors: [...before, ...after].filter((actor) => before.includes(actor) !== after.includes(actor)),
    resources: resourcesOf(account, group),
  }
}

async function create(account: SimulatedAccount): Promise<Touched> {
  const body = { group: { name: `Group ${account.clock.now}` } }
  const { id } = await account.administer(createGroup, { method: 'POST', body })
  const group = { id, managed: false, members: new Set<string>() }
  account.model.groups.set(id, group)
  await edit(account, group)
  return addPolicy(account, id)
}

async function remove(account: SimulatedAccount, group: Group): Promise<Touched> {
  const touched = { actors: [...group.members], resources: resourcesOf(account, group) }
  await account.administer(deleteGroup, { method: 'DELETE', params: { id: group.id } })
  account.model.deleteGroup(group.id)
  return touched
}

/** Makes a random administrative change to a group or its members (A14, A15). */
export async function administerGroups(account: SimulatedAccount): Promise<Touched> {
  const { model, random } = account
  const native = [...model.groups.values()].filter(({ managed }) => !managed)
  if (native.length < sizes.groups) return create(account)
  const group = random.pick(native)
  return random.weighted<() => Promise<Touched>>([
    [6, () => edit(account, group)],
    [2, () => replace(account, group)],
    [1, () => remove(account, group)],
  ])()
}
