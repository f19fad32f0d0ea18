import type { CallerOf } from '../../auth/caller.ts'
import { clock } from '../../core/clock.ts'
import { ApiError, notFound } from '../../core/errors.ts'
import type { Subject } from '../../core/subject.ts'
import { waiting } from '../../core/work/waiting.ts'
import { isPerson } from '../../domain/actors/actor.ts'
import { type ConnectionRef, forgetConnection, keepConnection } from '../../domain/connections/connection.ts'
import { type DeviceKind, findPresence, type Presence, seenFrom } from '../../domain/presence/presence.ts'
import { connectedLeaseEnd } from '../../domain/sessions/lease.ts'
import { connectionOf } from '../../live/connection-of.ts'
import { endConnection } from '../../live/end-connection.ts'
import { findSession } from '../client-sessions/client-presence.ts'
import { noteConditionContext } from '../client-sessions/note-condition-context.ts'
import { conditionContextOf } from '../condition-context.ts'
import { changeSession, holderOf, liveGateway } from '../gateway-sessions/gateway-presence.ts'

type Caller = CallerOf<'client'> | CallerOf<'gateway'>
type Opened = { sessionId: string; connectionId: string }
type Device = { device: DeviceKind; id: string; presence: Presence }

/**
 * Connects a session to the live channel (C2): a heartbeat without an answer, which also names the connection. An older one
 * of the session is closed.
 * @throws ApiError `not_found` for a session that has ended, is unknown or was started with another token (P1.7)
 */
export async function connect(caller: Caller, subject: Subject, opened: Opened): Promise<void> {
  const now = clock.now()
  const { device, id, presence } =
    caller.kind === 'client'
      ? await connectClient(caller, subject, opened, now)
      : await connectGateway(caller, subject, opened, now)
  const former = connectionOf(caller.account.id, device, id, presence)
  if (former) await replace(former, opened)
}

/** Until then the one before has opened, if it was about to. */
const openingMs = 300

/**
 * Ends the connection before. One that is only about to open is tried once more; and whoever was itself replaced meanwhile does not
 * open, so that of many at once one stands.
 */
async function replace(former: ConnectionRef, { connectionId }: Opened): Promise<void> {
  if ((await endConnection(former, 'replaced')) === 'opening') {
    await waiting.sleep(openingMs)
    await endConnection(former, 'replaced')
  }
  const now = await findPresence(former.account_id, former.device, former.device_id)
  if (now?.connection_id === connectionId) return
  await forgetConnection({ ...former, connection_id: connectionId })
  throw new ApiError('rate_limited', 'The session has opened a newer connection.')
}

/** What a connection adds to a heartbeat's fields. */
const connected = (lease_expires_at: number, { connectionId }: Opened, now: number) => ({
  lease_expires_at,
  connection_id: connectionId,
  connected_at: now,
  messages: [],
  bad_messages: 0,
})

/** Stores the connection before the live item names it: what names none could not be closed with its session. */
const keep = ({ account, token, ...caller }: Caller, device: DeviceKind, id: string, opened: Opened, now: number) =>
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

async function connectClient(
  caller: CallerOf<'client'>,
  subject: Subject,
  opened: Opened,
  now: number,
): Promise<Device> {
  const session = await findSession(caller.account.id, caller.token.id, opened.sessionId, now)
  if (!session) throw notFound()
  const { client, presence } = session
  await keep(caller, 'clients', client.id, opened, now)
  const seen = {
    ...seenFrom(subject, presence.last_seen_version, now),
    ...connected(connectedLeaseEnd('clients', caller.token, now), opened, now),
  }
  const context = conditionContextOf(client, subject)
  if (!(await noteConditionContext(caller.account.id, session, context, now, seen))) throw notFound()
  return { device: 'clients', id: client.id, presence }
}

async function connectGateway(
  caller: CallerOf<'gateway'>,
  subject: Subject,
  opened: Opened,
  now: number,
): Promise<Device> {
  const holder = await holderOf(caller, opened.sessionId)
  const { gateway } = await liveGateway(caller, holder, opened.sessionId, now)
  await keep(caller, 'gateways', gateway.id, opened, now)
  const { last_seen_version: _kept, ...seen } = seenFrom(subject, '', now)
  const fields = { ...seen, ...connected(connectedLeaseEnd('gateways', {}, now), opened, now) }
  const gone = ['nudged_at', 'nudge_due'] as const
  const presence = await changeSession(caller, holder, opened.sessionId, now, fields, [...gone])
  return { device: 'gateways', id: gateway.id, presence }
}
