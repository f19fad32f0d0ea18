import { clock } from '../core/clock.ts'
import { measure } from '../core/logging/invocation.ts'
import { logLine } from '../core/logging/log.ts'
import { type ConnectionRef, forgetConnection } from '../domain/connections/connection.ts'
import { postMessage, type Sending } from './connections-api.ts'

/** Until the handshake is through, the platform says of a connection that it is gone. */
const handshakeMicros = 5_000_000

/** Whether a connection that is gone may be one that is still about to open. */
export const isYoung = ({ connected_at }: Pick<ConnectionRef, 'connected_at'>): boolean =>
  clock.now() <= connected_at + handshakeMicros

/** JSON text of at most 1,024 bytes, with a type (C5). It never carries a secret. */
export type Message = { type: string } & Record<string, unknown>

/** Sends a message, and forgets a connection that is gone (C5.4). Never throws. */
export async function sendMessage(recipient: ConnectionRef, message: Message): Promise<Sending> {
  const { account_id, device_id, connection_id } = recipient
  const sending = await postMessage(connection_id, message)
  if (sending === 'gone' && !isYoung(recipient)) {
    await forgetConnection(recipient).catch(() => undefined)
  }
  // Who is gone needs no message: that is no failure.
  if (sending !== 'gone') measure(sending === 'sent' ? 'messages_sent' : 'messages_failed')
  if (sending === 'failed') logLine('WARN', 'device_not_told', { account_id, device_id, type: message.type })
  return sending
}
