import { watched } from '#shared/core/logging/watched.ts'
import { renewLocks } from '#shared/jobs/seal/renew-locks.ts'

/** A page of objects that S3 throttles still ends before the function does. */
const budgetMs = 480_000

/** Every hour: continues the yearly renewal of the locks of the sealed logs where one is due (S3). */
export const handler = watched('renew-locks', () => renewLocks(Date.now() + budgetMs))
