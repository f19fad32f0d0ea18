import type { Context } from 'aws-lambda'
import { watched } from '#shared/core/logging/watched.ts'
import { task } from '#shared/core/work/task.ts'
import { indexChangeLog } from '#shared/jobs/change-log-index/index-change-log.ts'

/** A batch more is a few requests, which can be throttled for a while. */
const longestBatchMs = 60_000

/** Puts pointers that entries of the change log lack; invoked by an operator under IAM (docs/runbooks/change-log.md). */
export const handler = watched(
  'index-change-log',
  (event: unknown, context?: Pick<Context, 'getRemainingTimeInMillis'>) =>
    task((asked) => indexChangeLog(asked, () => !context || context.getRemainingTimeInMillis() > longestBatchMs))(
      event,
    ),
)
