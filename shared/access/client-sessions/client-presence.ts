import { microsOf } from '../../core/clock.ts'
import type { ClientTokenRow } from '../../domain/client-tokens/client-token.ts'
import { type ClientRow, clients } from '../../domain/clients/client.ts'
import { type ClientPresence, isOnline, presenceKey, readPresences } from '../../domain/presence/presence.ts'
import { itemRow } from '../../table/entity.ts'
import { entityKey, type Item, type Key, partition } from '../../table/keys.ts'
import { getItem, getItems, queryItems } from '../../table/read.ts'

/** A client with its live session. */
export type LiveClient = { client: ClientRow; presence: ClientPresence }

/** Leads from a token and a session to the client: a session is known only to the token it was started with (P1.7). */
export const sessionKey = (account: string, tokenId: string, sessionId: string): Key => ({
  pk: partition(account, 'sessions.client_token', tokenId),
  sk: sessionId,
})

/** A session cannot outlive its token, so its pointer goes when that expires. */
export const sessionPointer = (account: string, token: ClientTokenRow, sessionId: string, clientId: string): Item => ({
  ...sessionKey(account, token.id, sessionId),
  kind: 'edge',
  client_id: clientId,
  ttl: Math.ceil(microsOf(token.expires_at) / 1_000_000),
})

/** The live session of this id that was started with this token; null when there is none. */
export async function findSession(
  account: string,
  tokenId: string,
  sessionId: string,
  now: number,
): Promise<LiveClient | null> {
  const pointer = await getItem(sessionKey(account, tokenId, sessionId))
  if (!pointer) return null
  const id = String(pointer.client_id)
  const [row, live] = await getItems([entityKey(account, clients.name, id), presenceKey(account, 'clients', id)])
  const presence = live as ClientPresence | undefined
  if (!row || !presence || presence.session_id !== sessionId || !isOnline(presence, now)) return null
  return { client: itemRow(clients, row), presence }
}

/** The ids of the live sessions of a token. */
export async function liveSessions(account: string, tokenId: string, now: number): Promise<string[]> {
  const pointers = await queryItems(sessionKey(account, tokenId, '').pk)
  const presences = await readPresences(
    account,
    'clients',
    pointers.map((pointer) => String(pointer.client_id)),
  )
  return pointers.flatMap((pointer, index) => {
    const presence = presences[index] ?? null
    return presence?.session_id === pointer.sk && isOnline(presence, now) ? [String(pointer.sk)] : []
  })
}
