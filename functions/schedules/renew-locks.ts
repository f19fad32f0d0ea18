import { scheduled } from '#shared/core/logging/watched.ts'
import { renewLocks } from '#shared/seal/sealing/renew-locks.ts'

/**
 * Every hour: continues the yearly renewal of the sealed logs' object locks, if one is due (S3). Even a page of objects
 * that S3 throttles ends before the function's timeout.
 */
export const handler = scheduled('renew-locks', 480_000, renewLocks)
