import { scheduled } from '#shared/core/logging/watched.ts'
import { runDue } from '#shared/sync/steps/run-due.ts'

/**
 * Every minute: begins due runs of directories and inventories, and continues running ones (I4.1, I7.1). A step stops
 * early enough before the function's timeout to complete its current work (I4.1(2)).
 */
export const handler = scheduled('sync', 12 * 60_000, runDue)
