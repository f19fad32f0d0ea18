import * as v from 'valibot'
import { answerRoom } from '../core/json/answer-size.ts'
import type { AccountRow } from '../domain/accounts/account.ts'
import type { ActorRow } from '../domain/actors/actor.ts'
import { type ConditionContext, evaluateConditions } from '../domain/policies/evaluate-conditions.ts'
import { Resource, type ResourceRow, resources } from '../domain/resources/resource.ts'
import { getRows } from '../table/read.ts'
import { groupsOf, policiesOfActor } from './granting-policies.ts'

/** A resource with a site, whose gateways carry its traffic. */
export type ConnectableResource = ResourceRow & { site_id: string }

/** Tells the resources that clients can connect to from the others (P5.1). */
export const isConnectable = (account: AccountRow, resource: ResourceRow): resource is ConnectableResource =>
  resource.site_id !== null &&
  resource.type !== 'static_device_pool' &&
  (resource.type !== 'internet' || account.features.internet_resource)

/** As many resources as fit an answer, and whether more follow. */
export type Reachable = { resources: v.InferOutput<typeof Resource>[]; more: boolean }

/** The resources that a client can connect to in these circumstances (P5.1), beyond one of them or from the first. */
export async function connectableResources(
  account: AccountRow,
  actor: ActorRow,
  context: ConditionContext,
  now: number,
  after: string | null = null,
): Promise<Reachable> {
  const granting = await policiesOfActor(account.id, await groupsOf(account.id, actor))
  const conforming = granting.filter(({ conditions }) => evaluateConditions(conditions, context, now).conforms)
  // Ids sort as their resources were made.
  const ids = [...new Set(conforming.map((policy) => policy.resource_id))]
    .filter((id) => after === null || id > after)
    .sort()
  const reachable: Reachable['resources'] = []
  const fits = answerRoom()
  for (const stretch of stretches(ids)) {
    for (const row of await getRows(resources, account.id, stretch)) {
      if (!row || !isConnectable(account, row)) continue
      const resource = v.parse(Resource, row)
      if (!fits(resource)) return { resources: reachable, more: true }
      reachable.push(resource)
    }
  }
  return { resources: reachable, more: false }
}

/** The ids to read at a time: few at first, because of large resources only a few fit an answer. */
function* stretches(ids: string[]): Generator<string[]> {
  for (let at = 0, length = 25; at < ids.length; length = Math.min(2 * length, 100)) {
    yield ids.slice(at, at + length)
    at += length
  }
}
