import { authorizationsOf, deleteAuthorization, type Grounds, pointerKeys } from '../commit/revoke.ts'
import { microsOf, timestamp } from '../core/clock.ts'
import { type ConditionContext, evaluateConditions } from '../domain/policies/conditions/conditions.ts'
import { policies } from '../domain/policies/policy.ts'
import { type FlowRole, signIngestToken } from '../logs/flows/ingest-token.ts'
import { type Item, type Key, partition } from '../table/keys.ts'
import { getItem, getRows } from '../table/read.ts'

const secondMicros = 1_000_000

/** A client's permission to reach one resource through one gateway (P5.5). */
export type Authorization = Grounds & {
  actor_id: string
  gateway_id: string
  /** The client's key at the time of authorization. The authorization ends when the key changes (P1.8). */
  client_public_key: string
  client_remote_ip: string
  gateway_remote_ip: string | null
  user_agent: string | null
  flow_log_uploads_enabled: boolean
  authorized_at: string
  expires_at: string
  /** Time of the latest change to the rows that the authorization depends on. Revocations by later commits end the authorization. */
  state_at: string
}

export type AuthorizationItem = Item & Authorization

/** Partition of a gateway's authorizations, which a heartbeat reads with one query. */
export const authorizationsPartition = (account: string, gatewayId: string): string =>
  partition(account, 'authorizations', gatewayId)

export const authorizationKey = (account: string, gatewayId: string, id: string): Key => ({
  pk: authorizationsPartition(account, gatewayId),
  sk: id,
})

type Grant = Key & { authorization_id: string; row: Key }

/** Finds the pointer to a client's authorization for a resource. The pointer may remain after the authorization has expired. */
export const findGrant = async ({ pk, sk }: Key): Promise<Grant | undefined> =>
  (await getItem({ pk, sk })) as Grant | undefined

export const authorizationsOfClient = async (account: string, clientId: string): Promise<AuthorizationItem[]> =>
  (await authorizationsOf(account, { by: 'client', id: clientId })) as AuthorizationItem[]

/** Builds the items of an authorization. `grant` is the unique pointer by client and resource. */
export function authorizationItems(authorization: Authorization): {
  main: AuthorizationItem
  grant: Item
  indexes: Item[]
} {
  const key = authorizationKey(authorization.account_id, authorization.gateway_id, authorization.id)
  const ttl = Math.ceil(microsOf(authorization.expires_at) / secondMicros)
  const pointer = (at: Key): Item => ({ ...at, kind: 'index', authorization_id: authorization.id, row: key, ttl })
  const [grant, ...indexes] = pointerKeys(authorization)
  return {
    main: { ...key, kind: 'authorization', ...authorization, ttl },
    grant: pointer(grant),
    indexes: indexes.map(pointer),
  }
}

export const hasExpired = ({ expires_at }: Pick<Authorization, 'expires_at'>, now: number): boolean =>
  microsOf(expires_at) <= now

/** Expiry of pending authorizations: a past time, so that all readers ignore them until they are confirmed. */
const pendingEnd = timestamp(0)
/** Time after which the request that created a pending authorization has either confirmed it or failed. */
const creationMicros = 60 * secondMicros

export const isPending = ({ expires_at }: Pick<Authorization, 'expires_at'>): boolean => expires_at === pendingEnd

/** True for a pending authorization whose request has failed. */
export const isAbandoned = (item: Pick<Authorization, 'expires_at' | 'authorized_at'>, now: number): boolean =>
  isPending(item) && microsOf(item.authorized_at) < now - creationMicros

/** Pending form of an authorization's item, stored before the grounds are checked again. DynamoDB deletes the item at its `ttl`. */
export const pendingItem = (main: AuthorizationItem): AuthorizationItem => ({
  ...main,
  expires_at: pendingEnd,
  ttl: Math.ceil((microsOf(main.authorized_at) + 10 * creationMicros) / secondMicros),
})

/** Signs the ingest token for one side of an authorization. Deterministic (P5.5(4), L9.3). */
export const signForAuthorization = (authorization: Authorization, role: FlowRole): Promise<string> =>
  signIngestToken({
    account_id: authorization.account_id,
    policy_authorization_id: authorization.id,
    role,
    uploads_enabled: authorization.flow_log_uploads_enabled,
    authorized_at: authorization.authorized_at,
    expires_at: authorization.expires_at,
    initiator_device_id: authorization.client_id,
    responder_device_id: authorization.gateway_id,
    initiator_actor_id: authorization.actor_id,
    policy_id: authorization.policy_id,
    resource_id: authorization.resource_id,
  })

/** Deletes a client's authorizations whose policies are disabled, deleted or no longer satisfied in the new condition context (P3.2). */
export async function reevaluate(
  account: string,
  clientId: string,
  context: ConditionContext,
  now: number,
): Promise<void> {
  const items = await authorizationsOfClient(account, clientId)
  const grantingPolicies = await getRows(
    policies,
    account,
    items.map((item) => item.policy_id),
  )
  const endedItems = items.filter((_, index) => {
    const policy = grantingPolicies[index]
    return !policy || policy.is_disabled || !evaluateConditions(policy.conditions, context, now).conforms
  })
  await Promise.all(endedItems.map(deleteAuthorization))
}
