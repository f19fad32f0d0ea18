import { randomUUID } from 'node:crypto'
import { microsOf } from '../core/clock.ts'
import type { ClientTokenRow } from '../domain/client-tokens/client-token.ts'
import { type ClientRow, clients } from '../domain/clients/client.ts'
import { type ConditionContext, fingerprint } from '../domain/policies/conditions/conditions.ts'
import { type ClientPresence, isOnline, presenceKey, readPresences } from '../domain/sessions/presence.ts'
import { changeItem } from '../table/change-item.ts'
import { itemRow } from '../table/entity.ts'
import { entityKey, type Item, type Key, partition } from '../table/keys.ts'
import { getItem, getItems, queryItems } from '../table/read.ts'
import { reevaluate } from './authorization.ts'

export type OnlineClient = { client: ClientRow; presence: ClientPresence }

/** Key of the pointer from a token's session to the client. A session is found only with the token that started it (P1.7). */
export const clientSessionKey = (account: string, tokenId: string, sessionId: string): Key => ({
  pk: partition(account, 'sessions.client_token', tokenId),
  sk: sessionId,
})

/** Builds the pointer from a session to its client. The pointer expires with the token, which no session outlives. */
export const clientSessionPointer = (
  account: string,
  token: ClientTokenRow,
  sessionId: string,
  clientId: string,
): Item => ({
  ...clientSessionKey(account, token.id, sessionId),
  kind: 'index',
  client_id: clientId,
  ttl: Math.ceil(microsOf(token.expires_at) / 1_000_000),
})

export async function findSession(
  account: string,
  tokenId: string,
  sessionId: string,
  now: number,
): Promise<OnlineClient | null> {
  const pointer = await getItem(clientSessionKey(account, tokenId, sessionId))
  if (!pointer) return null
  const id = String(pointer.client_id)
  const [row, presenceItem] = await getItems([
    entityKey(account, clients.name, id),
    presenceKey(account, 'clients', id),
  ])
  const presence = presenceItem as ClientPresence | undefined
  if (!row || !presence || presence.session_id !== sessionId || !isOnline(presence, now)) return null
  return { client: itemRow(clients, row), presence }
}

export async function listOnlineSessions(account: string, tokenId: string, now: number): Promise<string[]> {
  const pointers = await queryItems(clientSessionKey(account, tokenId, '').pk)
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

/** Updates a client's presence item if the session is online and the item matches `expected`. Null stands for a missing attribute. */
export async function updatePresence(
  account: string,
  clientId: string,
  sessionId: string,
  now: number,
  values: Partial<ClientPresence>,
  expected: Partial<ClientPresence> = {},
): Promise<'done' | 'conflict'> {
  const expectedEntries = Object.entries(expected)
  const conditions = expectedEntries.map(([name, value]) =>
    value === null ? `attribute_not_exists(${name})` : `${name} = :expected_${name}`,
  )
  const before = await changeItem(presenceKey(account, 'clients', clientId), {
    set: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)),
    remove: Object.entries(values).flatMap(([name, value]) => (value === null ? [name] : [])),
    when: ['session_id = :session AND lease_expires_at > :now', ...conditions].join(' AND '),
    values: {
      session: sessionId,
      now,
      ...Object.fromEntries(
        expectedEntries.flatMap(([name, value]) => (value === null ? [] : [[`expected_${name}`, value]])),
      ),
    },
  })
  return before ? 'done' : 'conflict'
}

/**
 * Stores a client's condition context. If it has changed, evaluates the client's authorizations again (P3.2). A marker on the presence item
 * makes the next request repeat an interrupted evaluation. Returns null if the session has ended or the item does not match `expected`.
 */
export async function noteConditionContext(
  account: string,
  session: OnlineClient,
  context: ConditionContext,
  now: number,
  fields: Partial<ClientPresence> = {},
  expected: Partial<ClientPresence> = {},
): Promise<OnlineClient | null> {
  const { client, presence } = session
  const contextFingerprint = fingerprint(context)
  const update = (values: Partial<ClientPresence>, expected?: Partial<ClientPresence>) =>
    updatePresence(account, client.id, presence.session_id, now, values, expected)
  if (presence.tested === contextFingerprint) {
    if (Object.keys(fields).length === 0) return session
    return (await update(fields, expected)) === 'conflict' ? null : { client, presence: { ...presence, ...fields } }
  }
  const testMark = `testing ${randomUUID()}`
  if ((await update({ ...fields, tested: testMark }, expected)) === 'conflict') return null
  await reevaluate(account, client.id, context, now)
  await update({ tested: contextFingerprint }, { tested: testMark })
  return { client, presence: { ...presence, ...fields, tested: contextFingerprint } }
}
