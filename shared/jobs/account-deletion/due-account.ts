import type { Item, Key } from '../../table/keys.ts'

/** What says when an account is deleted, and how far that has come. */
export type DueAccount = Key & {
  account_id: string
  /** Where the pass over the table goes on. */
  cursor?: Key
  /** Whether this pass is the second one, after which nothing can come any more. */
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
