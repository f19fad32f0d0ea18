import { type ClientPresence, presenceKey } from '../../domain/presence/presence.ts'
import { table, tableName } from '../../table/client.ts'
import { UpdateCommand } from '../../table/commands.ts'
import { ConditionalCheckFailedException } from '../../table/refused-write.ts'

/** What the live item must say for a change. `connection_id: null` means that the session is not connected. */
export type ExpectedPresence = Partial<ClientPresence>

const comparison = (value: unknown, i: number): string =>
  value === null ? `attribute_not_exists(#e${i})` : `#e${i} = :e${i}`

/** Sets values of a client's live item, or takes those away that are null, while this session of it is live and the item has the `expected` values. */
export async function updatePresence(
  account: string,
  clientId: string,
  sessionId: string,
  now: number,
  values: Partial<ClientPresence>,
  expected: ExpectedPresence = {},
): Promise<'done' | 'lost'> {
  const wanted = Object.entries(expected)
  const set = Object.entries(values).filter(([, value]) => value !== null)
  const gone = Object.keys(values).filter((name) => !set.some(([kept]) => kept === name))
  try {
    await table().send(
      new UpdateCommand({
        TableName: tableName(),
        Key: presenceKey(account, 'clients', clientId),
        UpdateExpression: [
          `SET ${set.map((_, i) => `#v${i} = :v${i}`).join(', ')}`,
          ...(gone.length > 0 ? [`REMOVE ${gone.join(', ')}`] : []),
        ].join(' '),
        ConditionExpression: [
          'session_id = :session AND lease_expires_at > :now',
          ...wanted.map(([, value], i) => comparison(value, i)),
        ].join(' AND '),
        ExpressionAttributeNames: Object.fromEntries([
          ...set.map(([name], i) => [`#v${i}`, name]),
          ...wanted.map(([name], i) => [`#e${i}`, name]),
        ]),
        ExpressionAttributeValues: {
          ':session': sessionId,
          ':now': now,
          ...Object.fromEntries([
            ...set.map(([, value], i) => [`:v${i}`, value]),
            ...wanted.flatMap(([, value], i) => (value === null ? [] : [[`:e${i}`, value]])),
          ]),
        },
      }),
    )
    return 'done'
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return 'lost'
    throw error
  }
}
