import type { CallerOf } from '../../auth/caller.ts'
import { timestamp } from '../../core/clock.ts'
import { uuidV7 } from '../../core/ids.ts'
import type { Subject } from '../../core/subject.ts'
import { clientTokens } from '../../domain/client-tokens/client-token.ts'
import { clients } from '../../domain/clients/client.ts'
import { type MembershipRow, memberships } from '../../domain/memberships/membership.ts'
import { policies } from '../../domain/policies/policy.ts'
import { presenceKey } from '../../domain/presence/presence.ts'
import { resources } from '../../domain/resources/resource.ts'
import { attributionItem } from '../../logs/flows/attribution.ts'
import { markEmail } from '../../logs/flows/flow-marks.ts'
import { rowKey } from '../../table/entity.ts'
import { entityKey, type Item } from '../../table/keys.ts'
import { getItem } from '../../table/read.ts'
import { check, put, putOver, type Write, writeTogether } from '../../table/write-together.ts'
import type { LiveClient } from '../client-sessions/client-presence.ts'
import type { Decision } from '../decide.ts'
import type { LiveGateway } from '../site-gateway.ts'
import { attributionOf } from './attribution-of.ts'
import { type Authorization, authorizationItems, findGrant } from './authorization.ts'

type GrantInput = Decision & { session: LiveClient; live: LiveGateway; membership: MembershipRow | null }

/**
 * Stores an authorization (P5.5) in one transaction that checks every row it rests on, so that it can neither outlive
 * nor race past its revocation; `lost` when one of them has changed since the decision.
 */
export async function grant(
  caller: CallerOf<'client'>,
  subject: Subject,
  input: GrantInput,
  now: number,
): Promise<Authorization | 'lost'> {
  const { account, actor, token } = caller
  const { session, live, policy, resource, membership } = input
  const authorization: Authorization = {
    id: uuidV7(now),
    account_id: account.id,
    policy_id: policy.id,
    client_id: session.client.id,
    actor_id: actor.id,
    gateway_id: live.gateway.id,
    resource_id: resource.id,
    client_token_id: token.id,
    membership: membership && `${membership.group_id}#${membership.actor_id}`,
    client_public_key: session.presence.public_key,
    client_remote_ip: subject.ip,
    gateway_remote_ip: live.presence.last_seen_remote_ip,
    user_agent: subject.user_agent,
    flow_log_uploads_enabled: policy.flow_log_uploads_enabled,
    authorized_at: timestamp(now),
    expires_at: timestamp(input.expiresAt),
    state_at:
      [policy, resource, session.client, ...(membership ? [membership] : [])]
        .map(({ updated_at }) => updated_at)
        .sort()
        .at(-1) ?? policy.updated_at,
  }
  const { main, grant, edges } = authorizationItems(authorization)
  const attribution = attributionOf(authorization, caller, session, resource)
  const [claimed] = await Promise.all([claim(grant), markEmail(account.id, attribution)])
  const outcome = await writeTogether([
    put(main),
    claimed,
    ...edges.map(put),
    put(attributionItem(account.id, attribution)),
    ...checks(account.id, token.id, input, now),
  ])
  return outcome === 'lost' ? 'lost' : authorization
}

/** One authorization of a client for a resource; the pointer of one that expired by itself is taken over. */
async function claim(pointer: Item): Promise<Write> {
  const former = await findGrant(pointer)
  if (!former || (await getItem(former.row))) return putOver(pointer, null)
  return putOver(pointer, { authorization_id: former.authorization_id })
}

function checks(
  account: string,
  tokenId: string,
  { session, live, policy, resource, membership }: GrantInput,
  now: number,
): Write[] {
  const { client, presence } = session
  const unexpired = { lease_expires_at: now }
  return [
    check(entityKey(account, policies.name, policy.id), { updated_at: policy.updated_at }),
    check(entityKey(account, resources.name, resource.id), { updated_at: resource.updated_at }),
    check(entityKey(account, clients.name, client.id), { updated_at: client.updated_at }),
    check(entityKey(account, clientTokens.name, tokenId)),
    check(
      presenceKey(account, 'clients', client.id),
      { session_id: presence.session_id, tested: presence.tested },
      unexpired,
    ),
    check(presenceKey(account, 'gateways', live.gateway.id), { session_id: live.presence.session_id }, unexpired),
    ...(membership ? [check(rowKey(memberships, account, membership), { inserted_at: membership.inserted_at })] : []),
  ]
}
