import { handler as editPoolMembers } from '#functions/api/pool-members/edit-pool-members.ts'
import { handler as listPoolMembers } from '#functions/api/pool-members/list-pool-members.ts'
import { handler as replacePoolMembers } from '#functions/api/pool-members/replace-pool-members.ts'
import { handler as provision } from '#functions/tasks/provision-account.ts'
import { type ClientRow, clients } from '#shared/domain/clients/client.ts'
import { bareClient } from '#test/support/table/plant-clients.ts'
import { newAccessWorld } from '../access/access.ts'
import { plantRows } from '../table/plant-rows.ts'
import type { Account } from './account.ts'

/** Creates a device pool with the provisioning function, which is the only way to create one (A32). Returns the pool's id. */
export async function newPool({ id }: Pick<Account, 'id'>, device_ids: string[] = []): Promise<string> {
  const resource = { name: 'Laptops', device_ids }
  const created = await provision({ operation: 'create_static_device_pool', account_id: id, resource })
  return (created as { data: { resource: { id: string } } }).data.resource.id
}

export async function newClients({ id, admin }: Pick<Account, 'id' | 'admin'>, count: number): Promise<string[]> {
  const rows = await plantRows<ClientRow>(id, clients, count, (i) => ({
    actor_id: admin.id,
    name: `Laptop ${i}`,
    ipv4: `100.64.1.${i}`,
    ipv6: `fd00:2021:1111::${i.toString(16)}`,
    svc_id: `laptop-${i}`,
    ...bareClient,
  }))
  return rows.map((row) => row.id)
}

type Client = { id: string; name: string; last_seen_at: string }
export type Pools = ReturnType<typeof poolsOf>

export const devices = (...ids: unknown[]) => ids.map((device_id) => ({ device_id }))

export const poolsOf = (account: Account) => ({
  newPool: (device_ids?: string[]) => newPool(account, device_ids),
  list: (resource_id: string, query = {}) => account.call(listPoolMembers, { params: { resource_id }, query }),
  put: (resource_id: string, pool_members: unknown) =>
    account.call(replacePoolMembers, { method: 'PUT', params: { resource_id }, body: { pool_members } }),
  patch: (resource_id: string, pool_members: unknown) =>
    account.call(editPoolMembers, { method: 'PATCH', params: { resource_id }, body: { pool_members } }),
})

/** Creates an access world with two clients, `a` and `b`, that can join the world's pools. */
export async function newPoolWorld() {
  const world = await newAccessWorld()
  const clientOf = async (svc_id: string): Promise<Client> => (await world.startSession({ svc_id })).body.data.client
  return { world, pools: poolsOf(world.account), a: await clientOf('a'), b: await clientOf('b') }
}
