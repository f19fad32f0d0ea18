import { scheduled } from '#shared/core/logging/watched.ts'
import { runDue } from '#shared/sync/steps/run-due.ts'

/**
 * Runs every minute, starts due sync runs of directories and posture providers, and continues unfinished runs (I4.1, I7.1). A step stops
 * early enough to complete its current work before the function's timeout (I4.1(2)).
 */
export const handler = scheduled('sync', 12 * 60_000, runDue)
