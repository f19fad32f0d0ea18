import { scheduled } from '#shared/core/logging/watched.ts'
import { sealLogs } from '#shared/seal/sealing/seal-logs.ts'

/** Runs every 5 minutes and seals new log entries (S2.3). A run stops before its leases expire. */
export const handler = scheduled('seal-logs', 180_000, sealLogs)
