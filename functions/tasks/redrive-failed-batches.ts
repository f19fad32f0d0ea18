import type { Context } from 'aws-lambda'
import { invokeFunction } from '#shared/core/aws/lambda.ts'
import { watched } from '#shared/core/logging/watched.ts'
import { timeLeft } from '#shared/core/work/task.ts'
import { failuresBucket, redrive } from '#shared/jobs/failed-batches/redrive.ts'

/** Maximum time for one batch: twice a consumer's timeout, because a failed batch is retried record by record. */
const maxBatchMs = 180_000

/** Operator task: sends failed batches to their consumers again (docs/runbooks/failed-batches.md). */
export const handler = watched('redrive-failed-batches', (_event: unknown, context: Context) =>
  redrive({ batches: failuresBucket(), invoke: invokeFunction, hasTime: timeLeft(context, maxBatchMs) }),
)
