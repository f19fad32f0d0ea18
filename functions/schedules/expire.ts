import { scheduled } from '#shared/core/logging/watched.ts'
import { reclaimExpired } from '#shared/jobs/expiry/reclaim-expired.ts'

/** Deletes expired tokens and other due items, every minute (A31). A run stops before the next one starts. */
export const handler = scheduled('expire', 45_000, reclaimExpired)
