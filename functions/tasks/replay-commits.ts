import type { Context } from 'aws-lambda'
import { invokeFunction } from '#shared/core/aws/lambda.ts'
import { watched } from '#shared/core/logging/watched.ts'
import { task, timeLeft } from '#shared/core/work/task.ts'
import { replayCommits } from '#shared/jobs/replay/replay-commits.ts'

/** Maximum time for one batch: twice a consumer's timeout, because a failed batch is retried record by record. */
const maxBatchMs = 180_000

/** Operator task: sends commit records to the consumers of the table's stream again (docs/runbooks/restore.md). */
export const handler = watched(
  'replay-commits',
  task((event, context?: Pick<Context, 'getRemainingTimeInMillis'>) =>
    replayCommits(event, invokeFunction, timeLeft(context, maxBatchMs)),
  ),
)
