import { scheduled } from '#shared/core/logging/watched.ts'
import { renewLocks } from '#shared/seal/sealing/renew-locks.ts'

/**
 * Every hour: continues the yearly renewal of the locks of the sealed logs where one is due (S3). A page of objects that S3
 * throttles still ends before the function does.
 */
export const handler = scheduled('renew-locks', 480_000, renewLocks)
