import type { Context } from 'aws-lambda'
import { watched } from '#shared/core/logging/watched.ts'
import { failuresBucket } from '#shared/jobs/failed-batches/failures-bucket.ts'
import { invokeFunction } from '#shared/jobs/failed-batches/invoke-function.ts'
import { type Redriven, redrive } from '#shared/jobs/failed-batches/redrive.ts'

/** One batch more can take as long as a consumer may, and again for its records one by one. */
const longestBatchMs = 180_000

/** Hands failed batches to their consumers again; invoked by an operator under IAM (docs/runbooks/failed-batches.md). */
export const handler = watched(
  'redrive-failed-batches',
  (_event: unknown, context: Context): Promise<Redriven> =>
    redrive({
      batches: failuresBucket(),
      invoke: invokeFunction,
      hasTime: () => context.getRemainingTimeInMillis() > longestBatchMs,
    }),
)
