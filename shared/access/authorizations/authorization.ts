import { type Grounds, pointerKeys } from '../../commit/authorization-pointers.ts'
import { authorizationsOf } from '../../commit/revoke.ts'
import { microsOf, timestamp } from '../../core/clock.ts'
import { type Item, type Key, partition } from '../../table/keys.ts'
import { getItem } from '../../table/read.ts'

const secondMicros = 1_000_000

/** A client's permission to reach one resource through one gateway (P5.5). */
export type Authorization = Grounds & {
  actor_id: string
  gateway_id: string
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

/**
 * The stored item. In `edges` the version before kept the keys of its pointers, to delete them with it (docs/evolution.md);
 * they follow from what it rests on, so the list is empty now and the item stays one write unit.
 */
export type AuthorizationItem = Item & Authorization & { edges: Key[] }

/** Authorizations lie with their gateway, so that its heartbeat reads one partition. */
const authorizationKey = (account: string, gatewayId: string, id: string): Key => ({
  pk: partition(account, 'authorizations', gatewayId),
  sk: id,
})

type Grant = Key & { authorization_id: string; row: Key }

/** The pointer to a client's authorization for a resource; it can outlast one that expired. */
export const findGrant = async ({ pk, sk }: Key): Promise<Grant | undefined> =>
  (await getItem({ pk, sk })) as Grant | undefined

export const authorizationsOfClient = async (account: string, clientId: string): Promise<AuthorizationItem[]> =>
  (await authorizationsOf(account, { by: 'client', id: clientId })) as AuthorizationItem[]

/** The item of an authorization, and those that lead to it: that of its client, which only one can have, and the others. */
export function authorizationItems(authorization: Authorization): {
  main: AuthorizationItem
  grant: Item
  edges: Item[]
} {
  const key = authorizationKey(authorization.account_id, authorization.gateway_id, authorization.id)
  const ttl = Math.ceil(microsOf(authorization.expires_at) / secondMicros)
  const pointer = (at: Key): Item => ({ ...at, kind: 'edge', authorization_id: authorization.id, row: key, ttl })
  const [grant, ...edges] = pointerKeys(authorization)
  return {
    main: { ...key, kind: 'authorization', ...authorization, ttl, edges: [] },
    grant: pointer(grant),
    edges: edges.map(pointer),
  }
}

export const hasExpired = ({ expires_at }: Pick<Authorization, 'expires_at'>, now: number): boolean =>
  microsOf(expires_at) <= now

/**
 * The end of an authorization that does not count yet: an instant long gone, so that everybody who reads it, functions of
 * the version before among them, takes it for one that has expired. Confirming it gives it its end.
 */
const pendingEnd = timestamp(0)
/** By then, whoever makes it has confirmed it or has died. */
const makingMicros = 60 * secondMicros

export const isPending = ({ expires_at }: Pick<Authorization, 'expires_at'>): boolean => expires_at === pendingEnd

/** Whether an authorization was left pending by a request that is over. */
export const isAbandoned = (item: Pick<Authorization, 'expires_at' | 'authorized_at'>, now: number): boolean =>
  isPending(item) && microsOf(item.authorized_at) < now - makingMicros

/** The item as it is stored before what it rests on was looked at again; nobody else has to remove it. */
export const pendingItem = (main: AuthorizationItem): AuthorizationItem => ({
  ...main,
  expires_at: pendingEnd,
  ttl: Math.ceil((microsOf(main.authorized_at) + 10 * makingMicros) / secondMicros),
})
