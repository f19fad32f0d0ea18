import { randomUUID } from 'node:crypto'
import { actors } from '#shared/domain/actors/actor.ts'
import { groups, nativeGroup } from '#shared/domain/groups/group.ts'
import { memberships } from '#shared/domain/memberships/membership.ts'
import { policies } from '#shared/domain/policies/policy.ts'
import { resources } from '#shared/domain/resources/resource.ts'
import { sites } from '#shared/domain/sites/site.ts'
import type { Account } from '../accounts/account.ts'
import { openPolicy } from '../accounts/row-fields.ts'
import { plantIds, plantRows } from '../table/plant-rows.ts'
import { largestConditions } from './fill-lists.ts'

/**
 * Creates actors with access to resources. Each pair of an actor and a resource has more maximum-size policies than fit into one row of an
 * access list.
 */
export async function fillAccess({ id: account }: Account, { rows = 7, grants = 4 } = {}) {
  const [siteId = ''] = await plantIds(account, sites, 1, () => ({ name: 'Site', managed_by: 'account' as const }), [])
  const groupIds = await plantIds(
    account,
    groups,
    grants,
    () => ({ ...nativeGroup, name: 'Group', idp_id: randomUUID() }),
    [],
  )
  const flags = { allow_email_otp_sign_in: false, portal_scopes: null, is_disabled: false } as const
  const actor = { name: 'Robot', email: null, ...flags } as const
  const actorIds = await plantIds(
    account,
    actors,
    rows,
    () => ({ ...actor, type: 'service_account' as const, created_by_directory_id: null }),
    [],
  )
  const resource = { name: 'Wiki', type: 'dns', address: 'wiki.example.com', address_description: null } as const
  const resourceIds = await plantIds(
    account,
    resources,
    rows,
    () => ({ ...resource, filters: [], ip_stack: 'dual' as const, site_id: siteId }),
    [],
  )
  const each = <T>(ids: string[], fields: (id: string, groupId: string) => T) => {
    const all = groupIds.flatMap((groupId) => ids.map((id) => fields(id, groupId)))
    return { count: all.length, at: (i: number) => all[i] as T }
  }
  const members = each(actorIds, (actor_id, group_id) => ({ actor_id, group_id }))
  await plantRows(account, memberships, members.count, members.at)
  const conditions = largestConditions()
  const granted = each(resourceIds, (resource_id, group_id) => ({ ...openPolicy, resource_id, group_id, conditions }))
  await plantRows(account, policies, granted.count, granted.at)
  return { actorIds, resourceIds }
}
