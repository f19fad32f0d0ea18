import { watched } from '#shared/core/logging/watched.ts'
import { reclaimExpired } from '#shared/jobs/expiry/reclaim-expired.ts'

/** A run ends before the next one begins. */
const budgetMs = 45_000

/** Every minute: deletes what has ended (A31). */
export const handler = watched('expire', () => reclaimExpired(Date.now() + budgetMs))
