import type { Item, Key } from '../../table/keys.ts'

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
