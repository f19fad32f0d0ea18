import { isDue } from '../../commit/due.ts'
import { clock, timestamp } from '../../core/clock.ts'
import { type AccountRow, accounts, serviceUniqueKey } from '../../domain/accounts/account.ts'
import { accountVersionKey, entityKey, type Item, type Key } from '../../table/keys.ts'
import { checkExistence, getRow, queryItems } from '../../table/read.ts'
import { remove, removeWhile, writeTogether } from '../../table/write-together.ts'

/** Item with the time and the progress of an account's deletion. */
export type DueAccount = Key & {
  account_id: string
  /** Last key that the pass over the table has processed. */
  cursor?: Key
  /** True for the second pass, after which no more items can arrive. */
  last?: boolean
}

export const dueAccountsPartition = 'service#due.accounts'

/**
 * Builds the item for an account whose deletion is due at the timestamp `at`. After a cancelled deletion, the item stays until that time
 * and is ignored.
 */
export const dueAccountItem = (accountId: string, at: string, last = false): Item & DueAccount => ({
  pk: dueAccountsPartition,
  sk: `${at}#${accountId}`,
  kind: 'due',
  account_id: accountId,
  last,
})

/** Returns the ids of accounts in deletion, whose items are deleted one by one without commits. */
export async function closedAccounts(): Promise<ReadonlySet<string>> {
  const nowText = timestamp(clock.now())
  const due = (await queryItems<DueAccount>(dueAccountsPartition)).filter((item) => item.last || isDue(item, nowText))
  const ids = [...new Set(due.map(({ account_id }) => account_id))]
  const exist = await checkExistence(ids.map((id) => entityKey(id, accounts.name, id)))
  return new Set(ids.filter((_, i) => !exist[i]))
}

/** True once the account's deletion is due and can no longer be cancelled (A32). */
export const isDueForDeletion = ({ is_disabled, delete_at }: AccountRow, nowText: string): boolean =>
  is_disabled && delete_at !== null && delete_at <= nowText

/**
 * Deletes the row of a due account and frees its slug, before the account's other items are deleted. A concurrent commit cannot recreate
 * the row.
 */
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
