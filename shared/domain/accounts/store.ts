import { headKey } from '../../table/keys.ts'
import { getItem } from '../../table/read.ts'
import type { AccountRow } from './account.ts'
import { countMonthlyActiveUsers } from './monthly-active-users.ts'
import { limitsOf } from './usage.ts'

/** The caller's account with the use of its limits (A11). */
export async function get(account: AccountRow) {
  const head = await getItem(headKey(account.id))
  const counts = (head?.counts ?? {}) as Record<string, number>
  const active = account.limits.monthly_active_users_count === null ? 0 : await countMonthlyActiveUsers(account.id)
  return { data: { ...account, limits: limitsOf(account, counts, active) } }
}
