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

/** Messages on their way at once. */
const concurrency = 25

/** Up to so many clients are told to ask at once; more of them are spread by so long each (C5.3). */
const crowd = 100
const spreadMs = 10
const longestSpreadMs = 60_000

/** A client is nudged at most once in that time (C5.1). */
const foldMs = 1_000

/** Notifies connected devices of commits: gateways first, then ended sessions, then clients (C5.2). */
export async function notifyDevices(account: string, news: Notification, hasTime: () => boolean): Promise<void> {
  if (env.liveUrl === null) return
  await inParallel(await concernedGateways(account, news), concurrency, async (id) => {
    if (hasTime()) await nudgeGateway(account, id)
  })
  const concerning = [news.actors, news.clients, news.groups, news.resources]
  const asksClients = news.everyone || concerning.some(({ size }) => size > 0)
  if (news.ended.size === 0 && !asksClients) return
  const connected = await connectionsOf(account, 'clients')
  if (news.ended.size > 0) {
    await endSessions(news.ended, [...(await connectionsOf(account, 'gateways')), ...connected], hasTime)
  }
  if (asksClients) {
    const left = connected.filter((connection) => !reasonOf(news.ended, connection))
    await nudgeClients(await concernedClients(account, news, left), hasTime)
  }
}

/** Gateways that lost an authorization which was in force, and those that hold one for a resource that changed. */
async function concernedGateways(account: string, { lost, resources }: Notification): Promise<Set<string>> {
  const held = await Promise.all([...resources].map((id) => authorizationsOfResource(account, id)))
  const concerned = [...lost, ...held.flat()]
  const lapsed = await lapsedAmong(account, [...new Set(concerned.map(({ client }) => client))])
  return new Set(concerned.flatMap(({ gateway, client }) => (lapsed.has(client) ? [] : [gateway])))
}

/** Holders of an unexpired authorization for a resource. */
async function authorizationsOfResource(account: string, id: string): Promise<Notification['lost']> {
  const items = (await authorizationsOf(account, { by: 'resource', id })) as AuthorizationItem[]
  const now = clock.now()
  return items
    .filter((item) => !hasExpired(item, now))
    .map(({ gateway_id, client_id }) => ({ gateway: gateway_id, client: client_id }))
}

/** Clients among these whose session has lapsed: their authorizations were in force no more, as their gateway knows. */
async function lapsedAmong(account: string, ids: string[]): Promise<Set<string>> {
  const [now, presences] = [clock.now(), await findPresences(account, 'clients', ids)]
  const isLapsed = (end: number | undefined) => end !== undefined && end > 0 && end <= now
  return new Set(ids.filter((_id, i) => isLapsed(presences[i]?.lease_expires_at)))
}

const reasonOf = (
  ended: Map<string, SessionEnd>,
  { account_id, device_id, token_id, actor_id }: Connection,
): SessionEnd | undefined =>
  [account_id, actor_id ?? '', device_id, token_id].map((id) => ended.get(id)).find((reason) => reason !== undefined)

const endSessions = (ended: Map<string, SessionEnd>, connected: Connection[], hasTime: () => boolean): Promise<void> =>
  inParallel(connected, concurrency, async (connection) => {
    const reason = reasonOf(ended, connection)
    if (reason && hasTime()) await endSessionConnection(connection, reason)
  })

/** Instants of the last nudge by connection, in microseconds. One process gets the records of an account. */
const nudged = new Map<string, number>()

async function nudgeClients(clients: Connection[], hasTime: () => boolean): Promise<void> {
  if (clients.length === 0) return
  if (nudged.size > 100_000) nudged.clear()
  const within_ms = clients.length <= crowd ? 0 : Math.min(longestSpreadMs, clients.length * spreadMs)
  await inParallel(clients, concurrency, async (connection) => {
    if (!hasTime()) return
    const waited = (clock.now() - (nudged.get(connection.connection_id) ?? 0)) / 1_000
    if (waited < foldMs) await clock.sleep(foldMs - waited)
    nudged.set(connection.connection_id, clock.now())
    await sendMessage(connection, { type: 'resources', within_ms })
  })
}
