import type { Context } from 'aws-lambda'
import { watched } from '#shared/core/logging/watched.ts'
import { task } from '#shared/core/work/task.ts'
import { checkRows } from '#shared/jobs/row-check/check-rows.ts'

/** A page more is a few hundred reads. */
const longestPageMs = 60_000

/** Compares guards, edges and counters with the rows, and the rows with the commits; invoked by an operator under IAM (docs/runbooks/restore.md). */
export const handler = watched('verify-rows', (event: unknown, context?: Pick<Context, 'getRemainingTimeInMillis'>) =>
  task((asked) => checkRows(asked, () => !context || context.getRemainingTimeInMillis() > longestPageMs))(event),
)
