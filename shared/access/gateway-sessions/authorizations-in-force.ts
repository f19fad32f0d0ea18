import * as v from 'valibot'
import { deleteAuthorization } from '../../commit/revoke.ts'
import { inParallel } from '../../core/work/in-parallel.ts'
import { type ClientRow, clients } from '../../domain/clients/client.ts'
import { type CountedPresence, isOnline, readPresences } from '../../domain/presence/presence.ts'
import { Resource, resources } from '../../domain/resources/resource.ts'
import { partition } from '../../table/keys.ts'
import { getRows, queryItems } from '../../table/read.ts'
import { type Authorization, type AuthorizationItem, hasExpired, isAbandoned } from '../authorizations/authorization.ts'
import type { AuthorizationContent } from './gateway-authorization.ts'

export type InForce = { authorization: Authorization; content: AuthorizationContent }

/**
 * The most authorizations that a gateway is told, the oldest first. With so many, `since` takes 1.6 MB of a request,
 * removing all of them takes 2.1 MB of an answer, and reading them takes 160 MB of memory.
 */
export const toldAtMost = 50_000

/** Authorizations read at a time: one request to the table. */
const stretchLength = 500

/**
 * The most that one heartbeat deletes, so that its answer does not wait when a whole office goes offline. The next
 * heartbeat goes on, and a client that comes back ends its own (P5.5(3)).
 */
const deletedAtMost = 500

/**
 * The authorizations of a gateway that are in force, oldest first; where there are more than `atMost`, some of those are
 * among them, and the rest is not read. One whose client's session has ended, without a new one with the same key, is
 * deleted (P5.5(3)), and so is one that a request which died has left pending.
 */
export async function authorizationsInForce(
  account: string,
  gatewayId: string,
  now: number,
  atMost = toldAtMost,
): Promise<InForce[]> {
  const known: Surroundings = { devices: new Map(), targets: new Map() }
  const inForce: InForce[] = []
  const ended: AuthorizationItem[] = []
  for await (const stored of stretches(account, gatewayId)) {
    const items = stored.filter((item) => !hasExpired(item, now))
    ended.push(...stored.filter((item) => isAbandoned(item, now)))
    await look(account, items, known)
    for (const item of items) {
      const { row: client, presence } = known.devices.get(item.client_id) ?? {}
      const resource = known.targets.get(item.resource_id)
      const alive = presence && isOnline(presence, now) && presence.public_key === item.client_public_key
      if (client && resource && alive) inForce.push(told(item, client, presence, resource))
      else if (ended.length < deletedAtMost) ended.push(item)
    }
    if (inForce.length > atMost) break
  }
  await inParallel(ended.slice(0, deletedAtMost), 10, deleteAuthorization)
  return inForce
}

async function* stretches(account: string, gatewayId: string): AsyncGenerator<AuthorizationItem[]> {
  const pk = partition(account, 'authorizations', gatewayId)
  for (let after: string | undefined, hasMore = true; hasMore; ) {
    const items = (await queryItems(pk, { after, limit: stretchLength })) as AuthorizationItem[]
    yield items
    after = items.at(-1)?.sk
    hasMore = items.length === stretchLength
  }
}

/** The clients and resources of the authorizations, each held once, because a resource can be large and shared by many. */
type Surroundings = {
  devices: Map<string, { row: ClientRow | null; presence: CountedPresence | null }>
  targets: Map<string, AuthorizationContent['resource'] | null>
}

/** Reads what is not known yet of the clients and resources of authorizations. */
async function look(account: string, items: AuthorizationItem[], { devices, targets }: Surroundings): Promise<void> {
  const clientIds = [...new Set(items.map((item) => item.client_id))].filter((id) => !devices.has(id))
  const resourceIds = [...new Set(items.map((item) => item.resource_id))].filter((id) => !targets.has(id))
  const [presences, clientRows, resourceRows] = await Promise.all([
    readPresences(account, 'clients', clientIds),
    getRows(clients, account, clientIds),
    getRows(resources, account, resourceIds),
  ])
  clientIds.forEach((id, i) => {
    devices.set(id, { row: clientRows[i] ?? null, presence: presences[i] ?? null })
  })
  resourceIds.forEach((id, i) => {
    const row = resourceRows[i]
    targets.set(id, row ? v.parse(Resource, row) : null)
  })
}

function told(
  { pk: _pk, sk: _sk, kind: _kind, ttl: _ttl, edges: _edges, ...authorization }: AuthorizationItem,
  client: ClientRow,
  { public_key }: CountedPresence,
  resource: AuthorizationContent['resource'],
): InForce {
  const { id, policy_id, flow_log_uploads_enabled, expires_at } = authorization
  const { actor_id, ipv4, ipv6 } = client
  return {
    authorization,
    content: {
      id,
      client: { id: client.id, actor_id, ipv4, ipv6, public_key },
      resource,
      policy_id,
      flow_log_uploads_enabled,
      expires_at,
    },
  }
}
