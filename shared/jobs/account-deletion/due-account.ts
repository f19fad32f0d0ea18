import { isDue } from '../../commit/due.ts'
import { clock, timestamp } from '../../core/clock.ts'
import { type AccountRow, accounts, serviceUniqueKey } from '../../domain/accounts/account.ts'
import { accountVersionKey, entityKey, type Item, type Key } from '../../table/keys.ts'
import { checkExistence, getRow, queryItems } from '../../table/read.ts'
import { remove, removeWhile, writeTogether } from '../../table/write-together.ts'

/** The item that says when an account is to be deleted, and how far the deletion has come. */
export type DueAccount = Key & {
  account_id: string
  /** The last key that the pass over the table has done. */
  cursor?: Key
  /** True for the second pass, after which no more items can arrive. */
  last?: boolean
}

export const dueAccountsPartition = 'service#due.accounts'

/** Stays until the deletion is through; if that was called off, it leads nowhere. `at` is a timestamp as rows hold them. */
export const dueAccountItem = (accountId: string, at: string, last = false): Item & DueAccount => ({
  pk: dueAccountsPartition,
  sk: `${at}#${accountId}`,
  kind: 'due',
  account_id: accountId,
  last,
})

/** Accounts that are being deleted: their items go one by one, without commits. */
export async function closedAccounts(): Promise<ReadonlySet<string>> {
  const nowText = timestamp(clock.now())
  const due = (await queryItems<DueAccount>(dueAccountsPartition)).filter((item) => item.last || isDue(item, nowText))
  const ids = [...new Set(due.map(({ account_id }) => account_id))]
  const exist = await checkExistence(ids.map((id) => entityKey(id, accounts.name, id)))
  return new Set(ids.filter((_, i) => !exist[i]))
}

/** True from the instant at which an account is deleted; the deletion cannot be called off any more (A32). */
export const isDueForDeletion = ({ is_disabled, delete_at }: AccountRow, nowText: string): boolean =>
  is_disabled && delete_at !== null && delete_at <= nowText

/** Deletes the row of a due account before its other items, and frees its slug. No commit under way revives it. */
export async function closeAccount(id: string, nowText: string): Promise<'closed' | 'called off' | 'changing'> {
  const account = await getRow(accounts, id, id)
  if (!account) return 'closed'
  if (!isDueForDeletion(account, nowText)) return 'called off'
  const outcome = await writeTogether([
    removeWhile(entityKey(id, accounts.name, id), { updated_at: account.updated_at }),
    remove(accountVersionKey(id)),
    remove(serviceUniqueKey('slug', account.slug)),
    remove(serviceUniqueKey('key', account.key)),
  ])
  return outcome === 'done' ? 'closed' : 'changing'
}
