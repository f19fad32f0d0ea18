import * as v from 'valibot'
import { clock } from '../core/clock.ts'
import { notFound } from '../core/errors.ts'
import type { AccountRow } from '../domain/accounts/account.ts'
import { actors, isPerson } from '../domain/actors/actor.ts'
import { Resource, resources } from '../domain/resources/resource.ts'
import { getRow, getRows } from '../table/read.ts'
import type { Page } from '../values/page.ts'
import { accessPage } from './access-page.ts'
import { isConnectable } from './connectable-resources.ts'
import { groupsOf, policiesOfActor } from './granting-policies.ts'
import { canHaveAccess, possibleGrant } from './possible-access.ts'
import { grantFields, grantLimiter } from './row-grants.ts'

const { id, name, type, address, site_id } = Resource.entries
export const ResourceWithAccess = v.object({ id, name, type, address, site_id, ...grantFields })

/**
 * The resources that an actor can reach now, each with the policies that give access, in the order of the resources. It
 * reads the policies of the actor's groups, as a client's heartbeat does, and the resources of the page.
 */
export async function whatCanBeReached(account: AccountRow, actorId: string, page: Page) {
  const actor = await getRow(actors, account.id, actorId)
  if (!actor) throw notFound()
  const now = clock.now()
  const own = canHaveAccess(actor) ? await policiesOfActor(account.id, await groupsOf(account.id, actor)) : []
  const person = isPerson(actor.type)
  const grants = Map.groupBy(
    own.flatMap((policy) => {
      const grant = possibleGrant(policy, person, now)
      return grant ? [{ resourceId: policy.resource_id, grant }] : []
    }),
    ({ resourceId }) => resourceId,
  )
  const ids = [...grants.keys()].sort()
  const withGrants = grantLimiter()
  return accessPage(page, {
    async read({ after, backward, limit }) {
      return backward
        ? ids
            .filter((id) => after === undefined || id < after)
            .reverse()
            .slice(0, limit)
        : ids.filter((id) => after === undefined || id > after).slice(0, limit)
    },
    async accept(wanted) {
      const rows = (await getRows(resources, account.id, wanted)).map(async (resource) => {
        if (!resource || !isConnectable(account, resource)) return []
        const { id, name, type, address, site_id } = resource
        const granted = (grants.get(id) ?? []).map(({ grant }) => grant)
        return [{ id, row: await withGrants({ id, name, type, address, site_id }, granted) }]
      })
      return (await Promise.all(rows)).flat()
    },
  })
}
