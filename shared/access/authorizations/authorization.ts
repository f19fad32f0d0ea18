import { authorizationsBy, authorizationsOf } from '../../commit/revoke.ts'
import { microsOf } from '../../core/clock.ts'
import { type Item, type Key, partition } from '../../table/keys.ts'
import { getItem } from '../../table/read.ts'

/** A client's permission to reach one resource through one gateway (P5.5). */
export type Authorization = {
  id: string
  account_id: string
  policy_id: string
  client_id: string
  actor_id: string
  gateway_id: string
  resource_id: string
  client_token_id: string
  /** `<group>#<actor>`; null through the managed group. */
  membership: string | null
  /** The client's key when authorized: an authorization ends with it (P1.8). */
  client_public_key: string
  client_remote_ip: string
  gateway_remote_ip: string | null
  user_agent: string | null
  flow_log_uploads_enabled: boolean
  authorized_at: string
  expires_at: string
  /** The latest change of the rows it rests on: revocations of later commits end it. */
  state_at: string
}

/** The stored item; `edges` are the keys of the items that point to it. */
export type AuthorizationItem = Item & Authorization & { edges: Key[] }

/** Authorizations lie with their gateway, so that its heartbeat reads one partition. */
export const authorizationKey = (account: string, gatewayId: string, id: string): Key => ({
  pk: partition(account, 'authorizations', gatewayId),
  sk: id,
})

/** At most one authorization of a client for a resource: its edge by client is keyed by the resource. */
export const grantKey = (account: string, clientId: string, resourceId: string): Key => ({
  pk: authorizationsBy(account, 'client', clientId),
  sk: resourceId,
})

type Grant = Key & { authorization_id: string; row: Key }

/** The pointer to a client's authorization for a resource; it can outlast one that expired. */
export const findGrant = async ({ pk, sk }: Key): Promise<Grant | undefined> =>
  (await getItem({ pk, sk })) as Grant | undefined

export const authorizationsOfClient = async (account: string, clientId: string): Promise<AuthorizationItem[]> =>
  (await authorizationsOf(account, { by: 'client', id: clientId })) as AuthorizationItem[]

/** The item of an authorization with everything that points to it, as they are stored together. */
export function authorizationItems(authorization: Authorization): {
  main: AuthorizationItem
  grant: Item
  edges: Item[]
} {
  const { account_id: account, id, expires_at } = authorization
  const key = authorizationKey(account, authorization.gateway_id, id)
  const ttl = Math.ceil(microsOf(expires_at) / 1_000_000)
  const pointer = (at: Key): Item => ({ ...at, kind: 'edge', authorization_id: id, row: key, ttl })
  const grant = pointer(grantKey(account, authorization.client_id, authorization.resource_id))
  const edges = [
    pointer({ pk: authorizationsBy(account, 'policy', authorization.policy_id), sk: id }),
    pointer({ pk: authorizationsBy(account, 'resource', authorization.resource_id), sk: id }),
    pointer({ pk: authorizationsBy(account, 'client_token', authorization.client_token_id), sk: id }),
    ...(authorization.membership === null
      ? []
      : [pointer({ pk: authorizationsBy(account, 'membership', authorization.membership), sk: id })]),
  ]
  const keys = [grant, ...edges].map(({ pk, sk }): Key => ({ pk, sk }))
  return { main: { ...key, kind: 'authorization', ...authorization, ttl, edges: keys }, grant, edges }
}

export const hasExpired = ({ expires_at }: Pick<Authorization, 'expires_at'>, now: number): boolean =>
  microsOf(expires_at) <= now
