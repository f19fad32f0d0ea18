import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda'
import { readCommitRecord } from '#shared/commit/commit-record.ts'
import { describeError } from '#shared/core/logging/describe-error.ts'
import { logLine } from '#shared/core/logging/log.ts'
import { consumer } from '#shared/core/work/consumer.ts'
import { logId, positionTail } from '#shared/logs/log-id.ts'
import { logItems } from '#shared/logs/log-store.ts'
import { sealedAccountItem } from '#shared/seal/log/sealed-accounts.ts'
import { insertAll } from '#shared/table/insert-all.ts'
import { packLarge } from '#shared/table/large-attributes.ts'
import { accountOfRecord, newImage } from '#shared/table/stream-image.ts'

/** One entry for each change of the commit, at the commit's time and the change's position: the same at every delivery. */
async function writeEntries(record: DynamoDBRecord): Promise<void> {
  const { account_id, time, first_leaf, subject, run_id, changes } = readCommitRecord(newImage(record))
  const items = changes.flatMap((change, position) => {
    const leaf = first_leaf === null ? undefined : first_leaf + position
    return logItems(account_id, 'change', logId('change', time, positionTail(position)), time, {
      ...change,
      subject,
      run_id,
      leaf,
    })
  })
  // Of an account that has been counted from its first entry on, the first alone tells that there is one to seal.
  const isNew = items.length > 0 && !first_leaf
  await insertAll([...items.map(packLarge), ...(isNew ? [sealedAccountItem(account_id)] : [])])
}

/** Turns commit records into change log entries (L6). Idempotent, so that a replay changes nothing. */
const writeBatch = async (event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
  for (const record of event.Records) {
    try {
      await writeEntries(record)
    } catch (error) {
      const sequenceNumber = record.dynamodb?.SequenceNumber ?? ''
      logLine('ERROR', 'commit_not_logged', {
        account_id: accountOfRecord(record),
        sequence_number: sequenceNumber,
        ...describeError(error),
      })
      return { batchItemFailures: [{ itemIdentifier: sequenceNumber }] }
    }
  }
  return { batchItemFailures: [] }
}

export const handler = consumer('write-change-log', writeBatch)
