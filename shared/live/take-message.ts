import { clock } from '../core/clock.ts'
import { isObject } from '../core/json/is-object.ts'
import { note } from '../core/logging/invocation.ts'
import { accounts } from '../domain/accounts/account.ts'
import { actors } from '../domain/actors/actor.ts'
import { clientTokens } from '../domain/client-tokens/client-token.ts'
import { clients } from '../domain/clients/client.ts'
import { gatewayTokens, rotationEnded } from '../domain/gateway-tokens/gateway-token.ts'
import { gateways } from '../domain/gateways/gateway.ts'
import { connectedLeaseEnd } from '../domain/sessions/lease.ts'
import { isOnline, type Presence, presenceKey } from '../domain/sessions/presence.ts'
import { changeItem } from '../table/change-item.ts'
import { itemRow } from '../table/entity.ts'
import { entityKey } from '../table/keys.ts'
import { type Consistency, getItems } from '../table/read.ts'
import { isUnexpired } from '../values/expiry.ts'
import { type Connection, findConnection } from './connection.ts'
import { closeConnection, endConnection, endSessionConnection, type SessionEnd } from './send-message.ts'

/** Maximum number of messages from a device within `windowMicros` (C4). */
const maxMessages = 10
const windowMicros = 10_000_000

/** Number of invalid messages at which the connection is closed (C4). */
const maxBadMessages = 10

type Reply = { type: 'pong'; id: string } | { type: 'error'; code: 'bad_message' }

/** Handles a message from a device (C4): renews the lease, or ends a replaced connection. Returns the reply, or null for no reply. */
export async function takeMessage(connectionId: string, text: string | undefined): Promise<Reply | null> {
  const connection = (await findConnection(connectionId, 'recent')) ?? (await findConnection(connectionId))
  if (!connection) {
    await closeConnection(connectionId)
    return null
  }
  note({ account_id: connection.account_id })
  const message = readMessage(text)
  // Does not end a session after the first read, which is eventually consistent. Each later conflict means that another message was
  // counted, so the maximum number of messages limits the retries.
  for (let reads = 0; reads <= maxMessages + 1; reads++) {
    const state = await sessionState(connection, reads === 0 ? 'recent' : 'exact')
    const isConnected = state.endReason === null && state.presence.connection_id === connectionId
    if (reads === 0 && !isConnected) continue
    if (state.endReason !== null) {
      if (state.endReason === 'lapsed') await endConnection(connection, 'session_ended')
      else await endSessionConnection(connection, state.endReason)
      return null
    }
    const { presence, token } = state
    if (!isConnected) {
      await endConnection(connection, 'replaced')
      return null
    }
    const outcome = await countMessage(connection, presence, token, message)
    if (outcome === 'conflict') continue
    if (outcome === 'noted') return replyTo(message)
    await endConnection(connection, outcome)
    return null
  }
  await endConnection(connection, 'too_many_messages')
  return null
}

const replyTo = (message: DeviceMessage | null): Reply | null => {
  if (!message) return { type: 'error', code: 'bad_message' }
  return message.type === 'ping' ? { type: 'pong', id: message.id } : null
}

type Outcome = 'noted' | 'conflict' | 'too_many_messages' | 'bad_messages'

/** Counts the message and renews the lease. Returns `conflict` when another message of the connection was counted concurrently. */
async function countMessage(
  connection: Connection,
  presence: Presence,
  token: { expires_at?: string },
  message: DeviceMessage | null,
): Promise<Outcome> {
  const now = clock.now()
  const before = presence.messages ?? []
  const recentTimes = before.filter((at) => at > now - windowMicros)
  if (recentTimes.length >= maxMessages) return 'too_many_messages'
  const badCount = (presence.bad_messages ?? 0) + (message ? 0 : 1)
  if (!message && badCount >= maxBadMessages) return 'bad_messages'
  const previousItem = await changeItem(presenceKey(connection.account_id, connection.device, connection.device_id), {
    set: {
      lease_expires_at: connectedLeaseEnd(connection.device, token, now),
      messages: [...recentTimes, now],
      bad_messages: badCount,
    },
    when: 'connection_id = :connection AND lease_expires_at > :now AND messages = :before',
    values: { connection: connection.connection_id, now, before },
  })
  return previousItem ? 'noted' : 'conflict'
}

/** Maximum bytes of a message from a device (C4). */
const maxBytes = 1_024

type DeviceMessage = { type: 'keepalive' } | { type: 'ping'; id: string }

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Parses a message from a device (C4). Ignores unknown members. Returns null for an invalid message. */
function readMessage(text: string | undefined): DeviceMessage | null {
  if (text === undefined || Buffer.byteLength(text) > maxBytes) return null
  const message = parse(text)
  if (!isObject(message)) return null
  const { type, id } = message
  if (type === 'keepalive') return { type }
  if (type === 'ping' && typeof id === 'string' && id.length >= 1 && id.length <= 64) return { type, id }
  return null
}

/** Presence item and token of a connection's session, or the reason why the session ended. `lapsed` means that the lease has expired. */
export type SessionState =
  | { presence: Presence; token: { expires_at?: string }; endReason: null }
  | { endReason: SessionEnd | 'lapsed' }

export async function sessionState(connection: Connection, consistency: Consistency): Promise<SessionState> {
  const { account_id, device, device_id, session_id, token_id, actor_id } = connection
  const isClient = device === 'clients'
  const keys = [
    entityKey(account_id, accounts.name, account_id),
    presenceKey(account_id, device, device_id),
    entityKey(account_id, isClient ? clients.name : gateways.name, device_id),
    entityKey(account_id, isClient ? clientTokens.name : gatewayTokens.name, token_id),
    ...(actor_id === null ? [] : [entityKey(account_id, actors.name, actor_id)]),
  ]
  const [account, presenceItem, row, token, actor] = await getItems(keys, consistency)
  const now = clock.now()
  const presence = presenceItem as Presence | undefined
  const endState = (reason: SessionEnd | 'lapsed'): SessionState => ({ endReason: reason })
  if (!account || itemRow(accounts, account).is_disabled) return endState('account')
  if (!row) return endState('device')
  if (actor_id !== null && (!actor || itemRow(actors, actor).is_disabled)) return endState('actor')
  const storedToken = token && (isClient ? clientToken(token, now) : gatewayToken(token, now))
  if (!storedToken) return endState('token')
  if (!presence || presence.session_id !== session_id) return endState('replaced')
  return isOnline(presence, now) ? { presence, token: storedToken, endReason: null } : endState('lapsed')
}

/** Returns a client token's expiry, which limits the lease; null for an invalid token. */
function clientToken(item: Record<string, unknown>, now: number): { expires_at: string } | null {
  const token = itemRow(clientTokens, item)
  return isUnexpired(token, now) ? token : null
}

const gatewayToken = (item: Record<string, unknown>, now: number): { expires_at?: string } | null =>
  rotationEnded(itemRow(gatewayTokens, item), now) ? null : {}
