import { scheduled } from '#shared/core/logging/watched.ts'
import { deleteDueAccounts } from '#shared/jobs/account-deletion/delete-due-accounts.ts'

/** Runs every minute and deletes accounts that are due (A31). A run stops before the next one starts. */
export const handler = scheduled('delete-due-accounts', 45_000, deleteDueAccounts)
