import type { Head } from '../table/head.ts'
import type { Cascade } from './cascade.ts'
import type { Author } from './commit.ts'
import { commitInParts } from './commit-in-parts.ts'
import type { Transaction } from './transaction.ts'

/**
 * Does what is left of a change, in as many commits as it takes. When its time is over, the last commit names the cascade,
 * so that the follow-up consumer goes on with it. Harmless to repeat.
 */
export async function finishInParts(
  { accountId, subject, runId }: Author,
  cascade: Cascade,
  stage: (transaction: Transaction) => Promise<'done' | 'more'>,
  budgetMs: number,
  after?: Head,
): Promise<void> {
  const deadline = Date.now() + budgetMs
  await commitInParts<void>(
    { accountId, subject, runId },
    async (transaction) => {
      if ((await stage(transaction)) === 'done') return { done: undefined }
      if (Date.now() < deadline) return 'more'
      transaction.defer(cascade)
      return { done: undefined }
    },
    Number.POSITIVE_INFINITY,
    after,
  )
}
