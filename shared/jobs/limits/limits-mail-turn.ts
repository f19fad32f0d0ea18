import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { table, tableName } from '../../table/client.ts'
import { PutCommand } from '../../table/commands.ts'
import { type Item, partition } from '../../table/keys.ts'

const minute = 60_000_000
/** At most every 3 days (A11). */
const interval = 3 * 24 * 60 * minute
/** A mail that failed is tried again by the next run, half an hour later. */
const patience = 20 * minute

/** Records, by administrator, when each was last mailed about exceeded limits. */
export const limitsMailsPartition = (account: string): string => partition(account, 'limits.mails')

const turnItem = (account: string, actorId: string, next: number): Item => ({
  pk: limitsMailsPartition(account),
  sk: actorId,
  kind: 'mail',
  next_at: next,
  ttl: Math.ceil(next / 1_000_000),
})

/** Takes the turn of mailing an administrator; false while the last mail is too fresh. */
export async function beginMail(account: string, actorId: string, now: number): Promise<boolean> {
  try {
    await table().send(
      new PutCommand({
        TableName: tableName(),
        Item: turnItem(account, actorId, now + patience),
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

/** The mail is out: the next one is due 3 days after. */
export const endMail = (account: string, actorId: string, now: number) =>
  table().send(new PutCommand({ TableName: tableName(), Item: turnItem(account, actorId, now + interval) }))
