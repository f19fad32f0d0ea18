import type { Transaction } from '../../commit/transaction.ts'
import { type Key, partition } from '../../table/keys.ts'
import { getItem, queryItems } from '../../table/read.ts'

export const goneUsersPartition = (account: string): string => partition(account, 'v0_users.gone')

const goneKey = (account: string, userId: string): Key => ({ pk: goneUsersPartition(account), sk: userId })

/** Marks a deleted user whose devices and rules are still being deleted: what is left of them is invisible (15.2). */
export const markGone = (transaction: Transaction, userId: string): void =>
  transaction.put({ ...goneKey(transaction.accountId, userId), kind: 'gone' })

export async function unmarkGone(transaction: Transaction, userId: string): Promise<void> {
  const key = goneKey(transaction.accountId, userId)
  if (await getItem(key)) transaction.remove(key)
}

/** True while devices or rules of this deleted user are still being deleted. */
export const isGone = async (account: string, userId: string): Promise<boolean> =>
  (await getItem(goneKey(account, userId))) !== undefined

/** The deleted users whose devices or rules are still there; nearly always none. */
export async function goneUsers(account: string): Promise<Set<string>> {
  const marks = await queryItems(goneUsersPartition(account))
  return new Set(marks.map(({ sk }) => String(sk)))
}
