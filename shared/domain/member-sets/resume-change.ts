import { commit } from '../../commit/commit.ts'
import { readPending } from './pending-change.ts'

/**
 * Hands what is pending for a set to the follow-up consumer, with the subject that ordered it: the request that has begun
 * it may have died (A15.6). Harmless when it has not.
 */
export async function resumeChange(accountId: string, collection: string, ownerId: string): Promise<void> {
  const [part] = await readPending(accountId, collection, ownerId, 1)
  if (!part) return
  await commit({ accountId, subject: part.subject }, async (transaction) =>
    transaction.defer({ below: collection, id: ownerId, change: part.change }),
  )
}
