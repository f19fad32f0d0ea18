import * as v from 'valibot'
import { authorizationsOf, deleteAuthorization } from '../../commit/revoke.ts'
import { inParallel } from '../../core/in-parallel.ts'
import { clients } from '../../domain/clients/client.ts'
import { isOnline, readPresences } from '../../domain/presence/presence.ts'
import { resources } from '../../domain/resources/resource.ts'
import { getRows } from '../../table/read.ts'
import { type AuthorizationItem, hasExpired } from '../authorizations/authorization.ts'
import { AuthorizationContent } from './gateway-authorization.ts'

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
  const targets = new Map(resourceIds.map((id, i) => [id, resourceRows[i]]))
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
    const content = v.parse(AuthorizationContent, {
      ...item,
      client: { ...client, public_key: presence.public_key },
      resource,
    })
    inForce.push({ item, content })
  }
  await inParallel(ended.slice(0, deletedAtMost), 10, deleteAuthorization)
  return inForce
}
