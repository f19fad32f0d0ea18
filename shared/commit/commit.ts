import { clock } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { describeError } from '../core/logging/describe-error.ts'
import { measure } from '../core/logging/invocation.ts'
import { logLine } from '../core/logging/log.ts'
import { retryUntil, workTime } from '../core/work/work.ts'
import type { AccountVersion } from '../table/account-version.ts'
import type { Author } from './author.ts'
import { queueChange } from './commit-queue.ts'
import { revokeAll } from './revoke.ts'
import { type Conflict, type WaitingChange, waitingChange } from './staged-commit.ts'
import type { Transaction } from './transaction.ts'

export type { Author }

type CommitResult<T> = {
  result: T
  /** Account version after the commit; undefined if other changes were committed together with this one. */
  version: AccountVersion | undefined
}

async function attempt<T>(
  author: Author,
  change: (transaction: Transaction) => Promise<T>,
  after: AccountVersion | undefined,
): Promise<CommitResult<T> | Conflict> {
  const waiting = waitingChange(author, change, after)
  queueChange(waiting as WaitingChange)
  const outcome = await waiting.outcome
  if ('error' in outcome) return outcome
  const { transaction, isWritten, ...committed } = outcome
  // Throws if the revocation of an empty change fails. A commit record lets the follow-up consumer repeat its revocation.
  await revokeAll(author.accountId, transaction.revocations, isWritten ? transaction.now : undefined)
  return committed
}

/**
 * Maximum pause before a retry, in milliseconds. Grows exponentially up to 600 ms, and is 60 ms from the 13th try on, to avoid starvation.
 */
const pauseMs = (tries: number): number => (tries > 12 ? 60 : Math.min(600, 10 * 2 ** tries))

/**
 * Writes the changes that `change` stages, and the commit record, in one transaction. After a conflict with another commit, runs `change`
 * again on fresh reads.
 * @param deadline end of retries on the monotonic clock, in milliseconds, for a request that makes several commits
 * @throws ApiError `unavailable` if all retries conflict, in which case nothing is changed
 */
export const commit = async <T>(
  author: Author,
  change: (transaction: Transaction) => Promise<T>,
  deadline?: number,
): Promise<T> => (await commitAfter(author, change, undefined, deadline)).result

/** Like `commit`, but first tries with the account version that the caller's previous commit produced (`Transaction.follows`). */
export async function commitAfter<T>(
  author: Author,
  change: (transaction: Transaction) => Promise<T>,
  after?: AccountVersion,
  deadline = retryUntil(workTime.retries()),
): Promise<CommitResult<T>> {
  let baseVersion = after
  let cause: unknown
  let tries = 0
  for (; tries === 0 || clock.monotonic() < deadline; tries++) {
    if (tries > 0) await clock.sleep(Math.random() * pauseMs(tries))
    const outcome = await attempt(author, change, baseVersion)
    if ('result' in outcome) return outcome
    cause = outcome.error
    measure('commits_retried')
    baseVersion = undefined
  }
  logLine('WARN', 'commit_given_up', { account_id: author.accountId, tries, ...describeError(cause) })
  throw new ApiError('unavailable')
}
