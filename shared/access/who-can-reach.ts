import * as v from 'valibot'
import { clock } from '../core/clock.ts'
import { notFound } from '../core/errors.ts'
import type { AccountRow } from '../domain/accounts/account.ts'
import { actors, actorTypes, isPerson } from '../domain/actors/actor.ts'
import { groups } from '../domain/groups/group.ts'
import { memberships } from '../domain/memberships/membership.ts'
import { policies } from '../domain/policies/policy.ts'
import { resources } from '../domain/resources/resource.ts'
import { edgePartition, partition } from '../table/keys.ts'
import { getRow, getRows, queryItems, rowsBy } from '../table/read.ts'
import type { Page } from '../values/page.ts'
import { accessPage } from './access-page.ts'
import { isConnectable } from './connectable-resources.ts'
import { oldestFirst } from './granting-policies.ts'
import { canHaveAccess, possibleGrant } from './possible-access.ts'
import { grantFields, grantLimiter } from './row-grants.ts'

export const ActorWithAccess = v.object({
  id: v.string(),
  name: v.string(),
  type: v.picklist(actorTypes),
  ...grantFields,
})

/**
 * The actors that can reach a resource now, each with the policies that give it access, in the order of the actors. The
 * members of the granting groups lie in the order of actors, so a page reads one stretch of each; of those whose policy
 * cannot hold now, none.
 */
export async function whoCanReach(account: AccountRow, resourceId: string, page: Page) {
  const [resource, ofResource] = await Promise.all([
    getRow(resources, account.id, resourceId),
    rowsBy(policies, account.id, 'resource_id', resourceId),
  ])
  if (!resource) throw notFound()
  const now = clock.now()
  const granting = (isConnectable(account, resource) ? ofResource : [])
    .toSorted(oldestFirst)
    .flatMap((policy) =>
      policy.group_id === null
        ? []
        : [
            {
              group: policy.group_id,
              toPeople: possibleGrant(policy, true, now),
              toServices: possibleGrant(policy, false, now),
            },
          ],
    )
    .filter(({ toPeople, toServices }) => toPeople || toServices)
  const groupRows = await getRows(
    groups,
    account.id,
    granting.map(({ group }) => group),
  )
  const sources = granting.map((grant, index) => ({
    grant,
    members: groupRows[index]?.is_managed
      ? edgePartition(account.id, actors.name, 'person', 'true')
      : partition(account.id, memberships.name, grant.group),
  }))
  const withGrants = grantLimiter()
  const grantedTo = new Map<string, typeof granting>()
  return accessPage(page, {
    async read({ after, backward, limit }) {
      grantedTo.clear()
      const stretches = await Promise.all(
        sources.map(async ({ grant, members }) => ({
          grant,
          items: await queryItems(members, { after, backward, limit }),
        })),
      )
      for (const { grant, items } of stretches) {
        for (const { sk } of items) grantedTo.set(String(sk), [...(grantedTo.get(String(sk)) ?? []), grant])
      }
      const ids = [...grantedTo.keys()].sort()
      return (backward ? ids.reverse() : ids).slice(0, limit)
    },
    async accept(ids) {
      const rows = (await getRows(actors, account.id, ids)).map(async (actor) => {
        if (!actor || !canHaveAccess(actor)) return []
        const { id, name, type } = actor
        const granted = grantedTo.get(id) ?? []
        const grants = granted.flatMap(({ toPeople, toServices }) => (isPerson(type) ? toPeople : toServices) ?? [])
        return grants.length > 0 ? [{ id, row: await withGrants({ id, name, type }, grants) }] : []
      })
      return (await Promise.all(rows)).flat()
    },
  })
}
