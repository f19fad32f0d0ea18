import type { CallerOf } from '../../auth/caller.ts'
import { clock } from '../../core/clock.ts'
import type { Subject } from '../../core/subject.ts'
import { renderGateway } from '../../domain/gateways/render-gateway.ts'
import { seenFrom } from '../../domain/presence/presence.ts'
import { leaseEnd, renderLease } from '../../domain/sessions/lease.ts'
import { answerSince } from './answer-since.ts'
import { authorizationsInForce } from './authorizations-in-force.ts'
import { changeSession, holderOf, liveGateway } from './gateway-presence.ts'

type Caller = CallerOf<'gateway'>

/**
 * A heartbeat: renews the lease and answers the authorizations in force, all of them or what changed (P4). The answer
 * comes first: a gateway that cannot be told who reaches what does not stay online. What a nudge was spared for while
 * the answer was put together is not in it: then there is more (C5.1).
 * @throws ApiError `not_found` for a session that has ended, is unknown or was started with another token (P1.7).
 */
export async function renewSession(caller: Caller, subject: Subject, sessionId: string, since: string | null) {
  const { account, token } = caller
  const now = clock.now()
  const holder = await holderOf(caller, sessionId)
  const { gateway } = await liveGateway(caller, holder, sessionId, now)
  const inForce = await authorizationsInForce(account.id, gateway.id, now)
  const answer = await answerSince({ accountId: account.id, sessionId }, inForce, since)
  const { last_seen_version: _kept, ...seen } = seenFrom(subject, '', now)
  const renewed = { lease_expires_at: leaseEnd(now), ...seen }
  const before = await changeSession(caller, holder, sessionId, now, renewed, ['nudged_at', 'nudge_due'])
  return {
    data: {
      id: sessionId,
      gateway: renderGateway(gateway, { ...before, ...renewed, rotated_at: token.rotated_at }, now),
      ...renderLease('gateways', renewed.lease_expires_at),
      ...answer,
      more: answer.more || before.nudge_due === true,
    },
  }
}

/** Ends a session; the gateway is offline at once. @throws ApiError `not_found` as a heartbeat */
export async function endSession(caller: Caller, sessionId: string) {
  const holder = await holderOf(caller, sessionId)
  await changeSession(caller, holder, sessionId, clock.now(), { lease_expires_at: 0 })
  return { data: { id: sessionId } }
}
