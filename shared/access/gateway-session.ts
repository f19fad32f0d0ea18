import type { CallerOf } from '../auth/caller.ts'
import { clock } from '../core/clock.ts'
import { notFound } from '../core/errors.ts'
import type { Subject } from '../core/subject.ts'
import { changing } from '../core/work/work.ts'
import { type GatewayRow, gateways } from '../domain/gateways/gateway.ts'
import { findPointer, keepPointer, type Pointer } from '../domain/gateways/session-pointer.ts'
import { renderGateway } from '../domain/gateways/store.ts'
import { leaseEnd, renderLease } from '../domain/sessions/lease.ts'
import { findPresence, isOnline, type Presence, presenceKey, seenFrom } from '../domain/sessions/presence.ts'
import { changeItem } from '../table/change-item.ts'
import { getRow } from '../table/read.ts'
import { answerSince, authorizationsInForce } from './gateway-authorizations.ts'

type Caller = CallerOf<'gateway'>

/** The gateway of a session; `pointer` is what leads there from a token of its site. */
type Holder = { gatewayId: string; pointer?: Pointer }

/** @throws ApiError `not_found` for a session that a site token did not start (P1.7) */
async function holderOf({ account, token }: Caller, sessionId: string): Promise<Holder> {
  if (token.gateway_id !== null) return { gatewayId: token.gateway_id }
  const pointer = await findPointer(account.id, token.id, sessionId)
  if (!pointer) throw notFound()
  return { gatewayId: pointer.gateway_id, pointer }
}

/** The gateway and its holder, as long as this session of it is live. @throws ApiError `not_found` */
export async function liveGateway(
  caller: Caller,
  sessionId: string,
  now: number,
): Promise<{ gateway: GatewayRow; holder: Holder }> {
  const { account, token } = caller
  const holder = await holderOf(caller, sessionId)
  const [gateway, presence] = await Promise.all([
    caller.gateway ?? getRow(gateways, account.id, holder.gatewayId),
    findPresence(account.id, 'gateways', holder.gatewayId),
  ])
  const isLive = presence?.session_id === sessionId && presence.token_id === token.id && isOnline(presence, now)
  if (!gateway || !isLive) throw notFound()
  return { gateway, holder }
}

/** Fields that a sign of life renews. The version of a gateway is that of its start. */
export function signOfLife(subject: Subject, lease_expires_at: number, now: number) {
  const { last_seen_version: _kept, ...seen } = seenFrom(subject, '', now)
  return { ...seen, lease_expires_at }
}

/** Sets fields of the live item of a session that is live, and forgets its nudges. Returns the item before. */
export async function changeSession(
  { account, token }: Caller,
  { gatewayId, pointer }: Holder,
  sessionId: string,
  now: number,
  fields: Partial<Presence>,
): Promise<Presence> {
  const before = await changeItem<Presence>(presenceKey(account.id, 'gateways', gatewayId), {
    set: fields,
    remove: ['nudged_at', 'nudge_due'],
    when: 'session_id = :session AND token_id = :token AND lease_expires_at > :now',
    values: { session: sessionId, token: token.id, now },
    through: changing,
  })
  if (!before) throw notFound()
  if (pointer) await keepPointer(pointer, now)
  return before
}

/**
 * A heartbeat: renews the lease and answers the authorizations in force (P4), which are read first: without them no
 * gateway stays online. Nudges that were folded meanwhile are not in the answer, so there is more (C5.1).
 * @throws ApiError `not_found` for a session that has ended, is unknown or was started with another token (P1.7)
 */
export async function renewGatewaySession(caller: Caller, subject: Subject, sessionId: string, since: string | null) {
  const { account, token } = caller
  const now = clock.now()
  const { gateway, holder } = await liveGateway(caller, sessionId, now)
  const inForce = await authorizationsInForce(account.id, gateway.id, now)
  const answer = await answerSince({ accountId: account.id, sessionId }, inForce, since)
  const renewed = signOfLife(subject, leaseEnd(now), now)
  const before = await changeSession(caller, holder, sessionId, now, renewed)
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
export async function endGatewaySession(caller: Caller, sessionId: string) {
  const holder = await holderOf(caller, sessionId)
  await changeSession(caller, holder, sessionId, clock.now(), { lease_expires_at: 0 })
  return { data: { id: sessionId } }
}
