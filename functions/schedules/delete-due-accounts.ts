import { scheduled } from '#shared/core/logging/watched.ts'
import { deleteDueAccounts } from '#shared/jobs/account-deletion/delete-due-accounts.ts'

/** Every minute: deletes accounts that are due (A31). A run ends before the next one begins. */
export const handler = scheduled('delete-due-accounts', 45_000, deleteDueAccounts)
