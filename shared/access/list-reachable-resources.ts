import * as v from 'valibot'
import { clock } from '../core/clock.ts'
import type { AccountRow } from '../domain/accounts/account.ts'
import { actors, isPerson } from '../domain/actors/actor.ts'
import { Resource, resources } from '../domain/resources/resource.ts'
import { existingRow } from '../table/read.ts'
import type { Page } from '../values/page.ts'
import { accessPage, canHaveAccess, grantedRows, grantFields, idsOfRange, possibleGrant } from './access-list.ts'
import { groupsOf, isConnectable, policiesOfActor } from './decide.ts'

const { id, name, type, address, site_id } = Resource.entries
export const ResourceWithAccess = v.object({ id, name, type, address, site_id, ...grantFields })

/** Lists the resources that an actor can reach now, ordered by id, with the policies that grant access. */
export async function listReachableResources(account: AccountRow, actorId: string, page: Page) {
  const actor = await existingRow(actors, account.id, actorId)
  const now = clock.now()
  const actorPolicies = canHaveAccess(actor) ? await policiesOfActor(account.id, await groupsOf(account.id, actor)) : []
  const isForPerson = isPerson(actor.type)
  const grants = Map.groupBy(
    actorPolicies.flatMap((policy) => {
      const grant = possibleGrant(policy, isForPerson, now)
      return grant ? [{ resourceId: policy.resource_id, grant }] : []
    }),
    ({ resourceId }) => resourceId,
  )
  const ids = [...grants.keys()].sort()
  return accessPage(page, {
    read: async (range) => idsOfRange(ids, range),
    accept: grantedRows(account.id, resources, (resource) => {
      if (!isConnectable(account, resource)) return null
      const { id, name, type, address, site_id } = resource
      const actorGrants = (grants.get(id) ?? []).map(({ grant }) => grant)
      return { fields: { id, name, type, address, site_id }, grants: actorGrants }
    }),
  })
}
