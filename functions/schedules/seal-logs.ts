import { scheduled } from '#shared/core/logging/watched.ts'
import { sealLogs } from '#shared/seal/sealing/seal-logs.ts'

/** Every 5 minutes: seals what is new in the logs (S2.3). A run ends before its leases do. */
export const handler = scheduled('seal-logs', 180_000, sealLogs)
