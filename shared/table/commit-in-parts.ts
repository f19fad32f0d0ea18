import { type Author, commit } from './commit.ts'
import type { Transaction } from './transaction.ts'

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
