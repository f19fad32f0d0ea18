import * as v from 'valibot'
import { clock } from '../core/clock.ts'
import { notFound } from '../core/errors.ts'
import type { AccountRow } from '../domain/accounts/account.ts'
import { actors, actorTypes, isPerson } from '../domain/actors/actor.ts'
import { groups } from '../domain/groups/group.ts'
import { memberships } from '../domain/memberships/membership.ts'
import { policies } from '../domain/policies/policy.ts'
import { resources } from '../domain/resources/resource.ts'
import { indexPartition, membersPartition } from '../table/keys.ts'
import { readMemberIds } from '../table/member-ids.ts'
import { getRow, getRows, type Range, rowsBy, sortKeysOf } from '../table/read.ts'
import type { Page } from '../values/page.ts'
import { accessPage, canHaveAccess, grantedRows, grantFields, possibleGrant } from './access-list.ts'
import { isConnectable, oldestFirst } from './decide.ts'

export const ActorWithAccess = v.object({
  id: v.string(),
  name: v.string(),
  type: v.picklist(actorTypes),
  ...grantFields,
})

/**
 * Lists the actors that can reach a resource now, with the policies that grant access. Members of a group are stored in the order of actor
 * ids, so a page reads one range of each granting group.
 */
export async function listActorsWithAccess(account: AccountRow, resourceId: string, page: Page) {
  const [resource, resourcePolicies] = await Promise.all([
    getRow(resources, account.id, resourceId),
    rowsBy(policies, account.id, 'resource_id', resourceId),
  ])
  if (!resource) throw notFound()
  const now = clock.now()
  const groupGrants = (isConnectable(account, resource) ? resourcePolicies : [])
    .toSorted(oldestFirst)
    .flatMap((policy) => {
      const personGrant = possibleGrant(policy, true, now)
      const serviceGrant = possibleGrant(policy, false, now)
      return policy.group_id && (personGrant || serviceGrant)
        ? [{ group: policy.group_id, personGrant, serviceGrant }]
        : []
    })
  const groupIds = groupGrants.map(({ group }) => group)
  const groupRows = await getRows(groups, account.id, groupIds)
  const sources = groupGrants.map((grant, index) => ({
    grant,
    read: (range: Range) =>
      groupRows[index]?.is_managed
        ? sortKeysOf(indexPartition(account.id, actors.name, 'person', 'true'), range)
        : readMemberIds(membersPartition(account.id, memberships.name, grant.group), range),
  }))
  const grantsByActor = new Map<string, typeof groupGrants>()
  return accessPage(page, {
    async read({ after, backward, limit }) {
      grantsByActor.clear()
      const members = await Promise.all(
        sources.map(async ({ grant, read }) => ({ grant, ids: await read({ after, backward, limit }) })),
      )
      for (const { grant, ids } of members) {
        for (const id of ids) grantsByActor.set(id, [...(grantsByActor.get(id) ?? []), grant])
      }
      const ids = [...grantsByActor.keys()].sort()
      return (backward ? ids.reverse() : ids).slice(0, limit)
    },
    accept: grantedRows(account.id, actors, (actor) => {
      const { id, name, type } = actor
      const actorGrants = canHaveAccess(actor) ? (grantsByActor.get(id) ?? []) : []
      const grants = actorGrants.flatMap(
        ({ personGrant, serviceGrant }) => (isPerson(type) ? personGrant : serviceGrant) ?? [],
      )
      return grants.length > 0 ? { fields: { id, name, type }, grants } : null
    }),
  })
}
