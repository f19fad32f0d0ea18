import { scheduled } from '#shared/core/logging/watched.ts'
import { mailSyncErrors } from '#shared/sync/mails/mail-sync-errors.ts'

/** Every 30 minutes: in the hour from 09:00 UTC, mails about sources that an error has disabled (I8.1), and ends in time. */
export const handler = scheduled('mail-sync-errors', 45_000, mailSyncErrors)
