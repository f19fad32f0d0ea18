import { type ConnectionRef, forgetConnection } from '../domain/connections/connection.ts'
import { closeConnection } from './connections-api.ts'
import { isYoung, sendMessage } from './send-message.ts'

/** Why the service closes a connection (C2.3, C4, C5). API Gateway closes with 1000 always: a message says which it is. */
const closings = { replaced: 4001, bad_messages: 4400, session_ended: 4410, too_many_messages: 4429 } as const
export type Closing = keyof typeof closings

/** Why a session ended (C5). */
export type SessionEnd = 'token' | 'device' | 'actor' | 'account' | 'replaced'

/** What became of a connection: `opening` when the platform does not know it yet. */
type Ended = 'ended' | 'opening'

/** Says why, and closes. Never throws: what is left expires. */
export async function endConnection(connection: ConnectionRef, reason: Closing): Promise<Ended> {
  await sendMessage(connection, { type: 'closing', code: closings[reason], reason })
  const closing = await closeConnection(connection.connection_id, closings[reason])
  // What its own handshake finds when it is through, or its first message, ends it then.
  if (closing === 'gone' && isYoung(connection)) return 'opening'
  await forgetConnection(connection).catch(() => undefined)
  return 'ended'
}

/** Tells a device that its session has ended, and closes (C5). */
export async function endSessionConnection(connection: ConnectionRef, reason: SessionEnd): Promise<void> {
  await sendMessage(connection, { type: 'session_ended', reason })
  await endConnection(connection, 'session_ended')
}
