import { ApiError, notFound } from '../../core/errors.ts'
import { sideBySide } from '../../core/work/side-by-side.ts'
import { listIds } from '../../table/list.ts'
import { getRow, getRows } from '../../table/read.ts'
import type { Page } from '../../values/page.ts'
import { type ClientRow, clients } from '../clients/client.ts'
import { findPresences } from '../presence/presence.ts'
import { type ResourceRow, resources } from '../resources/resource.ts'
import { poolMembers } from './pool-member.ts'

/** @throws ApiError 404, or `not_a_device_pool` for a resource of another type */
export function refuseOthers(resource: ResourceRow | null): void {
  if (!resource) throw notFound()
  if (resource.type !== 'static_device_pool') {
    throw new ApiError('not_a_device_pool', 'This resource type has no pool members.')
  }
}

/** The clients of a pool with when they were last seen (A19.1). */
export async function list(account: string, resourceId: string, page: Page) {
  const [, { rows: ids, metadata }] = await sideBySide(
    getRow(resources, account, resourceId).then(refuseOthers),
    listIds(poolMembers, account, page, resourceId),
  )
  const [members, presences] = await Promise.all([
    getRows(clients, account, ids),
    findPresences(account, 'clients', ids),
  ])
  const seen = members.flatMap((client: ClientRow | null, i) =>
    client
      ? [
          {
            id: client.id,
            device_id: client.id,
            name: client.name,
            last_seen_at: presences[i]?.last_seen_at ?? null,
          },
        ]
      : [],
  )
  return { data: seen, metadata }
}
