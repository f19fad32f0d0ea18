import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  type GoneException,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi'
import { awsClient } from '../core/aws/clients.ts'
import { clock } from '../core/clock.ts'
import { env } from '../core/env.ts'
import { measure } from '../core/logging/invocation.ts'
import { logLine } from '../core/logging/log.ts'
import { type ConnectionRef, forgetConnection } from './connection.ts'

/** Time in microseconds in which API Gateway may report a new connection as gone, because the handshake is not complete. */
const handshakeMicros = 5_000_000

/** True for a connection that may still be opening when API Gateway reports it as gone. */
const isYoung = ({ connected_at }: Pick<ConnectionRef, 'connected_at'>): boolean =>
  clock.now() <= connected_at + handshakeMicros

/** JSON message of at most 1,024 bytes (C5). A message never contains a secret. */
export type Message = { type: string } & Record<string, unknown>

/** Sends a message. Deletes the stored connection if API Gateway reports the connection as gone (C5.4). Never throws. */
export async function sendMessage(recipient: ConnectionRef, message: Message): Promise<SendOutcome> {
  const { account_id, device_id, connection_id } = recipient
  const outcome = await postMessage(connection_id, message)
  if (outcome === 'gone' && !isYoung(recipient)) {
    await forgetConnection(recipient).catch(() => undefined)
  }
  // Excludes devices that are gone from the metrics, because they do not need the message.
  if (outcome !== 'gone') measure(outcome === 'sent' ? 'messages_sent' : 'messages_failed')
  if (outcome === 'failed') logLine('WARN', 'device_not_notified', { account_id, device_id, type: message.type })
  return outcome
}

/** Reasons to close a connection, with their codes (C2.3, C4, C5). API Gateway always closes with 1000, so a message carries the code. */
const closings = { replaced: 4001, bad_messages: 4400, session_ended: 4410, too_many_messages: 4429 } as const
export type ConnectionClosing = keyof typeof closings

/** Reason for the end of a session (C5). */
export type SessionEnd = 'token' | 'device' | 'actor' | 'account' | 'replaced'

/** Outcome of closing a connection; `opening` when API Gateway does not know the connection yet. */
type CloseOutcome = 'ended' | 'opening'

/** Sends the reason and closes the connection. Never throws, because a connection that stays open will expire. */
export async function endConnection(connection: ConnectionRef, reason: ConnectionClosing): Promise<CloseOutcome> {
  await sendMessage(connection, { type: 'closing', code: closings[reason], reason })
  const closing = await closeConnection(connection.connection_id, closings[reason])
  // Keeps the stored connection while its handshake may still be in progress. The handshake or the first message then ends it.
  if (closing === 'gone' && isYoung(connection)) return 'opening'
  await forgetConnection(connection).catch(() => undefined)
  return 'ended'
}

/** Notifies a device that its session has ended, and closes the connection (C5). */
export async function endSessionConnection(connection: ConnectionRef, reason: SessionEnd): Promise<void> {
  await sendMessage(connection, { type: 'session_ended', reason })
  await endConnection(connection, 'session_ended')
}

/** Outcome of sending a message; `gone` when the connection no longer exists. */
export type SendOutcome = 'sent' | 'gone' | 'failed'

/** Client without retries, so that a device that does not read its messages cannot delay those to other devices. */
const client = () =>
  awsClient(ApiGatewayManagementApiClient, {
    endpoint: async () => ({ url: new URL(env.liveEndpoint) }),
    maxAttempts: 1,
    retryStrategy: undefined,
  })

const options = { requestTimeout: 1_000 }

const outcomeOf = (result: Promise<unknown>): Promise<SendOutcome> =>
  result.then(
    () => 'sent',
    (error: Partial<GoneException>) => (error.$metadata?.httpStatusCode === 410 ? 'gone' : 'failed'),
  )

/** Posts a message to a connection. Never throws, because a failed nudge only delays the device until its next heartbeat (C5.4). */
export const postMessage = (ConnectionId: string, message: object): Promise<SendOutcome> =>
  outcomeOf(client().send(new PostToConnectionCommand({ ConnectionId, Data: JSON.stringify(message) }), options))

/** Ends a connection. API Gateway always closes with code 1000. The service on a single machine reads the contract's code from a header. */
export function closeConnection(ConnectionId: string, code?: number): Promise<SendOutcome> {
  const command = new DeleteConnectionCommand({ ConnectionId })
  if (code !== undefined) {
    command.middlewareStack.add(
      (next) => (args) => {
        Object.assign((args.request as { headers: object }).headers, { 'x-close-code': String(code) })
        return next(args)
      },
      { step: 'build' },
    )
  }
  return outcomeOf(client().send(command, options))
}
