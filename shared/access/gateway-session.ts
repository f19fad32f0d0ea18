import type { CallerOf } from '../auth/caller.ts'
import { clock } from '../core/clock.ts'
import { notFound } from '../core/errors.ts'
import type { Subject } from '../core/subject.ts'
import { noteWrite } from '../core/work/work.ts'
import { type GatewayRow, gateways } from '../domain/gateways/gateway.ts'
import { findPointer, keepPointer, type Pointer } from '../domain/gateways/session-pointer.ts'
import { renderGateway } from '../domain/gateways/store.ts'
import { leaseEnd, renderLease } from '../domain/sessions/lease.ts'
import { findPresence, isOnline, type Presence, presenceKey, toLastSeen } from '../domain/sessions/presence.ts'
import { changeItem } from '../table/change-item.ts'
import { getRow } from '../table/read.ts'
import { authorizationsInForce, authorizationsSince } from './gateway-authorizations.ts'

type Caller = CallerOf<'gateway'>

/** Gateway of a session. `pointer` exists only if a site token started the session. */
type Holder = { gatewayId: string; pointer?: Pointer }

/** Finds the gateway of a session. @throws ApiError `not_found` for a session that this site token did not start (P1.7) */
async function findHolder({ account, token }: Caller, sessionId: string): Promise<Holder> {
  if (token.gateway_id !== null) return { gatewayId: token.gateway_id }
  const pointer = await findPointer(account.id, token.id, sessionId)
  if (!pointer) throw notFound()
  return { gatewayId: pointer.gateway_id, pointer }
}

/** Reads the gateway of an online session. @throws ApiError `not_found` */
export async function readOnlineGateway(
  caller: Caller,
  sessionId: string,
  now: number,
): Promise<{ gateway: GatewayRow; holder: Holder }> {
  const { account, token } = caller
  const holder = await findHolder(caller, sessionId)
  const [gateway, presence] = await Promise.all([
    caller.gateway ?? getRow(gateways, account.id, holder.gatewayId),
    findPresence(account.id, 'gateways', holder.gatewayId),
  ])
  const isLive = presence?.session_id === sessionId && presence.token_id === token.id && isOnline(presence, now)
  if (!gateway || !isLive) throw notFound()
  return { gateway, holder }
}

/** Presence fields that a heartbeat renews. A gateway's version changes only when a session starts. */
export function heartbeatPresence(subject: Subject, lease_expires_at: number, now: number) {
  const { last_seen_version: _lastSeenVersion, ...fields } = toLastSeen(subject, '', now)
  return { ...fields, lease_expires_at }
}

/** Updates the presence item of an online session, and clears its pending nudge. Returns the item before the update. */
export async function updateSession(
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
    wrap: noteWrite,
  })
  if (!before) throw notFound()
  if (pointer) await keepPointer(pointer, now)
  return before
}

/**
 * Handles a gateway's heartbeat: reads the authorizations in force (P4), then renews the lease. A failed read therefore does not keep the
 * gateway online. Sets `more` when a nudge arrived in between (C5.1).
 * @throws ApiError `not_found` for a session that has ended, is unknown or was started with another token (P1.7)
 */
export async function renewGatewaySession(caller: Caller, subject: Subject, sessionId: string, since: string | null) {
  const { account, token } = caller
  const now = clock.now()
  const { gateway, holder } = await readOnlineGateway(caller, sessionId, now)
  const authorizations = await authorizationsInForce(account.id, gateway.id, now)
  const content = await authorizationsSince({ accountId: account.id, sessionId }, authorizations, since)
  const presenceUpdate = heartbeatPresence(subject, leaseEnd(now), now)
  const before = await updateSession(caller, holder, sessionId, now, presenceUpdate)
  return {
    data: {
      id: sessionId,
      gateway: renderGateway(gateway, { ...before, ...presenceUpdate, rotated_at: token.rotated_at }, now),
      ...renderLease('gateways', presenceUpdate.lease_expires_at),
      ...content,
      more: content.more || before.nudge_due === true,
    },
  }
}

/** Ends a session and takes the gateway offline immediately. @throws ApiError `not_found` in the same cases as `renewGatewaySession` */
export async function endGatewaySession(caller: Caller, sessionId: string) {
  const holder = await findHolder(caller, sessionId)
  await updateSession(caller, holder, sessionId, clock.now(), { lease_expires_at: 0 })
  return { data: { id: sessionId } }
}
