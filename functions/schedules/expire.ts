import { scheduled } from '#shared/core/logging/watched.ts'
import { reclaimExpired } from '#shared/jobs/expiry/reclaim-expired.ts'

/** Runs every minute and deletes expired tokens and other due items (A31). A run stops before the next one starts. */
export const handler = scheduled('expire', 45_000, reclaimExpired)
