import { isDue } from '../../commit/due.ts'
import { clock, timestamp } from '../../core/clock.ts'
import { accounts } from '../../domain/accounts/account.ts'
import { entityKey } from '../../table/keys.ts'
import { queryItems, whichExist } from '../../table/read.ts'
import { type DueAccount, dueAccountsPartition } from './due-account.ts'

/** Accounts that are being deleted: their items go one by one, without commits. */
export async function closedAccounts(): Promise<ReadonlySet<string>> {
  const nowText = timestamp(clock.now())
  const due = (await queryItems<DueAccount>(dueAccountsPartition)).filter((item) => item.last || isDue(item, nowText))
  const ids = [...new Set(due.map(({ account_id }) => account_id))]
  const exist = await whichExist(ids.map((id) => entityKey(id, accounts.name, id)))
  return new Set(ids.filter((_, i) => !exist[i]))
}
