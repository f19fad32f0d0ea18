import type { CallerOf } from '../auth/caller.ts'
import { clock } from '../core/clock.ts'
import { ApiError, notFound } from '../core/errors.ts'
import type { Subject } from '../core/subject.ts'
import { isPerson } from '../domain/actors/actor.ts'
import { connectedLeaseEnd } from '../domain/sessions/lease.ts'
import { type DeviceKind, findPresence, toLastSeen } from '../domain/sessions/presence.ts'
import { type ConnectionRef, connectionOf, forgetConnection, keepConnection } from '../live/connection.ts'
import { endConnection } from '../live/send-message.ts'
import { findSession, noteConditionContext } from './client-presence.ts'
import { readOnlineGateway, signOfLife, updateSession } from './gateway-session.ts'

type Caller = CallerOf<'client'> | CallerOf<'gateway'>
type Opened = { sessionId: string; connectionId: string }

/**
 * Connects a session to the live channel (C2), renews its lease like a heartbeat, and closes its older connection.
 * @throws ApiError `not_found` for a session that has ended, is unknown or was started with another token (P1.7)
 */
export async function connect(caller: Caller, subject: Subject, opened: Opened): Promise<void> {
  const now = clock.now()
  const former =
    caller.kind === 'client'
      ? await connectClient(caller, subject, opened, now)
      : await connectGateway(caller, subject, opened, now)
  if (former) await replace(former, opened)
}

/** Delay in milliseconds before closing a former connection that was still opening. */
const openingMs = 300

/**
 * Closes the former connection, so that exactly one connection survives a race.
 * @throws ApiError `rate_limited` when an even newer connection has replaced the one that was opened
 */
async function replace(former: ConnectionRef, { connectionId }: Opened): Promise<void> {
  if ((await endConnection(former, 'replaced')) === 'opening') {
    await clock.sleep(openingMs)
    await endConnection(former, 'replaced')
  }
  const now = await findPresence(former.account_id, former.device, former.device_id)
  if (now?.connection_id === connectionId) return
  await forgetConnection({ ...former, connection_id: connectionId })
  throw new ApiError('rate_limited', 'The session has opened a newer connection.')
}

const connectionFields = ({ connectionId }: Opened, now: number) => ({
  connection_id: connectionId,
  connected_at: now,
  messages: [],
  bad_messages: 0,
})

/**
 * Stores the connection. Called before the presence item names the connection, because ending a session closes the connection that the item
 * names.
 */
const storeConnection = (
  { account, token, ...caller }: Caller,
  device: DeviceKind,
  id: string,
  opened: Opened,
  now: number,
) =>
  keepConnection({
    connection_id: opened.connectionId,
    account_id: account.id,
    device,
    device_id: id,
    session_id: opened.sessionId,
    token_id: token.id,
    actor_id: 'actor' in caller ? caller.actor.id : null,
    is_person: 'actor' in caller && isPerson(caller.actor.type),
    connected_at: now,
  })

async function connectClient(caller: CallerOf<'client'>, subject: Subject, opened: Opened, now: number) {
  const { account, token } = caller
  const session = await findSession(account.id, token.id, opened.sessionId, now)
  if (!session) throw notFound()
  const { client, presence } = session
  await storeConnection(caller, 'clients', client.id, opened, now)
  const seen = {
    ...toLastSeen(subject, presence.last_seen_version, now),
    ...connectionFields(opened, now),
    lease_expires_at: connectedLeaseEnd('clients', token, now),
  }
  if (!(await noteConditionContext(account.id, session, { client, subject }, now, seen))) throw notFound()
  return connectionOf(account.id, 'clients', client.id, presence)
}

async function connectGateway(caller: CallerOf<'gateway'>, subject: Subject, opened: Opened, now: number) {
  const { gateway, holder } = await readOnlineGateway(caller, opened.sessionId, now)
  await storeConnection(caller, 'gateways', gateway.id, opened, now)
  const seen = signOfLife(subject, connectedLeaseEnd('gateways', {}, now), now)
  const presence = await updateSession(caller, holder, opened.sessionId, now, {
    ...seen,
    ...connectionFields(opened, now),
  })
  return connectionOf(caller.account.id, 'gateways', gateway.id, presence)
}
