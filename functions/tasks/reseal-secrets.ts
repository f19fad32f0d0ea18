import type { Context } from 'aws-lambda'
import { watched } from '#shared/core/logging/watched.ts'
import { task } from '#shared/core/work/task.ts'
import { resealSecrets } from '#shared/jobs/secret-rotation/reseal-secrets.ts'

/** One page more can hold rows of many accounts, each of which waits for its commit. */
const longestPageMs = 120_000

/** Seals stored secrets with the newest version of the service secret; invoked by an operator under IAM (docs/runbooks/secret-rotation.md). */
export const handler = watched(
  'reseal-secrets',
  (event: unknown, context?: Pick<Context, 'getRemainingTimeInMillis'>) =>
    task((asked) => resealSecrets(asked, () => !context || context.getRemainingTimeInMillis() > longestPageMs))(event),
)
