import { inParallel } from '../core/work/in-parallel.ts'
import { table, tableName } from '../table/client.ts'
import { UpdateCommand } from '../table/commands.ts'
import { type Key, liveKey, partition } from '../table/keys.ts'
import { queryItems } from '../table/read.ts'
import { ConditionalCheckFailedException } from '../table/refused-write.ts'

type Session = Key & { session_id: string }
type LiveGateway = Session & { lease_expires_at: number }

/** Ends the gateway sessions of an account that began before this id was made (P1.7). Harmless to repeat. */
export async function endSessionsBefore(account: string, bound: string): Promise<number> {
  const items = await queryItems<LiveGateway>(partition(account, 'live.gateways'))
  const before = items.filter((item) => item.lease_expires_at > 0 && item.session_id < bound)
  await inParallel(before, 10, endSession)
  return before.length
}

/** Ends the client sessions that were started with a token, so that nobody has to look for the token (P1.7). Harmless to repeat. */
export async function endSessionsOfToken(account: string, tokenId: string): Promise<void> {
  const pointers = await queryItems<Key & { client_id: string }>(partition(account, 'sessions.client_token', tokenId))
  const sessions = pointers.map(({ sk, client_id }) => ({ ...liveKey(account, 'clients', client_id), session_id: sk }))
  await inParallel(sessions, 10, endSession)
}

/** Ends a session, unless another of the device has begun. Harmless to repeat. */
export async function endSession({ pk, sk, session_id }: Session): Promise<void> {
  try {
    await table().send(
      new UpdateCommand({
        TableName: tableName(),
        Key: { pk, sk },
        UpdateExpression: 'SET lease_expires_at = :ended',
        ConditionExpression: 'session_id = :session',
        ExpressionAttributeValues: { ':ended': 0, ':session': session_id },
      }),
    )
  } catch (error) {
    // Another session has begun, or the device is gone.
    if (!(error instanceof ConditionalCheckFailedException)) throw error
  }
}
