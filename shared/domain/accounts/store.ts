import type { AccountRow } from './account.ts'
import { countMonthlyActiveUsers } from './monthly-active-users.ts'
import { readCounts } from './read-counts.ts'
import { limitsOf } from './usage.ts'

/** The caller's account with the use of its limits (A11). */
export async function get(account: AccountRow) {
  const counts = await readCounts(account.id)
  const active = account.limits.monthly_active_users_count === null ? 0 : await countMonthlyActiveUsers(account.id)
  return { data: { ...account, limits: limitsOf(account, counts, active) } }
}
