import { randomUUID } from 'node:crypto'
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { clock } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { describeError } from '../core/logging/describe-error.ts'
import { measure } from '../core/logging/invocation.ts'
import { logLine } from '../core/logging/log.ts'
import type { Subject } from '../core/subject.ts'
import { isConflict, isTransient } from '../core/transient-error.ts'
import { TaskQueue } from '../core/work/task-queue.ts'
import { noteChange, retryUntil, workTime } from '../core/work/work.ts'
import { type AccountVersion, readAccountVersion } from '../table/account-version.ts'
import { accountVersionKey, commitKey } from '../table/keys.ts'
import { packLarge } from '../table/large-attributes.ts'
import { getItem } from '../table/read.ts'
import { table } from '../table/table.ts'
import { putIf, type Write } from '../table/write-together.ts'
import { commitItem } from './commit-record.ts'
import { revokeAll } from './revoke.ts'
import { maxWrites, Transaction } from './transaction.ts'

/** Author and rules of a commit. A null `subject` is the service itself (L5). */
export type Author = {
  accountId: string
  subject: Subject | null
  /** Scopes of the caller's token (A3.2); missing when the service itself makes the change. */
  scopes?: readonly string[]
  /** The sync run that makes the change (I4.7). */
  runId?: string
  /** Runs the change only if the request's `If-Match` precondition is met when the commit is made (A8.2). */
  precondition?: <T>(change: () => Promise<T>) => Promise<T>
  /** Returns a write that stores the response in the same transaction as the commit, for idempotent retries (A8.3). */
  responseWrite?: (result: unknown) => Promise<NonNullable<Write['Put']>>
}

function nextVersionAndRecord(author: Author, version: AccountVersion, transaction: Transaction, commitId: string) {
  const { accountId, subject, runId } = author
  const sequence = version.sequence + 1
  const changes = transaction.changes()
  const leaves = version.leaves + changes.length
  const next: AccountVersion = { sequence, clock: transaction.now, counts: transaction.counts(), leaves }
  const record = commitItem(commitKey(accountId, sequence), {
    account_id: accountId,
    commit_id: commitId,
    sequence,
    time: transaction.now,
    first_leaf: version.leaves,
    subject,
    ...(runId !== undefined && { run_id: runId }),
    changes,
    rows: transaction.rows(commitId),
    revocations: transaction.revocations,
    follow_ups: transaction.followUps,
  })
  const expected = version.sequence === 0 ? null : { sequence: version.sequence }
  // Never overwrites a commit record, even if the account version was restored to an older state.
  const writes = [
    putIf({ ...accountVersionKey(accountId), kind: 'account_version', ...next }, expected),
    putIf(packLarge(record), null),
  ]
  return { next, writes }
}

const packWrite = (write: Write): Write =>
  write.Put ? { Put: { ...write.Put, Item: packLarge(write.Put.Item ?? {}) } } : write

/** True if a write whose response was lost has succeeded: the commit record then exists at the expected sequence. */
async function wasCommitted(account: string, sequence: number, commitId: string): Promise<boolean> {
  const record = await getItem(commitKey(account, sequence))
  return record?.commit_id === commitId
}

type CommitResult<T> = { result: T; version: AccountVersion }

/** Error of a commit that conflicted with another commit or was throttled. The caller retries the change after fresh reads. */
type Conflict = { error: unknown }

/** Writes the commit. If the response is lost, looks for the commit record. @throws any error that a retry would repeat */
async function write(account: string, sequence: number, commitId: string, items: Write[]): Promise<Conflict | null> {
  noteChange('unknown')
  try {
    await table().send(new TransactWriteCommand({ TransactItems: items, ClientRequestToken: commitId }))
  } catch (error) {
    const isRetryable = error instanceof TransactionCanceledException ? isConflict(error) : isTransient(error)
    const isUncertain = isRetryable && !(error instanceof TransactionCanceledException)
    if (!isUncertain || !(await wasCommitted(account, sequence, commitId))) {
      noteChange('nothing')
      if (isRetryable) return { error }
      throw error
    }
  }
  noteChange('something')
  return null
}

async function attempt<T>(
  author: Author,
  change: (transaction: Transaction) => Promise<T>,
  after: AccountVersion | undefined,
): Promise<CommitResult<T> | Conflict> {
  const version = after ?? (await readAccountVersion(author.accountId))
  const now = Math.max(clock.now(), version.clock + 1)
  const transaction = new Transaction(author.accountId, version, now, after !== undefined)
  const stageChange = () => change(transaction)
  const result = await (author.precondition ? author.precondition(stageChange) : stageChange())
  const writes = transaction.writes()
  if (writes.length + transaction.followUps.length === 0) {
    // Throws if the revocation fails, because an empty change has no commit record from which the follow-up consumer could repeat it.
    await revokeAll(author.accountId, transaction.revocations)
    return { result, version }
  }

  const commitId = randomUUID()
  const { next, writes: versionAndRecord } = nextVersionAndRecord(author, version, transaction, commitId)
  const items = [...versionAndRecord, ...writes.map(packWrite)]
  if (author.responseWrite) items.push({ Put: await author.responseWrite(result) })
  if (items.length > maxWrites) throw new Error(`A commit of ${items.length} writes does not fit into one transaction.`)
  const conflict = await write(author.accountId, next.sequence, commitId, items)
  if (conflict) return conflict
  // If the revocation fails, the follow-up consumer repeats it from the commit record.
  await revokeAll(author.accountId, transaction.revocations, transaction.now)
  return { result, version: next }
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
    const outcome = await queueCommit(author.accountId, () => attempt(author, change, baseVersion))
    if ('result' in outcome) return outcome
    cause = outcome.error
    measure('commits_retried')
    baseVersion = undefined
  }
  logLine('WARN', 'commit_given_up', { account_id: author.accountId, tries, ...describeError(cause) })
  throw new ApiError('unavailable')
}

/** Maximum number of concurrent commits per account and process. With more, all but one would conflict. */
const maxConcurrentCommits = 2

const queues = new Map<string, TaskQueue>()

/** Runs the tasks of an account in the order of the calls, at most `maxConcurrentCommits` at a time. */
export async function queueCommit<T>(accountId: string, task: () => Promise<T>): Promise<T> {
  const queue = queues.get(accountId) ?? new TaskQueue(maxConcurrentCommits)
  queues.set(accountId, queue)
  try {
    return await queue.run(task)
  } finally {
    if (queue.isIdle && queues.get(accountId) === queue) queues.delete(accountId)
  }
}
