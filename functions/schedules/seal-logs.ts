import { scheduled } from '#shared/core/logging/watched.ts'
import { sealLogs } from '#shared/seal/sealing/seal-logs.ts'

/** Every 5 minutes: seals the new log entries (S2.3). A run ends before its leases expire. */
export const handler = scheduled('seal-logs', 180_000, sealLogs)
