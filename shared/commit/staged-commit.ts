import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { AccountVersion } from '../table/account-version.ts'
import { KeySet, recordReads } from '../table/key-set.ts'
import type { Write } from '../table/write-together.ts'
import type { Author } from './author.ts'
import { Transaction } from './transaction.ts'

/** Error of a commit that conflicted with another commit or was throttled. The caller retries the change after fresh reads. */
export type Conflict = { error: unknown }

export type Outcome<T> =
  | Conflict
  | { result: T; version: AccountVersion | undefined; transaction: Transaction; isWritten: boolean }

/** Change that waits for its commit. */
export type WaitingChange<T = unknown> = ReturnType<typeof waitingChange<T>>

export function waitingChange<T>(
  author: Author,
  change: (transaction: Transaction) => Promise<T>,
  after: AccountVersion | undefined,
) {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome<T>>()
  return {
    author,
    change,
    /** Account version after the caller's previous commit, on which this change is based. */
    after,
    /**
     * True for a change that must not share a transaction: it continues an earlier commit of its caller, or was in a transaction that failed
     * for one of its changes.
     */
    mustBeAlone: after !== undefined,
    outcome: promise,
    resolve,
    reject,
    /** Runs work in the context of the waiting request, to which log lines, deadlines and error details belong. */
    inContext: AsyncLocalStorage.snapshot(),
  }
}

/** Change staged on an account version, with everything that it has read. */
export type StagedCommit = {
  waiting: WaitingChange
  transaction: Transaction
  reads: KeySet
  result: unknown
  commitId: string
  /** Write of the response for idempotent retries (A8.3). */
  responseWrites: Write[]
}

/**
 * Runs a change on an account version. Returns null if the change failed or staged nothing, in which case its caller has the outcome.
 * @param now time of the commit in microseconds
 */
export async function stageChange(
  waiting: WaitingChange,
  version: AccountVersion,
  now: number,
): Promise<StagedCommit | null> {
  const { author, change, after } = waiting
  const transaction = new Transaction(author.accountId, version, now, after !== undefined)
  const reads = new KeySet()
  const run = async () => {
    const result = await change(transaction)
    await transaction.stageChunks()
    return result
  }
  try {
    return await waiting.inContext(async () => {
      const result = await recordReads(reads, () => (author.precondition ? author.precondition(run) : run()))
      if (transaction.itemWrites().length + transaction.followUps.length === 0) {
        waiting.resolve({ result, version, transaction, isWritten: false })
        return null
      }
      const responseWrites = author.responseWrite ? [{ Put: await author.responseWrite(result) }] : []
      return { waiting, transaction, reads, result, commitId: randomUUID(), responseWrites }
    })
  } catch (error) {
    waiting.reject(error)
    return null
  }
}
