import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { isConflict, isTransient } from '../core/transient-error.ts'
import type { AccountVersion } from '../table/account-version.ts'
import { accountVersionKey, commitKey } from '../table/keys.ts'
import { packLarge } from '../table/large-attributes.ts'
import { getItem } from '../table/read.ts'
import { table } from '../table/table.ts'
import { putIf, type Write } from '../table/write-together.ts'
import { commitItem } from './commit-record.ts'
import type { StagedCommit } from './staged-commit.ts'
import { addCounts, counterWrites } from './staged-row.ts'
import { maxWrites, type Transaction } from './transaction.ts'

const nextVersion = (version: AccountVersion, transaction: Transaction): AccountVersion => ({
  sequence: version.sequence + 1,
  clock: transaction.now,
  counts: transaction.counts(),
  leaves: version.leaves + transaction.changes().length,
})

function recordOf({ waiting, transaction, commitId }: StagedCommit, version: AccountVersion) {
  const { accountId, subject, runId } = waiting.author
  const sequence = version.sequence + 1
  return commitItem(commitKey(accountId, sequence), {
    account_id: accountId,
    commit_id: commitId,
    sequence,
    time: transaction.now,
    first_leaf: version.leaves,
    subject,
    ...(runId !== undefined && { run_id: runId }),
    changes: transaction.changes(),
    rows: transaction.rows(commitId),
    revocations: transaction.revocations,
    follow_ups: transaction.followUps,
  })
}

const packWrite = (write: Write): Write =>
  write.Put ? { Put: { ...write.Put, Item: packLarge(write.Put.Item ?? {}) } } : write

/** Orders the changes one after the other, and builds the writes of their commits and the resulting account version. */
function buildWrites(accountId: string, version: AccountVersion, changes: StagedCommit[]) {
  const records: Write[] = []
  const others: Write[] = []
  const rowCounts = new Map<string, number>()
  let next = version
  for (const change of changes) {
    const { transaction, responseWrites } = change
    transaction.rebase(next)
    // Never overwrites a commit record, even if the account version was restored to an older state.
    records.push(putIf(packLarge(recordOf(change, next)), null))
    others.push(...transaction.itemWrites().map(packWrite), ...responseWrites)
    addCounts(rowCounts, transaction.rowCounts())
    next = nextVersion(next, transaction)
  }
  const expected = version.sequence === 0 ? null : { sequence: version.sequence }
  const versionWrite = putIf({ ...accountVersionKey(accountId), kind: 'account_version', ...next }, expected)
  return { next, writes: [versionWrite, ...records, ...others, ...counterWrites(rowCounts)] }
}

/** True if a write whose response was lost has succeeded: the commit record then exists at the expected sequence. */
async function wasCommitted(account: string, sequence: number, commitId: string): Promise<boolean> {
  const record = await getItem(commitKey(account, sequence))
  return record?.commit_id === commitId
}

/**
 * Outcome of a transaction: the resulting account version, or an error. A conflict can end with a retry. A fatal error cannot, and a failed
 * condition of one of several changes may be either. These three have changed nothing.
 */
type Written = { next: AccountVersion } | { error: unknown; kind: 'conflict' | 'condition' | 'fatal' | 'unknown' }

/** True if a condition other than that on the account version, which is the first write, has failed. */
const isOwnCondition = ({ CancellationReasons = [] }: TransactionCanceledException): boolean =>
  CancellationReasons.some(({ Code }, i) => i > 0 && Code === 'ConditionalCheckFailed')

/** Writes the commits of the changes in one transaction. If the response is lost, looks for the first commit record. */
export async function writeCommits(
  accountId: string,
  version: AccountVersion,
  changes: [StagedCommit, ...StagedCommit[]],
): Promise<Written> {
  const [{ commitId }] = changes
  try {
    const { next, writes } = buildWrites(accountId, version, changes)
    if (writes.length > maxWrites)
      throw new Error(`A commit of ${writes.length} writes does not fit into one transaction.`)
    const transaction = { TransactItems: writes, ClientRequestToken: commitId }
    return await table()
      .send(new TransactWriteCommand(transaction))
      .then(
        () => ({ next }),
        (error: unknown) => outcomeOf(error, next),
      )
  } catch (error) {
    return { error, kind: 'fatal' }
  }

  async function outcomeOf(error: unknown, next: AccountVersion): Promise<Written> {
    if (error instanceof TransactionCanceledException) {
      if (!isConflict(error)) return { error, kind: 'fatal' }
      return { error, kind: isOwnCondition(error) ? 'condition' : 'conflict' }
    }
    if (!isTransient(error)) return { error, kind: 'fatal' }
    try {
      const wasWritten = await wasCommitted(accountId, version.sequence + 1, commitId)
      return wasWritten ? { next } : { error, kind: 'conflict' }
    } catch (readError) {
      return { error: readError, kind: 'unknown' }
    }
  }
}
