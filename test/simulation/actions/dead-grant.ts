import { authorizationItems, findGrant, pendingItem } from '#shared/access/authorization.ts'
import { grantKey } from '#shared/commit/revoke.ts'
import { timestamp } from '#shared/core/clock.ts'
import { prepareTogether, put } from '#shared/table/write-together.ts'
import { compareDecision } from '../compare/compare-decision.ts'
import type { Policy } from '../models/account-model.ts'
import type { SimulatedAccount } from '../world/simulated-account.ts'

const second = 1_000_000

/**
 * Stores a pending authorization, as if its request had failed before the confirmation (P5.5). The model omits the authorization, because
 * it must grant no access. The service must delete it if an object that it depends on is deleted, at a heartbeat, or at the client's next
 * request.
 */
export async function leaveDeadGrant(account: SimulatedAccount): Promise<void> {
  const { id: account_id, model, random, clock } = account
  const gatewayOf = ({ resource }: Policy) =>
    [...model.gateways.values()].find(({ site }) => site === model.resources.get(resource)?.site)
  const [client] = random.sample(
    [...model.clients.values()].filter(({ session }) => session),
    1,
  )
  const [policy] = random.sample([...model.policies.values()].filter(gatewayOf), 1)
  const gateway = policy && gatewayOf(policy)
  if (!client?.session || !policy || !gateway) return
  // Skips a client and resource that already have an authorization, because the service would return it instead of granting a new one.
  if (await findGrant(grantKey(account_id, client.id, policy.resource))) return
  // Makes the authorization older than the time for which a concurrent request waits for a pending authorization.
  const at = timestamp(clock.now - (6 + Math.floor(100 * random.next())) * second)
  const isManaged = policy.group === null || model.groups.get(policy.group)?.managed
  const { main, grant, indexes } = authorizationItems({
    id: crypto.randomUUID(),
    account_id,
    policy_id: policy.id,
    client_id: client.id,
    actor_id: client.actor,
    gateway_id: gateway.id,
    resource_id: policy.resource,
    client_token_id: client.session.token,
    membership: isManaged ? null : `${policy.group}#${client.actor}`,
    client_public_key: client.key,
    client_remote_ip: client.place.ip,
    gateway_remote_ip: gateway.place.ip,
    user_agent: null,
    flow_log_uploads_enabled: true,
    authorized_at: at,
    expires_at: '2099-01-01T00:00:00.000000Z',
    state_at: at,
  })
  await prepareTogether([pendingItem(main), grant, ...indexes].map(put))
  account.note('dead grant', [client.id, policy.resource])
  account.settle()
  if (random.chance(0.4)) await compareDecision(account, client, policy.resource)
}
