import { scheduled } from '#shared/core/logging/watched.ts'
import { renewLocks } from '#shared/seal/sealing/renew-locks.ts'

/**
 * Runs hourly and continues the yearly renewal of the sealed logs' object locks, if a renewal is due (S3). A page of objects that S3
 * throttles still ends before the function's timeout.
 */
export const handler = scheduled('renew-locks', 480_000, renewLocks)
