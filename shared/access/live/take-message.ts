import { clock } from '../../core/clock.ts'
import { note as noteInLog } from '../../core/logging/invocation.ts'
import { type Connection, findConnection } from '../../domain/connections/connection.ts'
import { type Presence, presenceKey } from '../../domain/presence/presence.ts'
import { connectedLeaseEnd } from '../../domain/sessions/lease.ts'
import { closeConnection } from '../../live/connections-api.ts'
import { endConnection, endSessionConnection } from '../../live/end-connection.ts'
import { table, tableName } from '../../table/client.ts'
import { UpdateCommand } from '../../table/commands.ts'
import { ConditionalCheckFailedException } from '../../table/refused-write.ts'
import { type DeviceMessage, readMessage } from './device-message.ts'
import { sessionState } from './session-state.ts'

/** A device sends at most so many messages in that time (C4). */
const mostMessages = 10
const windowMicros = 10_000_000

/** The so-manieth message that means nothing closes the connection. */
const mostBad = 10

type Reply = { type: 'pong'; id: string } | { type: 'error'; code: 'bad_message' }

/**
 * A message of a device (C4): a sign of life, which renews the lease of its session with one write. What a connection sends
 * that its session no longer names ends it. The reply for the device; null for none.
 */
export async function takeMessage(connectionId: string, text: string | undefined): Promise<Reply | null> {
  const connection = (await findConnection(connectionId, 'recent')) ?? (await findConnection(connectionId))
  if (!connection) {
    await closeConnection(connectionId)
    return null
  }
  noteInLog({ account_id: connection.account_id })
  const message = readMessage(text)
  // The first look is cheap, and ends nothing; after it, each loss means that another message was counted meanwhile.
  for (let looks = 0; looks <= mostMessages + 1; looks++) {
    const state = await sessionState(connection, looks === 0 ? 'recent' : 'exact')
    const isConnected = state.ended === null && state.presence.connection_id === connectionId
    if (looks === 0 && !isConnected) continue
    if (state.ended !== null) {
      if (state.ended === 'lapsed') await endConnection(connection, 'session_ended')
      else await endSessionConnection(connection, state.ended)
      return null
    }
    const { presence, token } = state
    if (!isConnected) {
      await endConnection(connection, 'replaced')
      return null
    }
    const outcome = await note(connection, presence, token, message)
    if (outcome === 'lost') continue
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

type Outcome = 'noted' | 'lost' | 'too_many_messages' | 'bad_messages'

/** Counts the message and renews the lease; `lost` where another message of the connection was counted meanwhile. */
async function note(
  connection: Connection,
  presence: Presence,
  token: { expires_at?: string },
  message: DeviceMessage | null,
): Promise<Outcome> {
  const now = clock.now()
  const before = presence.messages ?? []
  const recent = before.filter((at) => at > now - windowMicros)
  if (recent.length >= mostMessages) return 'too_many_messages'
  const bad = (presence.bad_messages ?? 0) + (message ? 0 : 1)
  if (!message && bad >= mostBad) return 'bad_messages'
  try {
    await table().send(
      new UpdateCommand({
        TableName: tableName(),
        Key: presenceKey(connection.account_id, connection.device, connection.device_id),
        UpdateExpression: 'SET lease_expires_at = :end, messages = :messages, bad_messages = :bad',
        ConditionExpression: 'connection_id = :connection AND lease_expires_at > :now AND messages = :before',
        ExpressionAttributeValues: {
          ':end': connectedLeaseEnd(connection.device, token, now),
          ':messages': [...recent, now],
          ':bad': bad,
          ':connection': connection.connection_id,
          ':now': now,
          ':before': before,
        },
      }),
    )
    return 'noted'
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return 'lost'
    throw error
  }
}
