import { type AuthorizationItem, hasExpired } from '../../access/authorization.ts'
import { authorizationsOf } from '../../commit/revoke.ts'
import { clock } from '../../core/clock.ts'
import { env } from '../../core/env.ts'
import { inParallel } from '../../core/work/in-parallel.ts'
import { findPresences } from '../../domain/sessions/presence.ts'
import { type Connection, connectionsOf } from '../../live/connection.ts'
import { nudgeGateway } from '../../live/nudge-gateway.ts'
import { endSessionConnection, type SessionEnd, sendMessage } from '../../live/send-message.ts'
import { concernedClients } from './concerned-clients.ts'
import type { Notification } from './notification.ts'

/** Maximum number of messages sent concurrently. */
const concurrency = 25

/**
 * Maximum number of clients nudged without delay. Larger numbers of clients spread their requests randomly over a period of `spreadMs` for
 * each client (C5.3).
 */
const crowd = 100
const spreadMs = 10
const maxSpreadMs = 60_000

/** Minimum time between two nudges of a client (C5.1). */
const foldMs = 1_000

/** Notifies connected devices about commits: first gateways, then devices whose sessions ended, then clients (C5.2). */
export async function notifyDevices(
  account: string,
  notification: Notification,
  hasTime: () => boolean,
): Promise<void> {
  if (env.liveUrl === null) return
  await inParallel(await concernedGateways(account, notification), concurrency, async (id) => {
    if (hasTime()) await nudgeGateway(account, id)
  })
  const concerning = [notification.actors, notification.clients, notification.groups, notification.resources]
  const asksClients = notification.everyone || concerning.some(({ size }) => size > 0)
  if (notification.sessionEnds.size === 0 && !asksClients) return
  const connections = await connectionsOf(account, 'clients')
  if (notification.sessionEnds.size > 0) {
    await endSessions(
      notification.sessionEnds,
      [...(await connectionsOf(account, 'gateways')), ...connections],
      hasTime,
    )
  }
  if (asksClients) {
    const openConnections = connections.filter((connection) => !reasonOf(notification.sessionEnds, connection))
    await nudgeClients(await concernedClients(account, notification, openConnections), hasTime)
  }
}

/** Finds gateways that lost an unexpired authorization, or have an authorization for a changed resource. */
async function concernedGateways(
  account: string,
  { endedAuthorizations, resources }: Notification,
): Promise<Set<string>> {
  const authorizations = await Promise.all([...resources].map((id) => authorizationsOfResource(account, id)))
  const sessionPairs = [...endedAuthorizations, ...authorizations.flat()]
  const lapsedClients = await filterLapsed(account, [...new Set(sessionPairs.map(({ client }) => client))])
  return new Set(sessionPairs.flatMap(({ gateway, client }) => (lapsedClients.has(client) ? [] : [gateway])))
}

async function authorizationsOfResource(account: string, id: string): Promise<Notification['endedAuthorizations']> {
  const items = (await authorizationsOf(account, { by: 'resource', id })) as AuthorizationItem[]
  const now = clock.now()
  return items
    .filter((item) => !hasExpired(item, now))
    .map(({ gateway_id, client_id }) => ({ gateway: gateway_id, client: client_id }))
}

/** Returns the clients whose lease has expired. Gateways have already dropped the authorizations of these clients. */
async function filterLapsed(account: string, ids: string[]): Promise<Set<string>> {
  const [now, presences] = [clock.now(), await findPresences(account, 'clients', ids)]
  const isLapsed = (end: number | undefined) => end !== undefined && end > 0 && end <= now
  return new Set(ids.filter((_id, i) => isLapsed(presences[i]?.lease_expires_at)))
}

const reasonOf = (
  sessionEnds: Map<string, SessionEnd>,
  { account_id, device_id, token_id, actor_id }: Connection,
): SessionEnd | undefined =>
  [account_id, actor_id ?? '', device_id, token_id]
    .map((id) => sessionEnds.get(id))
    .find((reason) => reason !== undefined)

const endSessions = (
  sessionEnds: Map<string, SessionEnd>,
  connections: Connection[],
  hasTime: () => boolean,
): Promise<void> =>
  inParallel(connections, concurrency, async (connection) => {
    const reason = reasonOf(sessionEnds, connection)
    if (reason && hasTime()) await endSessionConnection(connection, reason)
  })

/** Time of the last nudge in microseconds, by connection. Kept in memory, because one process handles all records of an account. */
const lastNudges = new Map<string, number>()

async function nudgeClients(clients: Connection[], hasTime: () => boolean): Promise<void> {
  if (clients.length === 0) return
  if (lastNudges.size > 100_000) lastNudges.clear()
  const within_ms = clients.length <= crowd ? 0 : Math.min(maxSpreadMs, clients.length * spreadMs)
  await inParallel(clients, concurrency, async (connection) => {
    if (!hasTime()) return
    const elapsedMs = (clock.now() - (lastNudges.get(connection.connection_id) ?? 0)) / 1_000
    if (elapsedMs < foldMs) await clock.sleep(foldMs - elapsedMs)
    lastNudges.set(connection.connection_id, clock.now())
    await sendMessage(connection, { type: 'resources', within_ms })
  })
}
