import type { AccountRow } from '../domain/accounts/account.ts'
import type { ActorRow } from '../domain/actors/actor.ts'
import { evaluateConditions, type Situation } from '../domain/policies/evaluate-conditions.ts'
import { type ResourceRow, resources } from '../domain/resources/resource.ts'
import { getRows } from '../table/read.ts'
import { groupsOf, oldestFirst, policiesOfActor } from './granting-policies.ts'

/** Whether a resource can be connected to at all (P5.1). */
export const isConnectable = (account: AccountRow, { site_id, type }: ResourceRow): boolean =>
  site_id !== null && type !== 'static_device_pool' && (type !== 'internet' || account.features.internet_resource)

/** The resources that a client can connect to in these circumstances (P5.1), oldest first. */
export async function connectableResources(
  account: AccountRow,
  actor: ActorRow,
  circumstances: Situation,
  now: number,
): Promise<ResourceRow[]> {
  const granting = await policiesOfActor(account.id, await groupsOf(account.id, actor))
  const conforming = granting.filter(({ conditions }) => evaluateConditions(conditions, circumstances, now).conforms)
  const rows = await getRows(resources, account.id, [...new Set(conforming.map((policy) => policy.resource_id))])
  return rows.filter((row) => row !== null && isConnectable(account, row)).sort(oldestFirst as never) as ResourceRow[]
}
