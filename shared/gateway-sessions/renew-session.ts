import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { CallerOf } from '../auth/caller.ts'
import type { Subject } from '../auth/subject.ts'
import { clock } from '../clock.ts'
import { notFound } from '../errors.ts'
import { gateways } from '../gateways/gateway.ts'
import { renderGateway } from '../gateways/render-gateway.ts'
import { type Presence, presenceKey, seenFrom } from '../presence/presence.ts'
import { leaseEnd, renderLease } from '../sessions/lease.ts'
import { table, tableName } from '../table/client.ts'
import { getRow } from '../table/read.ts'
import { answerSince } from './answer-since.ts'
import { authorizationsInForce } from './authorizations-in-force.ts'
import { findPointer, keepPointer } from './session.ts'

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
