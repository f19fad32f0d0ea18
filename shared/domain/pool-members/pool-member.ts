import { entity, type Row } from '../../table/entity.ts'

export type PoolMemberRow = Row & { resource_id: string; device_id: string }

/** Lies in its pool's part under the client's id, so that members list in the order of the clients (A7.2). */
export const poolMembers = entity<PoolMemberRow>({
  name: 'static_device_pool_members',
  place: (row) => ({ within: row.resource_id, sort: row.device_id }),
  edges: { device_id: { value: (row) => row.device_id, sort: (row) => row.resource_id } },
})
