import type { Context } from 'aws-lambda'
import { watched } from '#shared/core/logging/watched.ts'
import { task } from '#shared/core/work/task.ts'
import { invokeFunction } from '#shared/jobs/failed-batches/invoke-function.ts'
import { replayCommits } from '#shared/jobs/replay/replay-commits.ts'

/** One batch more can take as long as its consumers may, and again for its records one by one. */
const longestBatchMs = 180_000

/** Hands commit records to the consumers of the table's stream again; invoked by an operator under IAM (docs/runbooks/restore.md). */
export const handler = watched('replay-commits', (event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>) =>
  task((asked) => replayCommits(asked, invokeFunction, () => context.getRemainingTimeInMillis() > longestBatchMs))(
    event,
  ),
)
