import { setTimeout as sleep } from 'node:timers/promises'
import type { BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import { ApiError } from '../../core/errors.ts'
import { inParallel } from '../../core/in-parallel.ts'
import { table, tableName } from '../../table/client.ts'
import { BatchWriteCommand, ScanCommand, UpdateCommand } from '../../table/commands.ts'
import { type Key, partition } from '../../table/keys.ts'
import { type DueAccount, dueAccountsPartition } from './due-account.ts'

/** Items that one request deletes, the most that the table takes. */
const perBatch = 25
/** Requests under way at once. */
const width = 4
/** A run can only stop between two pages, so a page has to be done in seconds even if all of it is to be deleted. */
const perPage = 2_000
/**
 * A page is at most 1 MB: 128 read units, as it need not be consistent; the second pass sees what the first one misses. A
 * partition of the table gives 3,000 a second, and requests need theirs.
 */
const pauseMs = 60

type WriteRequests = NonNullable<BatchWriteCommandInput['RequestItems']>[string]

async function deleteBatch(keys: Key[]): Promise<void> {
  let wanted: WriteRequests = keys.map((Key) => ({ DeleteRequest: { Key } }))
  for (let tries = 0; wanted.length > 0; tries++) {
    if (tries === 8) throw new ApiError('unavailable')
    if (tries > 0) await sleep(Math.random() * 20 * 2 ** tries)
    const RequestItems = { [tableName()]: wanted }
    const { UnprocessedItems } = await table().send(new BatchWriteCommand({ RequestItems }))
    wanted = UnprocessedItems?.[tableName()] ?? []
  }
}

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
    const batches = Array.from({ length: Math.ceil(keys.length / perBatch) }, (_, i) =>
      keys.slice(i * perBatch, (i + 1) * perBatch),
    )
    await inParallel(batches, width, deleteBatch)
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
