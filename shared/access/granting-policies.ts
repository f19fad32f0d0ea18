import { type ActorRow, isPerson } from '../domain/actors/actor.ts'
import { groups } from '../domain/groups/group.ts'
import { memberships } from '../domain/memberships/membership.ts'
import { type PolicyRow, policies } from '../domain/policies/policy.ts'
import { edgePartition, guardKey, type Key } from '../table/keys.ts'
import { getItem, queryItems, rowsBy } from '../table/read.ts'

/** The groups of an actor: its memberships, and for people the managed group, whose members are computed (A15.2). */
export type ActorGroups = { memberOf: Set<string>; managed: string | null }

export async function groupsOf(account: string, actor: ActorRow): Promise<ActorGroups> {
  const [edges, guard] = await Promise.all([
    queryItems(edgePartition(account, memberships.name, 'actor_id', actor.id)),
    isPerson(actor.type) ? getItem(guardKey(account, `${groups.name}.managed`, 'everyone')) : undefined,
  ])
  return {
    memberOf: new Set(edges.map((edge) => String(edge.sk))),
    managed: guard ? (guard.row as Key).sk : null,
  }
}

export const includes = ({ memberOf, managed }: ActorGroups, group: string | null): boolean =>
  group !== null && (memberOf.has(group) || group === managed)

/** The enabled policies that grant the actor of these groups something, oldest first. */
export async function policiesOfActor(account: string, actorGroups: ActorGroups): Promise<PolicyRow[]> {
  const ids = [...actorGroups.memberOf, ...(actorGroups.managed === null ? [] : [actorGroups.managed])]
  const found = await Promise.all(ids.map((id) => rowsBy(policies, account, 'group_id', id)))
  return found
    .flat()
    .filter((policy) => !policy.is_disabled)
    .sort(oldestFirst)
}

/** The enabled policies that grant a resource to the actor of these groups, oldest first. */
export const grantingOnes = (ofResource: PolicyRow[], actorGroups: ActorGroups): PolicyRow[] =>
  ofResource.filter((policy) => !policy.is_disabled && includes(actorGroups, policy.group_id)).sort(oldestFirst)

/** In the order of A7.2. */
export const oldestFirst = (a: { inserted_at: string; id: string }, b: { inserted_at: string; id: string }): number =>
  a.inserted_at === b.inserted_at ? (a.id < b.id ? -1 : 1) : a.inserted_at < b.inserted_at ? -1 : 1
