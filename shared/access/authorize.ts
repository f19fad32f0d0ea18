import * as v from 'valibot'
import type { CallerOf } from '../auth/caller.ts'
import { deleteAuthorization, grantKey } from '../commit/revoke.ts'
import { clock, microsOf } from '../core/clock.ts'
import { env } from '../core/env.ts'
import { ApiError, invalidAt, unauthorized } from '../core/errors.ts'
import { measure } from '../core/logging/invocation.ts'
import type { Subject } from '../core/subject.ts'
import { waitAtMost } from '../core/work/wait-at-most.ts'
import { clientTokens } from '../domain/client-tokens/client-token.ts'
import { gateways } from '../domain/gateways/gateway.ts'
import { getMembership } from '../domain/memberships/membership.ts'
import { type ConditionContext, evaluateConditions } from '../domain/policies/conditions/conditions.ts'
import { policies } from '../domain/policies/policy.ts'
import { Resource, type ResourceRow, resources } from '../domain/resources/resource.ts'
import { isOnline, readPresence } from '../domain/sessions/presence.ts'
import { nudgeGateway } from '../live/nudge-gateway.ts'
import { recordRefusal } from '../logs/refusals/refusals.ts'
import { itemRow } from '../table/entity.ts'
import { entityKey } from '../table/keys.ts'
import { getItem, getItems, getRow } from '../table/read.ts'
import { untilDone } from '../table/write-together.ts'
import { orNull, Uuid } from '../values/fields.ts'
import { AccessRefused } from './access-refused.ts'
import {
  type Authorization,
  type AuthorizationItem,
  findGrant,
  hasExpired,
  isPending,
  signForAuthorization,
} from './authorization.ts'
import { findSession, listOnlineSessions, noteConditionContext, type OnlineClient } from './client-presence.ts'
import { decide } from './decide.ts'
import { grant, type OnlineGateway, siteGateway } from './grant.ts'

export type AuthorizationInput = { resource_id: string; session_id?: string | null }

/** Authorizes a client for a resource. The result is marked `repeated` for an existing authorization (P5.2). */
export async function authorize(
  caller: CallerOf<'client'>,
  subject: Subject,
  { resource_id, session_id }: AuthorizationInput,
) {
  const { account, actor, token } = caller
  return untilDone(async () => {
    const now = clock.now()
    const foundSession = await sessionOf(account.id, token.id, session_id ?? null, now)
    const context = { client: foundSession.client, subject }
    // Evaluates existing authorizations in the context of the current request, such as its address.
    const session = await noteConditionContext(account.id, foundSession, context, now)
    if (!session) return 'conflict'

    const existing = await existingAuthorization(account.id, session, resource_id, context, now)
    if (existing === 'conflict') return 'conflict'
    if (existing) return render(existing, true)
    const grounds = await findGrounds(caller, resource_id, session, context, now).catch(async (error) => {
      if (!(error instanceof AccessRefused)) throw error
      const { reason, violated } = error
      const { ip, ip_region } = subject
      const ids = { actor_id: actor.id, client_id: session.client.id }
      await recordRefusal(account.id, { ...ids, resource_id, reason, violated, ip, ip_region }, now)
      throw error
    })
    if (grounds === 'conflict') return 'conflict'
    const { onlineGateway } = grounds
    const authorization = await grant(caller, subject, { ...grounds, session }, now)
    if (authorization !== 'conflict') {
      measure('grants')
      await nudgeOfGrant(account.id, onlineGateway.gateway.id)
      return render({ authorization, resource: grounds.resource, onlineGateway }, false)
    }
    if (!(await getRow(clientTokens, account.id, token.id))) throw unauthorized()
    return 'conflict'
  })
}

/**
 * Finds the policy, the gateway and the membership for a new authorization (P5.2, steps 4 to 7). Returns `conflict` if the membership was
 * deleted in the meantime.
 * @throws AccessRefused
 */
async function findGrounds(
  caller: CallerOf<'client'>,
  resourceId: string,
  session: OnlineClient,
  context: ConditionContext,
  now: number,
) {
  const { account, actor } = caller
  const decision = await decide(caller, resourceId, context, now)
  const [onlineGateway, membership] = await Promise.all([
    siteGateway(account.id, decision.resource.site_id, session, now),
    decision.group === null ? null : getMembership(account.id, decision.group, actor.id),
  ])
  return membership === undefined ? 'conflict' : { ...decision, onlineGateway, membership }
}

