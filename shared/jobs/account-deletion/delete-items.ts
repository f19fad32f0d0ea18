import { inParallel } from '../../core/work/in-parallel.ts'
import { table, tableName } from '../../table/client.ts'
import { UpdateCommand } from '../../table/commands.ts'
import { type Key, partition } from '../../table/keys.ts'
import { executeAll, mostStatements, type Statement } from '../../table/statements.ts'
import { walkTable } from '../../table/walk-table.ts'
import { type DueAccount, dueAccountsPartition } from './due-account.ts'

/** Requests under way at once. */
const width = 4
/** A run can only stop between two pages, so a page has to be done in seconds even if all of it is to be deleted. */
const perPage = 2_000

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
  // It need not be consistent: the second pass sees what the first one misses.
  const pages = walkTable<Key>({
    from: cursor ?? null,
    hasTime: () => Date.now() < deadline,
    Limit: perPage,
    ProjectionExpression: 'pk, sk',
    FilterExpression: 'begins_with(pk, :own) OR (account_id = :id AND pk <> :due)',
    ExpressionAttributeValues: {
      ':own': partition(due.account_id, ''),
      ':id': due.account_id,
      ':due': dueAccountsPartition,
    },
  })
  for await (const { items: keys, next } of pages) {
    const batches = Array.from({ length: Math.ceil(keys.length / mostStatements) }, (_, i) =>
      keys.slice(i * mostStatements, (i + 1) * mostStatements),
    )
    await inParallel(batches, width, (batch) => executeAll(batch.map(deletion)))
    if (next === null) return true
    await noteCursor(due, next)
  }
  return false
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
