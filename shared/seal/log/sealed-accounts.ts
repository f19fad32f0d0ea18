import type { Item } from '../../table/keys.ts'

/** The accounts whose logs are sealed: one item each, for the sealing function to find them. */
export const sealedAccountsPartition = 'service#sealed'

export const sealedAccountItem = (account: string): Item => ({
  pk: sealedAccountsPartition,
  sk: account,
  kind: 'sealed_account',
  // By which the deletion of the account finds it.
  account_id: account,
})
