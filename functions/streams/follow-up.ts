import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda'
import { type CommitRecord, readCommitRecord } from '#shared/commit/commit-record.ts'
import { revokeAll } from '#shared/commit/revoke.ts'
import { logLine } from '#shared/core/log.ts'
import { finishCascade } from '#shared/jobs/cascades/finish-cascade.ts'
import { newImage } from '#shared/table/stream-image.ts'

/**
 * Finishes what a commit caused: the revocations that its request may not have finished, and the rows below a deleted
 * object that it left (A29). Both are harmless to repeat. Reports the first record that failed, so that order is kept.
 */
export const handler = async (event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
  for (const record of event.Records) {
    const { dynamodb } = record
    try {
      await followUp(readCommitRecord(newImage(record)))
    } catch (error) {
      logLine('ERROR', 'a commit was not followed up', {
        sequence_number: dynamodb?.SequenceNumber,
        error: error instanceof Error ? error.message : 'not an error object',
      })
      return { batchItemFailures: [{ itemIdentifier: dynamodb?.SequenceNumber ?? '' }] }
    }
  }
  return { batchItemFailures: [] }
}

async function followUp({ account_id, subject, revocations, cascades }: CommitRecord): Promise<void> {
  await revokeAll(account_id, revocations)
  for (const cascade of cascades) await finishCascade({ accountId: account_id, subject }, cascade)
}
