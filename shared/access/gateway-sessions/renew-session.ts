import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import type { CallerOf } from '../../auth/caller.ts'
import { clock } from '../../core/clock.ts'
import { notFound } from '../../core/errors.ts'
import type { Subject } from '../../core/subject.ts'
import { type GatewayRow, gateways } from '../../domain/gateways/gateway.ts'
import { renderGateway } from '../../domain/gateways/render-gateway.ts'
import { findPointer, keepPointer, type Pointer } from '../../domain/gateways/session-pointer.ts'
import { findPresence, isOnline, type Presence, presenceKey, seenFrom } from '../../domain/presence/presence.ts'
import { leaseEnd, renderLease } from '../../domain/sessions/lease.ts'
import { table, tableName } from '../../table/client.ts'
import { UpdateCommand } from '../../table/commands.ts'
import { getRow } from '../../table/read.ts'
import { answerSince } from './answer-since.ts'
import { authorizationsInForce } from './authorizations-in-force.ts'

type Caller = CallerOf<'gateway'>
/** The gateway of a session; `pointer` is what leads there from a token of its site. */
type Holder = { gatewayId: string; pointer?: Pointer }

/**
 * A heartbeat: renews the lease and answers the authorizations in force, all of them or what changed (P4). The answer
 * comes first: a gateway that cannot be told who reaches what does not stay online.
 * @throws ApiError `not_found` for a session that has ended, is unknown or was started with another token (P1.7).
 */
export async function renewSession(caller: Caller, subject: Subject, sessionId: string, since: string | null) {
  const { account, token } = caller
  const now = clock.now()
  const holder = await holderOf(caller, sessionId)
  const gateway = await liveGateway(caller, holder.gatewayId, sessionId, now)
  const inForce = await authorizationsInForce(account.id, gateway.id, now)
  const answer = await answerSince({ accountId: account.id, sessionId }, inForce, since)
  const { last_seen_version: _kept, ...seen } = seenFrom(subject, '', now)
  const presence = await change(caller, holder, sessionId, now, { lease_expires_at: leaseEnd(now), ...seen })
  return {
    data: {
      id: sessionId,
      gateway: renderGateway(gateway, { ...presence, rotated_at: token.rotated_at }, now),
      ...renderLease(presence.lease_expires_at),
      ...answer,
    },
  }
}

/** Ends a session; the gateway is offline at once. @throws ApiError `not_found` as a heartbeat */
export async function endSession(caller: Caller, sessionId: string) {
  await change(caller, await holderOf(caller, sessionId), sessionId, clock.now(), { lease_expires_at: 0 })
  return { data: { id: sessionId } }
}

async function holderOf({ account, token }: Caller, sessionId: string): Promise<Holder> {
  if (token.gateway_id !== null) return { gatewayId: token.gateway_id }
  const pointer = await findPointer(account.id, token.id, sessionId)
  if (!pointer) throw notFound()
  return { gatewayId: pointer.gateway_id, pointer }
}

/** The gateway, as long as this session of it is live. */
async function liveGateway(
  { account, token, gateway: own }: Caller,
  id: string,
  sessionId: string,
  now: number,
): Promise<GatewayRow> {
  const [gateway, presence] = await Promise.all([
    own ?? getRow(gateways, account.id, id),
    findPresence(account.id, 'gateways', id),
  ])
  const isLive = presence?.session_id === sessionId && presence.token_id === token.id && isOnline(presence, now)
  if (!gateway || !isLive) throw notFound()
  return gateway
}

/** Changes the live item of a session, as long as it is live. */
async function change(
  { account, token }: Caller,
  { gatewayId, pointer }: Holder,
  sessionId: string,
  now: number,
  fields: Partial<Presence>,
): Promise<Presence> {
  const values = Object.entries(fields)
  try {
    const { Attributes } = await table().send(
      new UpdateCommand({
        TableName: tableName(),
        Key: presenceKey(account.id, 'gateways', gatewayId),
        UpdateExpression: `SET ${values.map(([name], i) => `${name} = :v${i}`).join(', ')}`,
        ConditionExpression: 'session_id = :session AND token_id = :token AND lease_expires_at > :now',
        ExpressionAttributeValues: {
          ':session': sessionId,
          ':token': token.id,
          ':now': now,
          ...Object.fromEntries(values.map(([, value], i) => [`:v${i}`, value])),
        },
        ReturnValues: 'ALL_NEW',
      }),
    )
    if (pointer) await keepPointer(pointer, now)
    return Attributes as Presence
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) throw notFound()
    throw error
  }
}
