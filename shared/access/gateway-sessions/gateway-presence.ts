import type { CallerOf } from '../../auth/caller.ts'
import { notFound } from '../../core/errors.ts'
import { changing } from '../../core/work/work.ts'
import { type GatewayRow, gateways } from '../../domain/gateways/gateway.ts'
import { findPointer, keepPointer, type Pointer } from '../../domain/gateways/session-pointer.ts'
import { findPresence, isOnline, type Presence, presenceKey } from '../../domain/presence/presence.ts'
import { table, tableName } from '../../table/client.ts'
import { UpdateCommand } from '../../table/commands.ts'
import { getRow } from '../../table/read.ts'
import { ConditionalCheckFailedException } from '../../table/refused-write.ts'

type Caller = CallerOf<'gateway'>
/** The gateway of a session; `pointer` is what leads there from a token of its site. */
export type Holder = { gatewayId: string; pointer?: Pointer }

/** @throws ApiError `not_found` for a session that a site token did not start (P1.7) */
export async function holderOf({ account, token }: Caller, sessionId: string): Promise<Holder> {
  if (token.gateway_id !== null) return { gatewayId: token.gateway_id }
  const pointer = await findPointer(account.id, token.id, sessionId)
  if (!pointer) throw notFound()
  return { gatewayId: pointer.gateway_id, pointer }
}

/** The gateway, as long as this session of it is live. @throws ApiError `not_found` */
export async function liveGateway(
  { account, token, gateway: own }: Caller,
  { gatewayId }: Holder,
  sessionId: string,
  now: number,
): Promise<{ gateway: GatewayRow; presence: Presence }> {
  const [gateway, presence] = await Promise.all([
    own ?? getRow(gateways, account.id, gatewayId),
    findPresence(account.id, 'gateways', gatewayId),
  ])
  const isLive = presence?.session_id === sessionId && presence.token_id === token.id && isOnline(presence, now)
  if (!gateway || !isLive) throw notFound()
  return { gateway, presence }
}

/** Sets fields of the live item of a session and takes others away, as long as it is live; answers the item before. */
export async function changeSession(
  { account, token }: Caller,
  { gatewayId, pointer }: Holder,
  sessionId: string,
  now: number,
  fields: Partial<Presence>,
  gone: (keyof Presence)[] = [],
): Promise<Presence> {
  const values = Object.entries(fields)
  try {
    const change = new UpdateCommand({
      TableName: tableName(),
      Key: presenceKey(account.id, 'gateways', gatewayId),
      UpdateExpression: [
        `SET ${values.map(([name], i) => `${name} = :v${i}`).join(', ')}`,
        ...(gone.length > 0 ? [`REMOVE ${gone.join(', ')}`] : []),
      ].join(' '),
      ConditionExpression: 'session_id = :session AND token_id = :token AND lease_expires_at > :now',
      ExpressionAttributeValues: {
        ':session': sessionId,
        ':token': token.id,
        ':now': now,
        ...Object.fromEntries(values.map(([, value], i) => [`:v${i}`, value])),
      },
      ReturnValues: 'ALL_OLD',
    })
    const { Attributes } = await changing(table().send(change))
    if (pointer) await keepPointer(pointer, now)
    return Attributes as Presence
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) throw notFound()
    throw error
  }
}
