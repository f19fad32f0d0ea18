import { clock } from '../core/clock.ts'
import { describeError } from '../core/describe-error.ts'
import { logLine } from '../core/log.ts'
import { findPresence, isOnline, type Presence, presenceKey } from '../domain/presence/presence.ts'
import { table, tableName } from '../table/client.ts'
import { UpdateCommand } from '../table/commands.ts'
import { ConditionalCheckFailedException } from '../table/refused-write.ts'
import { connectionOf } from './connection-of.ts'
import { sendMessage } from './send-message.ts'

/** A nudge that no heartbeat follows counts for so long; then the next one is sent (C5.1). */
const foldMicros = 1_000_000

/**
 * Tells a connected gateway that its authorizations have changed (C5), once until it asks: what comes in between is noted,
 * and the answer of its heartbeat then says that there is more (P4.4). Never throws.
 */
export async function nudgeGateway(account: string, gatewayId: string): Promise<void> {
  try {
    const presence = await findPresence(account, 'gateways', gatewayId)
    const connection = presence && connectionOf(account, 'gateways', gatewayId, presence)
    if (!presence || !connection || !isOnline(presence, clock.now())) return
    if (await claimNudge(account, gatewayId, presence)) await sendMessage(connection, { type: 'authorizations' })
  } catch (error) {
    logLine('WARN', 'device_not_told', { account_id: account, device_id: gatewayId, ...describeError(error) })
  }
}

/** True when it is this caller that sends; else one is on its way, and knows by then that there is more. */
async function claimNudge(account: string, gatewayId: string, presence: Presence): Promise<boolean> {
  for (let tries = 0; tries < 5; tries++) {
    const now = clock.now()
    const folded = now - foldMicros
    if (presence.nudge_due && (presence.nudged_at ?? 0) > folded) return false
    const write = (set: string, condition: string, values: Record<string, unknown>) =>
      updateWhere(account, gatewayId, set, `connection_id = :connection AND ${condition}`, {
        ':connection': presence.connection_id,
        ':folded': folded,
        ...values,
      })
    const free = '(attribute_not_exists(nudged_at) OR nudged_at <= :folded)'
    if (await write('SET nudged_at = :now', free, { ':now': now })) return true
    if (await write('SET nudge_due = :due', 'nudged_at > :folded', { ':due': true })) return false
    // A heartbeat came between the two, or the gateway has connected anew: then it asks by itself.
  }
  return false
}

async function updateWhere(
  account: string,
  gatewayId: string,
  UpdateExpression: string,
  ConditionExpression: string,
  ExpressionAttributeValues: Record<string, unknown>,
): Promise<boolean> {
  const Key = presenceKey(account, 'gateways', gatewayId)
  try {
    await table().send(
      new UpdateCommand({
        TableName: tableName(),
        Key,
        UpdateExpression,
        ConditionExpression,
        ExpressionAttributeValues,
      }),
    )
    return true
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false
    throw error
  }
}
