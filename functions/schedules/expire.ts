import { scheduled } from '#shared/core/logging/watched.ts'
import { reclaimExpired } from '#shared/jobs/expiry/reclaim-expired.ts'

/** Every minute: deletes expired tokens and other due items (A31). A run ends before the next one begins. */
export const handler = scheduled('expire', 45_000, reclaimExpired)
