import { PutCommand } from '@aws-sdk/lib-dynamodb'
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda'
import { readCommitRecord } from '#shared/commit/commit-record.ts'
import { inParallel } from '#shared/core/in-parallel.ts'
import { logLine } from '#shared/core/log.ts'
import { logId, positionTail } from '#shared/logs/log-id.ts'
import { logItems } from '#shared/logs/log-store.ts'
import { table, tableName } from '#shared/table/client.ts'
import { packLarge } from '#shared/table/large-attributes.ts'
import { newImage } from '#shared/table/stream-image.ts'

/** Writes under way at once. */
const concurrency = 32

/** One entry for each change of the commit, at the commit's time and the change's position: the same at every delivery. */
async function writeEntries(record: DynamoDBRecord): Promise<void> {
  const { account_id, time, subject, changes } = readCommitRecord(newImage(record))
  const items = changes.flatMap((change, position) =>
    logItems(account_id, 'change', logId('change', time, positionTail(position)), time, { ...change, subject }),
  )
  await inParallel(items, concurrency, (Item) =>
    table().send(new PutCommand({ TableName: tableName(), Item: packLarge(Item) })),
  )
}

/** Turns commit records into change log entries (L6). Idempotent, so that a replay changes nothing. */
export const handler = async (event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
  for (const record of event.Records) {
    try {
      await writeEntries(record)
    } catch (error) {
      const sequenceNumber = record.dynamodb?.SequenceNumber ?? ''
      logLine('ERROR', 'a commit record was not logged', {
        sequence_number: sequenceNumber,
        error: error instanceof Error ? error.message : 'not an error object',
      })
      return { batchItemFailures: [{ itemIdentifier: sequenceNumber }] }
    }
  }
  return { batchItemFailures: [] }
}
