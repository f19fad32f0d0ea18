import { ApiError } from '../core/errors.ts'
import type { Head } from '../table/head.ts'
import { type Author, commitAfter } from './commit.ts'
import type { Transaction } from './transaction.ts'
import { workTime } from './work-time.ts'

/**
 * Does a change that may not fit one commit in ordered commits. `part` stages as much as has room and says whether more
 * is left; what takes access away comes first. The request's condition counts for the first part.
 * @param timeBudgetMs how long parts are begun; a request must answer before its function ends
 * @param after the state that a commit of the caller has left, for the first part
 * @throws ApiError `unavailable` when the time is over: repeating the request completes it (A29)
 */
export async function commitInParts<T>(
  author: Author,
  part: (transaction: Transaction) => Promise<{ done: T } | 'more'>,
  timeBudgetMs = workTime.request(),
  after?: Head,
): Promise<T> {
  const { accountId, subject, runId, precondition } = author
  const deadline = Date.now() + timeBudgetMs
  let { result, head } = await commitAfter({ accountId, subject, runId, precondition }, part, after)
  while (result === 'more') {
    if (Date.now() > deadline) {
      throw new ApiError('unavailable', 'Part of the change is done. Repeat the request to complete it.')
    }
    ;({ result, head } = await commitAfter({ accountId, subject, runId }, part, head))
  }
  return result.done
}
