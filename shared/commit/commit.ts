import { randomUUID } from 'node:crypto'
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { clock } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { describeError } from '../core/logging/describe-error.ts'
import { measure } from '../core/logging/invocation.ts'
import { logLine } from '../core/logging/log.ts'
import { isLostRace, isPassing } from '../core/passing-error.ts'
import type { Subject } from '../core/subject.ts'
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

/** The account, and the subject that the change log names (null: the service itself, L5). */
export type Author = {
  accountId: string
  subject: Subject | null
  /** The scopes of the caller (A3.2); missing where the service itself makes the change. */
  scopes?: readonly string[]
  /** The sync run that is at work (I4.7). */
  runId?: string
  /** Runs the change if the condition of its request holds on the state that the commit is based on (A8.2). */
  precondition?: <T>(change: () => Promise<T>) => Promise<T>
  /** Keeps the answer of the request together with its commit, so that no crash comes between the two (A8.3). */
  keepAnswer?: (result: unknown) => Promise<NonNullable<Write['Put']>>
}

/** The account version after a commit, and the record of it. */
function headAndRecord(author: Author, head: AccountVersion, transaction: Transaction, commitId: string) {
  const { accountId, subject, runId } = author
  const sequence = head.sequence + 1
  const changes = transaction.changes()
  const leaves = head.leaves + changes.length
  const next: AccountVersion = { sequence, clock: transaction.now, counts: transaction.counts(), leaves }
  const record = commitItem(commitKey(accountId, sequence), {
    account_id: accountId,
    commit_id: commitId,
    sequence,
    time: transaction.now,
    first_leaf: head.leaves,
    subject,
    ...(runId !== undefined && { run_id: runId }),
    changes,
    rows: transaction.rows(commitId),
    revocations: transaction.revocations,
    follow_ups: transaction.followUps,
  })
  const expected = head.sequence === 0 ? null : { sequence: head.sequence }
  // A record is never written over, also where the account version is behind.
  const writes = [
    putIf({ ...accountVersionKey(accountId), kind: 'account_version', ...next }, expected),
    putIf(packLarge(record), null),
  ]
  return { next, writes }
}

const packed = (write: Write): Write =>
  write.Put ? { Put: { ...write.Put, Item: packLarge(write.Put.Item ?? {}) } } : write

/** Tells if a write whose answer was lost was done: then its commit record stands at the expected sequence. */
async function happened(account: string, sequence: number, commitId: string): Promise<boolean> {
  const record = await getItem(commitKey(account, sequence))
  return record?.commit_id === commitId
}

/** The result of a change, and the account version that it left. */
type Committed<T> = { result: T; head: AccountVersion }

/** A commit that another came before, or that the table did not take: it is tried again on fresh state. */
type Lost = { lost: unknown }

/** Writes the commit; reads its record where the answer is lost. @throws the error of a write that would fail again */
async function write(account: string, sequence: number, commitId: string, items: Write[]): Promise<Lost | null> {
  noteChange('unknown')
  try {
    await table().send(new TransactWriteCommand({ TransactItems: items, ClientRequestToken: commitId }))
  } catch (error) {
    const passes = error instanceof TransactionCanceledException ? isLostRace(error) : isPassing(error)
    const isOpen = passes && !(error instanceof TransactionCanceledException)
    if (!isOpen || !(await happened(account, sequence, commitId))) {
      noteChange('nothing')
      if (passes) return { lost: error }
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
): Promise<Committed<T> | Lost> {
  const head = after ?? (await readAccountVersion(author.accountId))
  const now = Math.max(clock.now(), head.clock + 1)
  const transaction = new Transaction(author.accountId, head, now, after !== undefined)
  const changed = () => change(transaction)
  const result = await (author.precondition ? author.precondition(changed) : changed())
  const writes = transaction.writes()
  if (writes.length + transaction.followUps.length === 0) {
    // Nothing changes, so nothing is recorded for a repetition: what breaks off here is repeated by the caller.
    await revokeAll(author.accountId, transaction.revocations)
    return { result, head }
  }

  const commitId = randomUUID()
  const { next, writes: own } = headAndRecord(author, head, transaction, commitId)
  const items = [...own, ...writes.map(packed)]
  if (author.keepAnswer) items.push({ Put: await author.keepAnswer(result) })
  if (items.length > maxWrites) throw new Error(`A commit of ${items.length} writes does not fit one transaction.`)
  const lost = await write(author.accountId, next.sequence, commitId, items)
  if (lost) return lost
  // Should this fail, the follow-up consumer does it: the record names it.
  await revokeAll(author.accountId, transaction.revocations, transaction.now)
  return { result, head: next }
}

/** Longer with every lost race, so that a crowd thins out; short again for one that has lost many, so that it gets its turn. */
const pauseMs = (tries: number): number => (tries > 12 ? 60 : Math.min(600, 10 * 2 ** tries))

/**
 * Changes an account's data: writes what `change` stages with the commit record, unless another commit came between. A
 * lost race runs `change` again on fresh state.
 * @param deadline end of the tries, in milliseconds since 1970; for a request that waits for more than one commit
 * @throws ApiError `unavailable` when it does not get through; nothing is changed then
 */
export const commit = async <T>(
  author: Author,
  change: (transaction: Transaction) => Promise<T>,
  deadline?: number,
): Promise<T> => (await commitAfter(author, change, undefined, deadline)).result

/** Commits first on the state that an earlier commit of the caller left; `follows` is true while that is the state. */
export async function commitAfter<T>(
  author: Author,
  change: (transaction: Transaction) => Promise<T>,
  after?: AccountVersion,
  deadline = retryUntil(workTime.retries()),
): Promise<Committed<T>> {
  let known = after
  let cause: unknown
  let tries = 0
  for (; tries === 0 || clock.monotonic() < deadline; tries++) {
    if (tries > 0) await clock.sleep(Math.random() * pauseMs(tries))
    const outcome = await queueCommit(author.accountId, () => attempt(author, change, known))
    if ('result' in outcome) return outcome
    cause = outcome.lost
    measure('commits_retried')
    known = undefined
  }
  logLine('WARN', 'commit_given_up', { account_id: author.accountId, tries, ...describeError(cause) })
  throw new ApiError('unavailable')
}

/** As many commits of an account run at a time in one process; of more, all but one would only lose their race. */
const atOnce = 2

const lines = new Map<string, TaskQueue>()

/** Runs a task of an account when it is its turn, in the order of asking. */
export async function queueCommit<T>(accountId: string, task: () => Promise<T>): Promise<T> {
  const line = lines.get(accountId) ?? new TaskQueue(atOnce)
  lines.set(accountId, line)
  try {
    return await line.run(task)
  } finally {
    if (line.isIdle && lines.get(accountId) === line) lines.delete(accountId)
  }
}
