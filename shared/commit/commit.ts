import { randomUUID } from 'node:crypto'
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import { isPassing } from '../core/aws/passing-error.ts'
import { clock } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { describeError } from '../core/logging/describe-error.ts'
import { measure } from '../core/logging/invocation.ts'
import { logLine } from '../core/logging/log.ts'
import type { Subject } from '../core/subject.ts'
import { waiting } from '../core/work/waiting.ts'
import { noteChange, retryUntil } from '../core/work/work.ts'
import { table } from '../table/client.ts'
import { TransactWriteCommand } from '../table/commands.ts'
import { type Head, readHead } from '../table/head.ts'
import { commitKey, headKey, type Item } from '../table/keys.ts'
import { packLarge } from '../table/large-attributes.ts'
import { isLostRace } from '../table/lost-race.ts'
import { getItem } from '../table/read.ts'
import { TransactionCanceledException } from '../table/refused-write.ts'
import { putOver } from '../table/write-together.ts'
import { queueCommit } from './commit-queue.ts'
import { type Change, commitItem } from './commit-record.ts'
import { countedHead } from './counted-head.ts'
import { revokeAll } from './revoke.ts'
import { maxWrites, Transaction } from './transaction.ts'

type Write = NonNullable<TransactWriteCommandInput['TransactItems']>[number]

/** Who changes what: the account, and the subject that the change log names (null: the service itself, L5). */
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

/** Below the 30 s after which API Gateway stops waiting. */
export const commitPatienceMs = 22_000

const nextHead = ({ sequence, leaves }: Head, transaction: Transaction, changes: Change[]): Head => ({
  sequence: sequence + 1,
  clock: transaction.now,
  counts: transaction.counts(),
  ...(leaves !== undefined && { leaves: leaves + changes.length }),
})

const headWrite = (account: string, head: Head, next: Head): Write =>
  putOver({ ...headKey(account), kind: 'head', ...next }, head.sequence === 0 ? null : { sequence: head.sequence })

function commitRecord(author: Author, head: Head, transaction: Transaction, changes: Change[], commitId: string): Item {
  const record = commitItem(commitKey(author.accountId, head.sequence + 1), {
    account_id: author.accountId,
    commit_id: commitId,
    sequence: head.sequence + 1,
    time: transaction.now,
    first_leaf: head.leaves ?? null,
    subject: author.subject,
    ...(author.runId !== undefined && { run_id: author.runId }),
    changes,
    rows: transaction.rows(commitId),
    revocations: transaction.revocations,
    cascades: transaction.cascades,
  })
  return packLarge(record)
}

const packed = (write: Write): Write =>
  write.Put ? { Put: { ...write.Put, Item: packLarge(write.Put.Item ?? {}) } } : write

/** Tells if a write whose answer was lost was done: then its commit record stands at the expected sequence. */
async function happened(account: string, sequence: number, commitId: string): Promise<boolean> {
  const record = await getItem(commitKey(account, sequence))
  return record?.commit_id === commitId
}

/** What a change came to, and the head item that it left. */
type Committed<T> = { result: T; head: Head }

/** A commit that another came before, or that the table did not take: it is tried again on fresh state. */
type Lost = { lost: unknown }

/**
 * Writes the commit, and finds out what became of it where the table does not say.
 * @throws the error of a write that would fail again: denied, invalid, too large
 */
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
  after: Head | undefined,
): Promise<Committed<T> | Lost> {
  const head = await countedHead(author.accountId, after ?? (await readHead(author.accountId)))
  const now = Math.max(clock.now(), head.clock + 1)
  const transaction = new Transaction(author.accountId, head, now, after !== undefined)
  const changed = () => change(transaction)
  const result = await (author.precondition ? author.precondition(changed) : changed())
  const writes = transaction.writes()
  if (writes.length + transaction.cascades.length === 0) {
    // Nothing changes, so nothing is recorded for a repetition: what breaks off here is repeated by the caller.
    await revokeAll(author.accountId, transaction.revocations)
    return { result, head }
  }

  const commitId = randomUUID()
  const changes = transaction.changes()
  const next = nextHead(head, transaction, changes)
  // What is on record is never written over, also where the head item says less than there is.
  const record = putOver(commitRecord(author, head, transaction, changes, commitId), null)
  const items = [headWrite(author.accountId, head, next), record, ...writes.map(packed)]
  if (author.keepAnswer) items.push({ Put: await author.keepAnswer(result) })
  if (items.length > maxWrites) throw new Error(`A commit of ${items.length} writes does not fit one transaction.`)
  const lost = await write(author.accountId, head.sequence + 1, commitId, items)
  if (lost) return lost
  // Should this fail, the follow-up consumer does it: the record names it.
  await revokeAll(author.accountId, transaction.revocations, transaction.now)
  return { result, head: next }
}

/** Longer with every lost race, so that a crowd thins out; short again for one that has lost many, so that it gets its turn. */
const pauseMs = (tries: number): number => (tries > 12 ? 60 : Math.min(600, 10 * 2 ** tries))

/**
 * The one way to change an account's data: stages the changes of `change`, which reads what it needs through the
 * transaction, and writes them with their commit record, on the condition that no other commit came between. A lost
 * race runs `change` again on fresh state.
 * @param deadline until when it is tried, in milliseconds since 1970; for a request that waits for more than one commit
 * @throws ApiError `unavailable` when it does not get through; nothing is changed then.
 */
export const commit = async <T>(
  author: Author,
  change: (transaction: Transaction) => Promise<T>,
  deadline?: number,
): Promise<T> => (await commitAfter(author, change, undefined, deadline)).result

/**
 * The same, first on the state that an earlier commit of the caller has left, without reading it again. Where that is
 * the state still, `change` is told so by the transaction's `follows`.
 */
export async function commitAfter<T>(
  author: Author,
  change: (transaction: Transaction) => Promise<T>,
  after?: Head,
  deadline = retryUntil(commitPatienceMs),
): Promise<Committed<T>> {
  let known = after
  let cause: unknown
  let tries = 0
  for (; tries === 0 || waiting.now() < deadline; tries++) {
    if (tries > 0) await waiting.sleep(Math.random() * pauseMs(tries))
    const outcome = await queueCommit(author.accountId, () => attempt(author, change, known))
    if ('result' in outcome) return outcome
    cause = outcome.lost
    measure('commits_retried')
    known = undefined
  }
  logLine('WARN', 'commit_given_up', { account_id: author.accountId, tries, ...describeError(cause) })
  throw new ApiError('unavailable')
}