/**
 * Finds the online session of the request (P5.2, step 2).
 * @throws ApiError `no_session`, or 422 when the token has several sessions
 */
async function sessionOf(
  account: string,
  tokenId: string,
  sessionId: string | null,
  now: number,
): Promise<OnlineClient> {
  const candidates = sessionId === null ? await listOnlineSessions(account, tokenId, now) : [sessionId]
  if (candidates.length > 1) throw invalidAt(['session_id'], "can't be blank")
  const [id] = candidates
  const session = id === undefined ? null : await findSession(account, tokenId, id, now)
  if (!session) throw new ApiError('no_session', 'No active session of this token was found. Start a session first.')
  return session
}

async function render({ authorization, resource, onlineGateway }: AuthorizedAccess, repeated: boolean) {
  const { id, policy_id, expires_at } = authorization
  const { ipv4, ipv6 } = onlineGateway.gateway
  return {
    data: {
      id,
      resource,
      gateway: { id: onlineGateway.gateway.id, ipv4, ipv6, public_key: onlineGateway.presence.public_key },
      policy_id,
      expires_at,
      ingest_token: await signForAuthorization(authorization, 'initiator'),
    },
    repeated,
  }
}

export type AuthorizedAccess = { authorization: Authorization; resource: ResourceRow; onlineGateway: OnlineGateway }

/** Maximum wait for a pending authorization that an earlier request created. */
const patienceMicros = 5_000_000

/** Finds the client's authorization (P5.2, step 3) and deletes an invalid one. Returns `conflict` while another request creates one. */
async function existingAuthorization(
  account: string,
  { client, presence }: OnlineClient,
  resourceId: string,
  context: ConditionContext,
  now: number,
): Promise<AuthorizedAccess | 'conflict' | null> {
  const pointer = await findGrant(grantKey(account, client.id, resourceId))
  const item = pointer && ((await getItem(pointer.row)) as AuthorizationItem | undefined)
  if (!item) return null
  if (isPending(item) && microsOf(item.authorized_at) > now - patienceMicros) return 'conflict'
  const [[policyItem, resourceItem, gatewayItem], gatewayPresence] = await Promise.all([
    getItems([
      entityKey(account, policies.name, item.policy_id),
      entityKey(account, resources.name, resourceId),
      entityKey(account, gateways.name, item.gateway_id),
    ]),
    readPresence(account, 'gateways', item.gateway_id),
  ])
  const policy = policyItem && itemRow(policies, policyItem)
  const isValid =
    !hasExpired(item, now) &&
    item.client_public_key === presence.public_key &&
    policy &&
    !policy.is_disabled &&
    evaluateConditions(policy.conditions, context, now).conforms &&
    isOnline(gatewayPresence, now)
  if (isValid && gatewayPresence && resourceItem && gatewayItem) {
    const gateway = itemRow(gateways, gatewayItem)
    return {
      authorization: item,
      resource: itemRow(resources, resourceItem),
      onlineGateway: { gateway, presence: gatewayPresence },
    }
  }
  await deleteAuthorization(item)
  return null
}

/** Request body of an authorization. A null or blank `session_id` is treated as missing. */
export const AuthorizationFields = v.object({ resource_id: Uuid, session_id: v.optional(orNull(Uuid)) })

/** Authorization in the response to its client (P5.5(4)). */
export const GrantedAuthorization = v.object({
  id: v.string(),
  resource: Resource,
  gateway: v.object({ id: v.string(), ipv4: v.string(), ipv6: v.string(), public_key: v.string() }),
  policy_id: v.string(),
  expires_at: v.string(),
  ingest_token: v.string(),
})

/** Maximum time in milliseconds that the response waits for the nudge to the gateway (C5.2). */
const maxNudgeMs = 150

async function nudgeOfGrant(account: string, gatewayId: string): Promise<void> {
  if (env.liveUrl !== null) await waitAtMost(maxNudgeMs, nudgeGateway(account, gatewayId))
}
