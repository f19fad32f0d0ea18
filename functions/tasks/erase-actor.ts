import type { Context } from 'aws-lambda'
import { eraseActor } from '#shared/archive/erase-actor.ts'
import { watched } from '#shared/core/logging/watched.ts'
import { task, timeLeft } from '#shared/core/work/task.ts'

/** Maximum time for one file. */
const maxFileMs = 60_000

/** Operator task: erases the rows of an actor in the archive (R12.4, docs/runbooks/archive.md). */
export const handler = watched(
  'erase-actor',
  task((event, context?: Pick<Context, 'getRemainingTimeInMillis'>) => eraseActor(event, timeLeft(context, maxFileMs))),
)
