import { clock } from '../core/clock.ts'
import { describeError } from '../core/logging/describe-error.ts'
import { logLine } from '../core/logging/log.ts'
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
    // A nudge that did not leave is not repeated (C5.4), but whoever was folded into it has not had one: theirs is sent.
    for (let nudges = 0; nudges < 2; nudges++) {
      const presence = await findPresence(account, 'gateways', gatewayId)
      const connection = presence && connectionOf(account, 'gateways', gatewayId, presence)
      if (!presence || !connection || !isOnline(presence, clock.now())) return
      const claimed = await claimNudge(account, gatewayId, presence)
      if (claimed === null || (await sendMessage(connection, { type: 'authorizations' })) !== 'failed') return
      if (!(await releaseNudge(account, gatewayId, claimed))) return
    }
  } catch (error) {
    logLine('WARN', 'device_not_told', { account_id: account, device_id: gatewayId, ...describeError(error) })
  }
}

/** The instant at which this caller sends; null when a nudge is on its way, and knows by then that there is more. */
async function claimNudge(account: string, gatewayId: string, presence: Presence): Promise<number | null> {
  for (let tries = 0; tries < 5; tries++) {
    const now = clock.now()
    const folded = now - foldMicros
    if (presence.nudge_due && (presence.nudged_at ?? 0) > folded) return null
    const write = (set: string, condition: string, values: Record<string, unknown>) =>
      updatedFrom(account, gatewayId, set, `connection_id = :connection AND ${condition}`, {
        ':connection': presence.connection_id,
        ':folded': folded,
        ...values,
      })
    const free = '(attribute_not_exists(nudged_at) OR nudged_at <= :folded)'
    if (await write('SET nudged_at = :now', free, { ':now': now })) return now
    if (await write('SET nudge_due = :due', 'nudged_at > :folded', { ':due': true })) return null
    // A heartbeat came between the two, or the gateway has connected anew: then it asks by itself.
  }
  return null
}

/** Lets the next nudge go at once. True when somebody was folded into the one that did not leave. */
async function releaseNudge(account: string, gatewayId: string, claimed: number): Promise<boolean> {
  const values = { ':claimed': claimed }
  const before = await updatedFrom(account, gatewayId, 'REMOVE nudged_at, nudge_due', 'nudged_at = :claimed', values)
  return before?.nudge_due === true
}

/** The live item before the change; null where the condition does not hold. */
async function updatedFrom(
  account: string,
  gatewayId: string,
  UpdateExpression: string,
  ConditionExpression: string,
  ExpressionAttributeValues: Record<string, unknown>,
): Promise<Presence | null> {
  const Key = presenceKey(account, 'gateways', gatewayId)
  try {
    const { Attributes } = await table().send(
      new UpdateCommand({
        TableName: tableName(),
        Key,
        UpdateExpression,
        ConditionExpression,
        ExpressionAttributeValues,
        ReturnValues: 'ALL_OLD',
      }),
    )
    return Attributes as Presence
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return null
    throw error
  }
}
