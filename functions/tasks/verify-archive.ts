import type { Context } from 'aws-lambda'
import { verifyArchive } from '#shared/archive/verify-archive.ts'
import { watched } from '#shared/core/logging/watched.ts'
import { task, timeLeft } from '#shared/core/work/task.ts'

/** Maximum time for the files of one hour. */
const maxHourMs = 120_000

/** Operator task: verifies the files of the archive against their manifests and the sealed log (R11). */
export const handler = watched(
  'verify-archive',
  task((event, context?: Pick<Context, 'getRemainingTimeInMillis'>) =>
    verifyArchive(event, timeLeft(context, maxHourMs)),
  ),
)
