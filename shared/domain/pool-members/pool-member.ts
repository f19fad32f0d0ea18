import { ApiError, notFound } from '../../core/errors.ts'
import { sideBySide } from '../../core/work/side-by-side.ts'
import { entity, type Row } from '../../table/entity.ts'
import { listMemberIds } from '../../table/list.ts'
import { getRow, getRows } from '../../table/read.ts'
import type { Page } from '../../values/page.ts'
import { type ClientRow, clients } from '../clients/client.ts'
import type { MemberSet } from '../member-sets/set-change.ts'
import { type ResourceRow, resources } from '../resources/resource.ts'
import { findPresences } from '../sessions/presence.ts'

export type PoolMemberRow = Row & { resource_id: string; device_id: string }

export const poolMembers = entity<PoolMemberRow>({
  name: 'static_device_pool_members',
  link: (row) => ({ set: row.resource_id, member: row.device_id }),
})

export const pool: MemberSet = {
  entity: poolMembers,
  owners: resources.name,
  members: clients.name,
  key: 'device_id',
  envelope: 'pool_members',
  noun: 'device',
  idsNoun: 'client ids',
  isGiven: (id) => typeof id === 'string' && id.trim() !== '',
  isList: (sent) => Array.isArray(sent) && sent.every((id) => typeof id === 'string'),
  check: async (transaction, id) => checkIsPool(await transaction.get(resources, id)),
  row: (resource_id, device_id) => ({ resource_id, device_id }),
}

function checkIsPool(resource: ResourceRow | null): void {
  if (!resource) throw notFound()
  if (resource.type !== 'static_device_pool') {
    throw new ApiError('not_a_device_pool', 'This resource type has no pool members.')
  }
}

/** Lists the clients in a pool and when each was last seen (A19.1). */
export async function list(account: string, resourceId: string, page: Page) {
  const [, { rows: ids, metadata }] = await sideBySide(
    getRow(resources, account, resourceId).then(checkIsPool),
    listMemberIds(poolMembers, account, page, resourceId),
  )
  const [members, presences] = await Promise.all([
    getRows(clients, account, ids),
    findPresences(account, 'clients', ids),
  ])
  const data = members.flatMap((client: ClientRow | null, i) => {
    if (!client) return []
    const { id, name } = client
    return [{ id, device_id: id, name, last_seen_at: presences[i]?.last_seen_at ?? null }]
  })
  return { data, metadata }
}
