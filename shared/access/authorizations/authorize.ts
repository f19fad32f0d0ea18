import type { CallerOf } from '../../auth/caller.ts'
import { clock } from '../../core/clock.ts'
import { ApiError, invalid, unauthorized } from '../../core/errors.ts'
import { measure } from '../../core/logging/invocation.ts'
import type { Subject } from '../../core/subject.ts'
import { clientTokens } from '../../domain/client-tokens/client-token.ts'
import { getMembership } from '../../domain/memberships/membership.ts'
import { getRow } from '../../table/read.ts'
import { untilDone } from '../../table/write-together.ts'
import { findSession, type LiveClient, liveSessions } from '../client-sessions/client-presence.ts'
import { noteConditionContext } from '../client-sessions/note-condition-context.ts'
import { conditionContextOf } from '../condition-context.ts'
import { decide } from '../decide.ts'
import { tellOfGrant } from '../live/tell-of-grant.ts'
import { siteGateway } from '../site-gateway.ts'
import { existingAuthorization, type Granted } from './existing-authorization.ts'
import { grant } from './grant.ts'
import { signForAuthorization } from './sign-for-authorization.ts'

export type AuthorizationInput = { resource_id: string; session_id?: string | null }

/** Authorizes a client for a resource, or finds that it is authorized already: then `repeated` (P5.2). */
export async function authorize(
  caller: CallerOf<'client'>,
  subject: Subject,
  { resource_id, session_id }: AuthorizationInput,
) {
  const { account, actor, token } = caller
  return untilDone(async () => {
    const now = clock.now()
    const found = await sessionOf(account.id, token.id, session_id ?? null, now)
    const context = conditionContextOf(found.client, subject)
    // The conditions hold for where this request comes from; what was granted elsewhere is tested with it.
    const session = await noteConditionContext(account.id, found, context, now)
    if (!session) return 'lost'

    const existing = await existingAuthorization(account.id, session, resource_id, context, now)
    if (existing === 'lost') return 'lost'
    if (existing) return render(existing, true)
    const decision = await decide(caller, resource_id, context, now)
    const [live, membership] = await Promise.all([
      siteGateway(account.id, decision.resource.site_id, session, now),
      decision.group === null ? null : getMembership(account.id, decision.group, actor.id),
    ])
    if (membership === undefined) return 'lost'
    const authorization = await grant(caller, subject, { ...decision, session, live, membership }, now)
    if (authorization !== 'lost') {
      measure('grants')
      await tellOfGrant(account.id, live.gateway.id)
      return render({ authorization, resource: decision.resource, live }, false)
    }
    if (!(await getRow(clientTokens, account.id, token.id))) throw unauthorized()
    return 'lost'
  })
}

/** The live session that is meant (P5.2, step 2). @throws ApiError `no_session`, or 422 when there are several */
async function sessionOf(account: string, tokenId: string, sessionId: string | null, now: number): Promise<LiveClient> {
  const candidates = sessionId === null ? await liveSessions(account, tokenId, now) : [sessionId]
  if (candidates.length > 1) throw invalid({ session_id: ["can't be blank"] })
  const [id] = candidates
  const session = id === undefined ? null : await findSession(account, tokenId, id, now)
  if (!session) throw new ApiError('no_session', 'This token has no such live session.')
  return session
}

async function render({ authorization, resource, live }: Granted, repeated: boolean) {
  const { id, policy_id, expires_at } = authorization
  const { ipv4, ipv6 } = live.gateway
  return {
    data: {
      id,
      resource,
      gateway: { id: live.gateway.id, ipv4, ipv6, public_key: live.presence.public_key },
      policy_id,
      expires_at,
      ingest_token: await signForAuthorization(authorization, 'initiator'),
    },
    repeated,
  }
}
