import { clock } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { workTime } from '../core/work/work.ts'
import type { AccountVersion } from '../table/account-version.ts'
import { type Author, commitAfter } from './commit.ts'
import type { FollowUp } from './commit-record.ts'
import type { Transaction } from './transaction.ts'

/**
 * Makes a large change in several ordered commits. Each call of `part` stages the changes of one commit, revocations first. It is called
 * again with the same index if the commit is repeated. The request's precondition is checked only with the first commit.
 * @param timeBudgetMs time within which new commits start, because a request must respond before its function ends
 * @param after account version after an earlier commit of the caller, from which the first commit starts
 * @throws ApiError `unavailable` when the time is over; repeating the request completes the change (A29)
 */
export async function commitInParts<T>(
  author: Author,
  part: (transaction: Transaction, index: number) => Promise<{ done: T } | 'more'>,
  timeBudgetMs = workTime.request(),
  after?: AccountVersion,
): Promise<T> {
  const { accountId, subject, runId, precondition } = author
  const deadline = clock.monotonic() + timeBudgetMs
  const stage = (index: number) => (transaction: Transaction) => part(transaction, index)
  let { result, version } = await commitAfter({ accountId, subject, runId, precondition }, stage(0), after)
  for (let index = 1; result === 'more'; index++) {
    if (clock.monotonic() > deadline) {
      throw new ApiError('unavailable', 'Only part of the change was made. Repeat the request to complete it.')
    }
    ;({ result, version } = await commitAfter({ accountId, subject, runId }, stage(index), version))
  }
  return result.done
}

/** Finishes a deferred change. If the time budget runs out, the last commit defers the rest to the follow-up consumer. Idempotent. */
export async function finishInParts(
  { accountId, subject, runId }: Author,
  followUp: FollowUp,
  stage: (transaction: Transaction) => Promise<'done' | 'more'>,
  budgetMs: number,
  after?: AccountVersion,
): Promise<void> {
  const deadline = clock.monotonic() + budgetMs
  await commitInParts<void>(
    { accountId, subject, runId },
    async (transaction) => {
      if ((await stage(transaction)) === 'done') return { done: undefined }
      if (clock.monotonic() < deadline) return 'more'
      transaction.defer(followUp)
      return { done: undefined }
    },
    Number.POSITIVE_INFINITY,
    after,
  )
}
