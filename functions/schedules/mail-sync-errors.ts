import { scheduled } from '#shared/core/logging/watched.ts'
import { mailSyncErrors } from '#shared/sync/mails/mail-sync-errors.ts'

/** Runs every 30 minutes and mails administrators about sources that an error disabled, but only from 09:00 to 10:00 UTC (I8.1). */
export const handler = scheduled('mail-sync-errors', 45_000, mailSyncErrors)
