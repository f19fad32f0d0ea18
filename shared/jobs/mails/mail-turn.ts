import { table, tableName } from '../../table/client.ts'
import { PutCommand } from '../../table/commands.ts'
import type { Key } from '../../table/keys.ts'
import { ConditionalCheckFailedException } from '../../table/refused-write.ts'

/** A mail that failed is tried again by the next run, half an hour later. */
const patience = 20 * 60_000_000

/** A record of when somebody is to be mailed next, or mailed about. */
const turnItem = (turn: Key, next: number) => ({
  ...turn,
  kind: 'mail',
  next_at: next,
  ttl: Math.ceil(next / 1_000_000),
})

/** Takes a turn of mailing; false while the last one is too fresh. */
export async function beginMail(turn: Key, now: number): Promise<boolean> {
  try {
    await table().send(
      new PutCommand({
        TableName: tableName(),
        Item: turnItem(turn, now + patience),
        ConditionExpression: 'attribute_not_exists(pk) OR next_at <= :now',
        ExpressionAttributeValues: { ':now': now },
      }),
    )
    return true
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false
    throw error
  }
}

/** The mail is out: the next one is due so many microseconds after. */
export const endMail = (turn: Key, now: number, interval: number) =>
  table().send(new PutCommand({ TableName: tableName(), Item: turnItem(turn, now + interval) }))
