import { scheduled } from '#shared/core/logging/watched.ts'
import { renewLocks } from '#shared/seal/sealing/renew-locks.ts'

/**
 * Runs hourly and, if due, continues the yearly renewal of the sealed logs' object locks (S3). Even if S3 throttles requests, a page of
 * objects finishes before the function's timeout.
 */
export const handler = scheduled('renew-locks', 480_000, renewLocks)
