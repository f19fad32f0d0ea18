import { scheduled } from '#shared/core/logging/watched.ts'
import { renewLocks } from '#shared/seal/sealing/renew-locks.ts'

/**
 * Continues the yearly renewal of the sealed logs' object locks every hour, if a renewal is due (S3). The budget allows a page of objects
 * that S3 throttles to finish before the function's timeout.
 */
export const handler = scheduled('renew-locks', 480_000, renewLocks)
