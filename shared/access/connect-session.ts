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
import { heartbeatPresence, readOnlineGateway, updateSession } from './gateway-session.ts'

type Caller = CallerOf<'client'> | CallerOf<'gateway'>
type NewConnection = { sessionId: string; connectionId: string }

/**
 * Connects a session to the live channel (C2), renews its lease like a heartbeat, and closes its older connection.
 * @throws ApiError `not_found` for a session that has ended, is unknown or was started with another token (P1.7)
 */
export async function connect(caller: Caller, subject: Subject, newConnection: NewConnection): Promise<void> {
  const now = clock.now()
  const formerConnection =
    caller.kind === 'client'
      ? await connectClient(caller, subject, newConnection, now)
      : await connectGateway(caller, subject, newConnection, now)
  if (formerConnection) await replace(formerConnection, newConnection)
}

/** Delay in milliseconds before closing a former connection that was still opening. */
const openingMs = 300

/**
 * Closes the former connection, so that exactly one connection survives a race.
 * @throws ApiError `rate_limited` when an even newer connection has replaced the one that was opened
 */
async function replace(formerConnection: ConnectionRef, { connectionId }: NewConnection): Promise<void> {
  if ((await endConnection(formerConnection, 'replaced')) === 'opening') {
    await clock.sleep(openingMs)
    await endConnection(formerConnection, 'replaced')
  }
  const presence = await findPresence(formerConnection.account_id, formerConnection.device, formerConnection.device_id)
  if (presence?.connection_id === connectionId) return
  await forgetConnection({ ...formerConnection, connection_id: connectionId })
  throw new ApiError('rate_limited', 'The session has opened a newer connection.')
}

const connectionFields = ({ connectionId }: NewConnection, now: number) => ({
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
  newConnection: NewConnection,
  now: number,
) =>
  keepConnection({
    connection_id: newConnection.connectionId,
    account_id: account.id,
    device,
    device_id: id,
    session_id: newConnection.sessionId,
    token_id: token.id,
    actor_id: 'actor' in caller ? caller.actor.id : null,
    is_person: 'actor' in caller && isPerson(caller.actor.type),
    connected_at: now,
  })

async function connectClient(caller: CallerOf<'client'>, subject: Subject, newConnection: NewConnection, now: number) {
  const { account, token } = caller
  const session = await findSession(account.id, token.id, newConnection.sessionId, now)
  if (!session) throw notFound()
  const { client, presence } = session
  await storeConnection(caller, 'clients', client.id, newConnection, now)
  const fields = {
    ...toLastSeen(subject, presence.last_seen_version, now),
    ...connectionFields(newConnection, now),
    lease_expires_at: connectedLeaseEnd('clients', token, now),
  }
  if (!(await noteConditionContext(account.id, session, { client, subject }, now, fields))) throw notFound()
  return connectionOf(account.id, 'clients', client.id, presence)
}

async function connectGateway(
  caller: CallerOf<'gateway'>,
  subject: Subject,
  newConnection: NewConnection,
  now: number,
) {
  const { gateway, holder } = await readOnlineGateway(caller, newConnection.sessionId, now)
  await storeConnection(caller, 'gateways', gateway.id, newConnection, now)
  const fields = heartbeatPresence(subject, connectedLeaseEnd('gateways', {}, now), now)
  const presence = await updateSession(caller, holder, newConnection.sessionId, now, {
    ...fields,
    ...connectionFields(newConnection, now),
  })
  return connectionOf(caller.account.id, 'gateways', gateway.id, presence)
}
