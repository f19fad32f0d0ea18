import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda'
import { type CommitRecord, readCommitRecord } from '#shared/commit/commit-record.ts'
import { consumer } from '#shared/core/work/consumer.ts'
import { indexCommit } from '#shared/domain/names/name-index.ts'
import { logId, positionTail } from '#shared/logs/entries/log-id.ts'
import { logItems } from '#shared/logs/entries/log-store.ts'
import { sealedAccountItem } from '#shared/seal/log/sealed-log.ts'
import { insertAll } from '#shared/table/insert-all.ts'
import { handleInOrder, newImage } from '#shared/table/stream-image.ts'

/**
 * Writes one entry per change. The time and position of the change determine the entry's id, so that repeated deliveries write the same
 * entries.
 */
async function writeEntries({ account_id, time, first_leaf, subject, run_id, changes }: CommitRecord): Promise<void> {
  const items = changes.flatMap((change, position) => {
    return logItems(account_id, 'change', logId('change', time, positionTail(position)), time, {
      ...change,
      subject,
      run_id,
      leaf: first_leaf + position,
    })
  })
  // The first entry of an account registers the account for sealing.
  const isNew = items.length > 0 && first_leaf === 0
  await insertAll([...items, ...(isNew ? [sealedAccountItem(account_id)] : [])])
}

async function writeCommit(record: DynamoDBRecord): Promise<void> {
  const commit = readCommitRecord(newImage(record))
  await Promise.all([writeEntries(commit), indexCommit(commit)])
}

/**
 * Turns commit records into change log entries (L6), and indexes the changed names for the search (K11.G3), because a stream allows no third
 * consumer. Idempotent, so that a replay changes nothing.
 */
export const handler = consumer('write-change-log', ({ Records }: DynamoDBStreamEvent) =>
  handleInOrder(Records, 'commit_not_logged', writeCommit),
)
