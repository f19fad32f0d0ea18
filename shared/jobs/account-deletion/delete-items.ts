import { setTimeout as sleep } from 'node:timers/promises'
import { inParallel } from '../../core/in-parallel.ts'
import { table, tableName } from '../../table/client.ts'
import { ScanCommand, UpdateCommand } from '../../table/commands.ts'
import { type Key, partition } from '../../table/keys.ts'
import { executeAll, mostStatements, type Statement } from '../../table/statements.ts'
import { type DueAccount, dueAccountsPartition } from './due-account.ts'

/** Requests under way at once. */
const width = 4
/** A run can only stop between two pages, so a page has to be done in seconds even if all of it is to be deleted. */
const perPage = 2_000
/**
 * A page is at most 1 MB: 128 read units, as it need not be consistent; the second pass sees what the first one misses. A
 * partition of the table gives 3,000 a second, and requests need theirs.
 */
const pauseMs = 60

/** A statement, because the right to a batch of deletions is the right to one of puts, too. */
const deletion = ({ pk, sk }: Key): Statement => ({
  Statement: `DELETE FROM "${tableName()}" WHERE "pk" = ? AND "sk" = ?`,
  Parameters: [pk, sk],
})

/**
 * Deletes everything of an account from the cursor on, a page of the table after the other. All keys of an account begin
 * with its id, and what else belongs to it has its `account_id`: nothing can be forgotten, whatever kinds of items there
 * are. A page that was not noted is done again.
 * @returns whether the end of the table was reached
 */
export async function deleteItems({ cursor, ...due }: DueAccount, deadline: number): Promise<boolean> {
  let start = cursor
  do {
    const page = await table().send(
      new ScanCommand({
        TableName: tableName(),
        ExclusiveStartKey: start,
        Limit: perPage,
        ProjectionExpression: 'pk, sk',
        FilterExpression: 'begins_with(pk, :own) OR (account_id = :id AND pk <> :due)',
        ExpressionAttributeValues: {
          ':own': partition(due.account_id, ''),
          ':id': due.account_id,
          ':due': dueAccountsPartition,
        },
      }),
    )
    const keys = (page.Items ?? []) as Key[]
    const batches = Array.from({ length: Math.ceil(keys.length / mostStatements) }, (_, i) =>
      keys.slice(i * mostStatements, (i + 1) * mostStatements),
    )
    await inParallel(batches, width, (batch) => executeAll(batch.map(deletion)))
    start = page.LastEvaluatedKey as Key | undefined
    if (start) {
      await noteCursor(due, start)
      await sleep(pauseMs)
    }
  } while (start && Date.now() < deadline)
  return start === undefined
}

async function noteCursor({ pk, sk }: Key, cursor: Key): Promise<void> {
  await table().send(
    new UpdateCommand({
      TableName: tableName(),
      Key: { pk, sk },
      UpdateExpression: 'SET #cursor = :cursor',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeNames: { '#cursor': 'cursor' },
      ExpressionAttributeValues: { ':cursor': cursor },
    }),
  )
}
