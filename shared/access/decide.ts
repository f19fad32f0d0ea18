import * as v from 'valibot'
import type { CallerOf } from '../auth/caller.ts'
import { microsOf } from '../core/clock.ts'
import { fitsResponse } from '../core/json/response-size.ts'
import type { AccountRow } from '../domain/accounts/account.ts'
import { type ActorRow, isPerson } from '../domain/actors/actor.ts'
import { groups } from '../domain/groups/group.ts'
import { memberships } from '../domain/memberships/membership.ts'
import { type ConditionContext, evaluateConditions } from '../domain/policies/conditions/conditions.ts'
import { type PolicyRow, policies } from '../domain/policies/policy.ts'
import { Resource, type ResourceRow, resources } from '../domain/resources/resource.ts'
import { type Key, partition, uniqueKey } from '../table/keys.ts'
import { getItem, getRow, getRows, rowsBy, sortKeysOf } from '../table/read.ts'
import { AccessRefused } from './access-refused.ts'

/** Decision to grant access. `group` is null for the managed group; `expiresAt` is in microseconds. */
export type Decision = { resource: ConnectableResource; policy: PolicyRow; group: string | null; expiresAt: number }

export type AccessOutcome = { policy: PolicyRow; end: number } | { policy: PolicyRow; violated: string[] }

/** Evaluates the conditions of a policy. An end in the past counts as a violated time condition (P5.5(2)). */
export function outcomeOf(policy: PolicyRow, context: ConditionContext, tokenEnd: number, now: number): AccessOutcome {
  const evaluation = evaluateConditions(policy.conditions, context, now)
  if (!evaluation.conforms) return { policy, violated: evaluation.violated }
  const end = evaluation.until ?? Number.POSITIVE_INFINITY
  return Math.min(end, tokenEnd) > now ? { policy, end } : { policy, violated: ['current_utc_datetime'] }
}

/**
 * Chooses the policy that grants access for longest. If several end at the same time, chooses the oldest (P5.3). If the conditions of no
 * policy are satisfied, returns the violated properties without duplicates.
 */
export function choosePolicy(
  grantingPolicies: PolicyRow[],
  context: ConditionContext,
  tokenEnd: number,
  now: number,
): { policy: PolicyRow; expiresAt: number } | { violated: string[] } {
  const outcomes = grantingPolicies.map((policy) => outcomeOf(policy, context, tokenEnd, now))
  const conformingOutcomes = outcomes.flatMap((outcome) => ('end' in outcome ? [outcome] : []))
  const [first, ...others] = conformingOutcomes
  if (!first)
    return { violated: [...new Set(outcomes.flatMap((outcome) => ('violated' in outcome ? outcome.violated : [])))] }
  const longestOutcome = others.reduce((longest, other) => (other.end > longest.end ? other : longest), first)
  return { policy: longestOutcome.policy, expiresAt: Math.min(longestOutcome.end, tokenEnd) }
}

/**
 * Decides on access to a resource (P5.2, steps 4 and 5).
 * @throws AccessRefused 404 if the resource is unknown, is not connectable or has no policy for the actor; `conditions_violated` if the
 * conditions of no policy are satisfied
 */
export async function decide(
  { account, actor, token }: CallerOf<'client'>,
  resourceId: string,
  context: ConditionContext,
  now: number,
): Promise<Decision> {
  const [resource, actorGroups, resourcePolicies] = await Promise.all([
    getRow(resources, account.id, resourceId),
    groupsOf(account.id, actor),
    rowsBy(policies, account.id, 'resource_id', resourceId),
  ])
  const grantingPolicies = resourcePolicies
    .filter((policy) => !policy.is_disabled && includes(actorGroups, policy.group_id))
    .sort(oldestFirst)
  if (!resource) throw new AccessRefused('unknown_resource', 'not_found')
  if (!isConnectable(account, resource)) throw new AccessRefused('not_connectable', 'not_found')
  if (grantingPolicies.length === 0) throw new AccessRefused('no_policy', 'not_found')
  const choice = choosePolicy(grantingPolicies, context, microsOf(token.expires_at), now)
  if ('violated' in choice) {
    const detail = 'The conditions of the policy are not met.'
    throw new AccessRefused('conditions_violated', 'conditions_violated', detail, choice.violated)
  }
  const { group_id } = choice.policy
  return { resource, ...choice, group: group_id !== null && actorGroups.groupIds.has(group_id) ? group_id : null }
}

