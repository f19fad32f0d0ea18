import type { Context } from 'aws-lambda'
import { watched } from '#shared/core/logging/watched.ts'
import { task, timeLeft } from '#shared/core/work/task.ts'
import { checkRows } from '#shared/jobs/row-check/check-rows.ts'

/** Maximum time for one page, which takes a few thousand reads. */
const maxPageMs = 60_000

/**
 * Operator task: checks unique items, index items and counters against the rows, and the rows against the commits
 * (docs/runbooks/restore.md).
 */
export const handler = watched(
  'verify-rows',
  task((event, context?: Pick<Context, 'getRemainingTimeInMillis'>) => checkRows(event, timeLeft(context, maxPageMs))),
)
