import { watched } from '#shared/core/logging/watched.ts'
import { mailSyncErrors } from '#shared/jobs/sync-mails/mail-sync-errors.ts'

/** A run ends before its function does. */
const budgetMs = 45_000

/** Every 30 minutes; mails in the hour from 09:00 UTC about directories and posture providers that an error has disabled (I8.1). */
export const handler = watched('mail-sync-errors', () => mailSyncErrors(Date.now() + budgetMs))