export type ConnectableResource = ResourceRow & { site_id: string }

/** True for resources that clients can connect to (P5.1). */
export const isConnectable = (account: AccountRow, resource: ResourceRow): resource is ConnectableResource =>
  resource.site_id !== null &&
  resource.type !== 'static_device_pool' &&
  (resource.type !== 'internet' || account.features.internet_resource)

export type ReachableResources = { resources: v.InferOutput<typeof Resource>[]; more: boolean }

/** Lists the resources that a client can connect to in its condition context (P5.1), starting after the id `after`. */
export async function connectableResources(
  account: AccountRow,
  actor: ActorRow,
  context: ConditionContext,
  now: number,
  after: string | null = null,
): Promise<ReachableResources> {
  const grantingPolicies = await policiesOfActor(account.id, await groupsOf(account.id, actor))
  const conformingPolicies = grantingPolicies.filter(
    ({ conditions }) => evaluateConditions(conditions, context, now).conforms,
  )
  // Sorts by id, which is the order of creation, because ids start with a timestamp.
  const ids = [...new Set(conformingPolicies.map((policy) => policy.resource_id))]
    .filter((id) => after === null || id > after)
    .sort()
  const reachableResources: ReachableResources['resources'] = []
  const fits = fitsResponse()
  for (const chunk of chunks(ids)) {
    for (const row of await getRows(resources, account.id, chunk)) {
      if (!row || !isConnectable(account, row)) continue
      const resource = v.parse(Resource, row)
      if (!fits(resource)) return { resources: reachableResources, more: true }
      reachableResources.push(resource)
    }
  }
  return { resources: reachableResources, more: false }
}

/** Splits ids into batches to read. The first batch is small, because a few large resources can fill a response. */
function* chunks(ids: string[]): Generator<string[]> {
  for (let at = 0, length = 25; at < ids.length; length = Math.min(2 * length, 100)) {
    yield ids.slice(at, at + length)
    at += length
  }
}

/** Groups of an actor: its memberships, and for people also the managed group, whose members are computed (A15.2). */
export type ActorGroups = { groupIds: Set<string>; managedGroupId: string | null }

export async function groupsOf(account: string, actor: ActorRow): Promise<ActorGroups> {
  const [groupIds, managedId] = await Promise.all([
    sortKeysOf(partition(account, memberships.name, actor.id)),
    isPerson(actor.type) ? managedGroupId(account) : null,
  ])
  return { groupIds: new Set(groupIds), managedGroupId: managedId }
}

/** Reads the id of the group Everyone, whose members are computed (A15.2). */
export async function managedGroupId(account: string): Promise<string | null> {
  const unique = await getItem(uniqueKey(account, `${groups.name}.managed`, 'everyone'))
  return unique ? (unique.row as Key).sk : null
}

export const includes = ({ groupIds, managedGroupId }: ActorGroups, group: string | null): boolean =>
  group !== null && (groupIds.has(group) || group === managedGroupId)

/** Lists the enabled policies for these groups, oldest first. */
export async function policiesOfActor(account: string, actorGroups: ActorGroups): Promise<PolicyRow[]> {
  const ids = [...actorGroups.groupIds, ...(actorGroups.managedGroupId === null ? [] : [actorGroups.managedGroupId])]
  const policyLists = await Promise.all(ids.map((id) => rowsBy(policies, account, 'group_id', id)))
  return policyLists
    .flat()
    .filter((policy) => !policy.is_disabled)
    .sort(oldestFirst)
}

/** Orders objects by creation time, oldest first (A7.2). */
export const oldestFirst = (a: { inserted_at: string; id: string }, b: { inserted_at: string; id: string }): number =>
  a.inserted_at === b.inserted_at ? (a.id < b.id ? -1 : 1) : a.inserted_at < b.inserted_at ? -1 : 1
