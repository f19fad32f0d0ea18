import { clock } from '../../core/clock.ts'
import { note } from '../../core/logging/invocation.ts'
import { type Connection, findConnection, forgetConnection } from '../../domain/connections/connection.ts'
import { presenceKey } from '../../domain/presence/presence.ts'
import { leaseEnd } from '../../domain/sessions/lease.ts'
import { table, tableName } from '../../table/client.ts'
import { UpdateCommand } from '../../table/commands.ts'
import { ConditionalCheckFailedException } from '../../table/refused-write.ts'

/** A connection has ended: the lease of its session is cut, unless a newer connection stands (C3.2). Harmless to repeat. */
export async function disconnect(connectionId: string): Promise<void> {
  const connection = await findConnection(connectionId)
  if (!connection) return
  note({ account_id: connection.account_id })
  await cutLease(connection)
  await forgetConnection(connection)
}

async function cutLease(connection: Connection): Promise<void> {
  const now = clock.now()
  const end = leaseEnd(now)
  // The lease is cut, not put off; what the item no longer names is none of this connection's business.
  const isCut = await update(connection, 'SET lease_expires_at = :end', 'lease_expires_at > :end', { ':end': end })
  if (!isCut) await update(connection)
}

async function update(
  { account_id, device, device_id, connection_id }: Connection,
  set = '',
  condition = '',
  values: Record<string, unknown> = {},
): Promise<boolean> {
  try {
    await table().send(
      new UpdateCommand({
        TableName: tableName(),
        Key: presenceKey(account_id, device, device_id),
        UpdateExpression: `${set} REMOVE connection_id, connected_at, messages, bad_messages, nudged_at, nudge_due`,
        ConditionExpression: ['connection_id = :connection', ...(condition ? [condition] : [])].join(' AND '),
        ExpressionAttributeValues: { ':connection': connection_id, ...values },
      }),
    )
    return true
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false
    throw error
  }
}
