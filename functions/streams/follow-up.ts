import type { Context, DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda'
import { type CommitRecord, readCommitRecord } from '#shared/commit/commit-record.ts'
import { revokeAll } from '#shared/commit/revoke.ts'
import { workTime } from '#shared/commit/work-time.ts'
import { consumer } from '#shared/core/consumer.ts'
import { describeError } from '#shared/core/describe-error.ts'
import { logLine } from '#shared/core/log.ts'
import { finishCascade } from '#shared/jobs/cascades/finish-cascade.ts'
import { newImage } from '#shared/table/stream-image.ts'

/** Time kept back for the last parts and the revocations of a batch, before the function times out. */
const reserveMs = 30_000

/**
 * Finishes what a commit caused: the revocations that its request may not have finished, and what it left for later (the
 * rows below a deleted object, A29, the rest of a large set, A15.6). When time gets short, of the latter only a part each,
 * whose commit leaves the rest again. Both are harmless to repeat. Reports the first record that failed, so that order is kept.
 */
const followUpBatch = async (
  event: DynamoDBStreamEvent,
  context?: Pick<Context, 'getRemainingTimeInMillis'>,
): Promise<DynamoDBBatchResponse> => {
  const remainingMs = () => (context?.getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY) - reserveMs
  for (const record of event.Records) {
    const { dynamodb } = record
    try {
      await followUp(readCommitRecord(newImage(record)), remainingMs)
    } catch (error) {
      logLine('ERROR', 'commit_not_followed_up', {
        sequence_number: dynamodb?.SequenceNumber,
        ...describeError(error),
      })
      return { batchItemFailures: [{ itemIdentifier: dynamodb?.SequenceNumber ?? '' }] }
    }
  }
  return { batchItemFailures: [] }
}

export const handler = consumer('follow-up', followUpBatch)

async function followUp(
  { account_id, time, subject, run_id, revocations, cascades }: CommitRecord,
  remainingMs: () => number,
): Promise<void> {
  await revokeAll(account_id, revocations, time)
  for (const cascade of cascades) {
    const budgetMs = Math.min(workTime.delivery(), remainingMs())
    await finishCascade({ accountId: account_id, subject, runId: run_id }, cascade, budgetMs)
  }
}
