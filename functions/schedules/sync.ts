import { scheduled } from '#shared/core/logging/watched.ts'
import { runDue } from '#shared/sync/steps/run-due.ts'

/**
 * Every minute: begins runs of directories and inventories that are due, and continues those under way (I4.1, I7.1). A step
 * ends before its function does, with time for what it has begun (I4.1(2)).
 */
export const handler = scheduled('sync', 12 * 60_000, runDue)
