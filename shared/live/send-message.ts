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

/** Until the handshake is through, the platform says of a connection that it is gone. */
const handshakeMicros = 5_000_000

/** True for a connection that may be about to open where the platform reports it gone. */
const isYoung = ({ connected_at }: Pick<ConnectionRef, 'connected_at'>): boolean =>
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
  // A device that is gone needs no message.
  if (sending !== 'gone') measure(sending === 'sent' ? 'messages_sent' : 'messages_failed')
  if (sending === 'failed') logLine('WARN', 'device_not_told', { account_id, device_id, type: message.type })
  return sending
}

/** Why the service closes a connection (C2.3, C4, C5). API Gateway closes with 1000 always: a message says which it is. */
const closings = { replaced: 4001, bad_messages: 4400, session_ended: 4410, too_many_messages: 4429 } as const
export type ConnectionClosing = keyof typeof closings

/** Why a session ended (C5). */
export type SessionEnd = 'token' | 'device' | 'actor' | 'account' | 'replaced'

/** Outcome of a closing: `opening` when the platform does not know the connection yet. */
type Ended = 'ended' | 'opening'

/** Says why, and closes. Never throws: what is left expires. */
export async function endConnection(connection: ConnectionRef, reason: ConnectionClosing): Promise<Ended> {
  await sendMessage(connection, { type: 'closing', code: closings[reason], reason })
  const closing = await closeConnection(connection.connection_id, closings[reason])
  // Its own handshake or its first message ends it.
  if (closing === 'gone' && isYoung(connection)) return 'opening'
  await forgetConnection(connection).catch(() => undefined)
  return 'ended'
}

/** Tells a device that its session has ended, and closes (C5). */
export async function endSessionConnection(connection: ConnectionRef, reason: SessionEnd): Promise<void> {
  await sendMessage(connection, { type: 'session_ended', reason })
  await endConnection(connection, 'session_ended')
}

/** Outcome of a message: `gone` where the platform knows the connection no more. */
export type Sending = 'sent' | 'gone' | 'failed'

/** A device that does not read must not hold up others, so nothing is repeated. */
const client = () =>
  awsClient(ApiGatewayManagementApiClient, {
    endpoint: async () => ({ url: new URL(env.liveEndpoint) }),
    maxAttempts: 1,
    retryStrategy: undefined,
  })

const options = { requestTimeout: 1_000 }

const outcomeOf = (sending: Promise<unknown>): Promise<Sending> =>
  sending.then(
    () => 'sent',
    (error: Partial<GoneException>) => (error.$metadata?.httpStatusCode === 410 ? 'gone' : 'failed'),
  )

/** Hands a message to the platform for a connection. Never throws: a nudge that fails costs time, nothing else (C5.4). */
export const postMessage = (ConnectionId: string, message: object): Promise<Sending> =>
  outcomeOf(client().send(new PostToConnectionCommand({ ConnectionId, Data: JSON.stringify(message) }), options))

/** Ends a connection. API Gateway always closes with 1000; the local platform reads the contract's code in a header. */
export function closeConnection(ConnectionId: string, code?: number): Promise<Sending> {
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
