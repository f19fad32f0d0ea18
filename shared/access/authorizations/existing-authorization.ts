import { grantKey } from '../../commit/authorization-pointers.ts'
import { deleteAuthorization } from '../../commit/revoke.ts'
import { microsOf } from '../../core/clock.ts'
import { gateways } from '../../domain/gateways/gateway.ts'
import { type ConditionContext, evaluateConditions } from '../../domain/policies/evaluate-conditions.ts'
import { policies } from '../../domain/policies/policy.ts'
import { isOnline, readPresence } from '../../domain/presence/presence.ts'
import { type ResourceRow, resources } from '../../domain/resources/resource.ts'
import { itemRow } from '../../table/entity.ts'
import { entityKey } from '../../table/keys.ts'
import { getItem, getItems } from '../../table/read.ts'
import type { LiveClient } from '../client-sessions/client-presence.ts'
import type { LiveGateway } from '../site-gateway.ts'
import { type Authorization, type AuthorizationItem, findGrant, hasExpired, isPending } from './authorization.ts'

/** An authorization with what its answer shows of resource and gateway. */
export type Granted = { authorization: Authorization; resource: ResourceRow; live: LiveGateway }

/** So long a pending authorization is left to the request that makes it; a client that asks again waits for that one. */
const patienceMicros = 5_000_000

/**
 * The authorization that the client has for the resource already. One that is not live is deleted (P5.2, step 3); `lost`
 * while another request is making one.
 */
export async function existingAuthorization(
  account: string,
  { client, presence }: LiveClient,
  resourceId: string,
  context: ConditionContext,
  now: number,
): Promise<Granted | 'lost' | null> {
  const pointer = await findGrant(grantKey(account, client.id, resourceId))
  const item = pointer && ((await getItem(pointer.row)) as AuthorizationItem | undefined)
  if (!item) return null
  if (isPending(item) && microsOf(item.authorized_at) > now - patienceMicros) return 'lost'
  const [[policyItem, resourceItem, gatewayItem], seen] = await Promise.all([
    getItems([
      entityKey(account, policies.name, item.policy_id),
      entityKey(account, resources.name, resourceId),
      entityKey(account, gateways.name, item.gateway_id),
    ]),
    readPresence(account, 'gateways', item.gateway_id),
  ])
  const policy = policyItem && itemRow(policies, policyItem)
  const live =
    !hasExpired(item, now) &&
    item.client_public_key === presence.public_key &&
    policy &&
    !policy.is_disabled &&
    evaluateConditions(policy.conditions, context, now).conforms &&
    isOnline(seen, now)
  if (live && seen && resourceItem && gatewayItem) {
    const gateway = itemRow(gateways, gatewayItem)
    return { authorization: item, resource: itemRow(resources, resourceItem), live: { gateway, presence: seen } }
  }
  await deleteAuthorization(item)
  return null
}
