import { watched } from '#shared/core/logging/watched.ts'
import { sealLogs } from '#shared/jobs/seal/seal-logs.ts'

/** A run ends before its function does, and before its leases do. */
const budgetMs = 180_000

/** Every 5 minutes: seals what is new in the logs (S2.3). */
export const handler = watched('seal-logs', () => sealLogs(Date.now() + budgetMs))
