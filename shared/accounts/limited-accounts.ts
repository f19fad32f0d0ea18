import type { Item } from '../table/keys.ts'
import type { Transaction } from '../table/transaction.ts'
import type { AccountRow, LimitName } from './account.ts'

/** The accounts that have a limit which the half-hourly job compares (A11). */
export const limitedAccountsPartition = 'service#limited'

const compared: LimitName[] = [
  'users_count',
  'monthly_active_users_count',
  'service_accounts_count',
  'account_admin_users_count',
  'sites_count',
]

const limitedAccountItem = (accountId: string): Item => ({
  pk: limitedAccountsPartition,
  sk: accountId,
  kind: 'limited',
  account_id: accountId,
})

/** Notes with a change of an account's limits whether there are any to compare. */
export function noteLimits(transaction: Transaction, { id, limits }: Pick<AccountRow, 'id' | 'limits'>): void {
  const item = limitedAccountItem(id)
  if (compared.some((name) => limits[name] !== null)) transaction.put(item)
  else transaction.remove(item)
}
