import type { Transaction } from '../../commit/transaction.ts'
import type { Item } from '../../table/keys.ts'
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

const isCompared = (account: Pick<AccountRow, 'limits'> | null): boolean =>
  account !== null && compared.some((name) => account.limits[name] !== null)

/** Notes with a change of an account whether it has limits to compare. */
export function noteLimits(transaction: Transaction, before: AccountRow | null, after: AccountRow): void {
  if (isCompared(before) === isCompared(after)) return
  const item = limitedAccountItem(after.id)
  if (isCompared(after)) transaction.put(item)
  else transaction.remove(item)
}
