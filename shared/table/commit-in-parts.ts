import { type Author, commit, maxWrites } from './commit.ts'
import type { Transaction } from './transaction.ts'

/** Room that a part leaves for the deletion of one more row with its edges and counters. */
const roomPerRow = 25

/** Whether another row still fits the commit. */
export const hasRoom = (transaction: Transaction): boolean => transaction.size <= maxWrites - roomPerRow

/**
 * Does a change that may not fit one commit in ordered commits. `part` stages as much as has room and says whether more
 * is left; what takes access away comes first. The request's condition counts for the first part. When it stops part-way, repeating the request completes it (A15.6).
 */
export async function commitInParts<T>(
  author: Author,
  part: (transaction: Transaction) => Promise<{ done: T } | 'more'>,
): Promise<T> {
  const { accountId, subject, precondition } = author
  let outcome = await commit({ accountId, subject, precondition }, part)
  while (outcome === 'more') outcome = await commit({ accountId, subject }, part)
  return outcome.done
}
