import * as v from 'valibot'
import { type AuthorizationItem, hasExpired } from '../authorizations/authorization.ts'
import { authorizationsOf, deleteAuthorization } from '../authorizations/revoke.ts'
import { type ClientRow, clients } from '../clients/client.ts'
import { inParallel } from '../in-parallel.ts'
import { isOnline, readPresences } from '../presence/presence.ts'
import { Resource, resources } from '../resources/resource.ts'
import { getRows } from '../table/read.ts'
import type { AuthorizationContent } from './gateway-authorization.ts'

export type InForce = { item: AuthorizationItem; content: AuthorizationContent }

/**
 * How many one heartbeat deletes: when a whole office is gone, the answer does not wait. The next one
 * goes on, and a client that comes back ends its own (P5.5(3)).
 */
const deletedAtMost = 500

/**
 * The authorizations of a gateway that are in force, oldest first. One whose client's session has ended, without a new
 * one with the same key, is deleted (P5.5(3)).
 */
export async function authorizationsInForce(account: string, gatewayId: string, now: number): Promise<InForce[]> {
  const stored = (await authorizationsOf(account, { by: 'gateway', id: gatewayId })) as AuthorizationItem[]
  const items = stored.filter((item) => !hasExpired(item, now))
  const clientIds = [...new Set(items.map((item) => item.client_id))]
  const resourceIds = [...new Set(items.map((item) => item.resource_id))]
  const [presences, clientRows, resourceRows] = await Promise.all([
    readPresences(account, 'clients', clientIds),
    getRows(clients, account, clientIds),
    getRows(resources, account, resourceIds),
  ])
  const devices = new Map(clientIds.map((id, i) => [id, { row: clientRows[i], presence: presences[i] ?? null }]))
  // One object for all authorizations of a resource, which can be large.
  const targets = new Map(resourceRows.flatMap((row) => (row ? [[row.id, v.parse(Resource, row)]] : [])))
  const inForce: InForce[] = []
  const ended: AuthorizationItem[] = []
  for (const item of items) {
    const { row: client, presence } = devices.get(item.client_id) ?? {}
    const resource = targets.get(item.resource_id)
    const alive = presence && isOnline(presence, now) && presence.public_key === item.client_public_key
    if (!client || !resource || !alive) {
      ended.push(item)
      continue
    }
    inForce.push({ item, content: contentOf(item, client, presence.public_key, resource) })
  }
  await inParallel(ended.slice(0, deletedAtMost), 10, deleteAuthorization)
  return inForce
}

const contentOf = (
  { id, policy_id, flow_log_uploads_enabled, expires_at }: AuthorizationItem,
  client: ClientRow,
  public_key: string,
  resource: AuthorizationContent['resource'],
): AuthorizationContent => ({
  id,
  client: { id: client.id, actor_id: client.actor_id, ipv4: client.ipv4, ipv6: client.ipv6, public_key },
  resource,
  policy_id,
  flow_log_uploads_enabled,
  expires_at,
})
