import { watched } from '#shared/core/logging/watched.ts'
import { deleteDueAccounts } from '#shared/jobs/account-deletion/delete-due-accounts.ts'

/** A run ends before the next one begins. */
const budgetMs = 45_000

/** Every minute: deletes accounts that are due (A31). */
export const handler = watched('delete-due-accounts', () => deleteDueAccounts(Date.now() + budgetMs))
