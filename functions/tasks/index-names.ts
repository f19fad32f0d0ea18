import type { Context } from 'aws-lambda'
import { watched } from '#shared/core/logging/watched.ts'
import { task, timeLeft } from '#shared/core/work/task.ts'
import { indexNames } from '#shared/jobs/name-index/index-names.ts'

/** Maximum time for one page. */
const maxPageMs = 60_000

/** Operator task: writes the names of older accounts to the index of the search (docs/operating.md). */
export const handler = watched(
  'index-names',
  task((event, context?: Pick<Context, 'getRemainingTimeInMillis'>) => indexNames(event, timeLeft(context, maxPageMs))),
)
