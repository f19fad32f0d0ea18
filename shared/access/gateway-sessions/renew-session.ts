import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { CallerOf } from '../../auth/caller.ts'
import { clock } from '../../core/clock.ts'
import { notFound } from '../../core/errors.ts'
import type { Subject } from '../../core/subject.ts'
import { gateways } from '../../domain/gateways/gateway.ts'
import { renderGateway } from '../../domain/gateways/render-gateway.ts'
import { findPointer, keepPointer } from '../../domain/gateways/session-pointer.ts'
import { type Presence, presenceKey, seenFrom } from '../../domain/presence/presence.ts'
import { leaseEnd, renderLease } from '../../domain/sessions/lease.ts'
import { table, tableName } from '../../table/client.ts'
import { getRow } from '../../table/read.ts'
import { answerSince } from './answer-since.ts'
import { authorizationsInForce } from './authorizations-in-force.ts'

type Caller = CallerOf<'gateway'>

/**
 * A heartbeat: renews the lease and answers the authorizations in force, all of them or what changed (P4).
 * @throws ApiError `not_found` for a session that has ended, is unknown or was started with another token (P1.7).
 */
export async function renewSession(caller: Caller, subject: Subject, sessionId: string, since: string | null) {
  const { account, token } = caller
  const now = clock.now()
  const { last_seen_version: _kept, ...seen } = seenFrom(subject, '', now)
  const { gatewayId, presence } = await change(caller, sessionId, now, { lease_expires_at: leaseEnd(now), ...seen })
  const [gateway, inForce] = await Promise.all([
    getRow(gateways, account.id, gatewayId),
    authorizationsInForce(account.id, gatewayId, now),
  ])
  if (!gateway) throw notFound()
  return {
    data: {
      id: sessionId,
      gateway: renderGateway(gateway, { ...presence, rotated_at: token.rotated_at }, now),
      ...renderLease(presence.lease_expires_at),
      ...(await answerSince({ accountId: account.id, sessionId }, inForce, since)),
    },
  }
}

/** Ends a session; the gateway is offline at once. @throws ApiError `not_found` as a heartbeat */
export async function endSession(caller: Caller, sessionId: string) {
  await change(caller, sessionId, clock.now(), { lease_expires_at: 0 })
  return { data: { id: sessionId } }
}

/** Changes the live item of a session, as long as it is live. */
async function change({ account, token }: Caller, sessionId: string, now: number, fields: Partial<Presence>) {
  const pointer = token.gateway_id === null ? await findPointer(account.id, token.id, sessionId) : undefined
  const gatewayId = token.gateway_id ?? pointer?.gateway_id
  if (gatewayId === undefined) throw notFound()
  const names = Object.keys(fields) as (keyof Presence)[]
  try {
    const { Attributes } = await table().send(
      new UpdateCommand({
        TableName: tableName(),
        Key: presenceKey(account.id, 'gateways', gatewayId),
        UpdateExpression: `SET ${names.map((name, i) => `${name} = :v${i}`).join(', ')}`,
        ConditionExpression: 'session_id = :session AND token_id = :token AND lease_expires_at > :now',
        ExpressionAttributeValues: {
          ':session': sessionId,
          ':token': token.id,
          ':now': now,
          ...Object.fromEntries(names.map((name, i) => [`:v${i}`, fields[name]])),
        },
        ReturnValues: 'ALL_NEW',
      }),
    )
    if (pointer) await keepPointer(pointer, now)
    return { gatewayId, presence: Attributes as Presence }
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) throw notFound()
    throw error
  }
}
