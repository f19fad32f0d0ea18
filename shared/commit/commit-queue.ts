import { clock } from '../core/clock.ts'
import { type ChangeOutcome, noteChange } from '../core/work/work.ts'
import { type AccountVersion, readAccountVersion } from '../table/account-version.ts'
import { selectCompatible } from './select-compatible.ts'
import { type StagedCommit, stageChange, type WaitingChange } from './staged-commit.ts'
import { writeCommits } from './write-commits.ts'

/** Maximum number of changes staged for one transaction. Most changes take at least three of its 100 writes. */
const maxTogether = 32

/**
 * Stages changes on the current account version, and writes those that are compatible in one transaction. Settles the changes that are
 * done, and returns the others for the next transaction.
 */
async function commitTogether([first, ...others]: Batch): Promise<WaitingChange[]> {
  const { accountId } = first.author
  let version = first.after
  try {
    version ??= await first.inContext(() => readAccountVersion(accountId))
  } catch (error) {
    first.reject(error)
    return others
  }
  const base = version
  const now = Math.max(clock.now(), base.clock + 1)
  const results = await Promise.all([first, ...others].map((change, i) => stageChange(change, base, now + i)))
  const staged = results.filter((change) => change !== null)
  const selected = selectCompatible(staged)
  const left = staged.filter((change) => !selected.includes(change)).map(({ waiting }) => waiting)
  return [...(await writeSelected(accountId, base, selected)), ...left]
}

/** Writes changes in one transaction. Returns those that have to be repeated. */
async function writeSelected(
  accountId: string,
  version: AccountVersion,
  [leader, ...others]: StagedCommit[],
): Promise<WaitingChange[]> {
  if (!leader) return []
  const changes: [StagedCommit, ...StagedCommit[]] = [leader, ...others]
  const note = (outcome: ChangeOutcome) => {
    for (const { waiting } of changes) waiting.inContext(() => noteChange(outcome))
  }
  note('unknown')
  const written = await leader.waiting.inContext(() => writeCommits(accountId, version, changes))
  if ('error' in written) {
    const { error, kind } = written
    if (kind !== 'unknown') note('nothing')
    // Repeats the changes one by one, because a single change may have caused the error.
    if (others.length > 0 && (kind === 'condition' || kind === 'fatal'))
      return changes.map(({ waiting }) => Object.assign(waiting, { mustBeAlone: true }))
    for (const { waiting } of changes) {
      if (kind === 'conflict' || kind === 'condition') waiting.resolve({ error })
      else waiting.reject(error)
    }
    return []
  }
  note('something')
  const resulting = others.length > 0 ? undefined : written.next
  for (const { waiting, result, transaction } of changes)
    waiting.resolve({ result, transaction, isWritten: true, version: resulting })
  return []
}

/**
 * Changes of one account that wait for their commits. New changes wait while a transaction is being written. The next transaction then
 * contains all of them that are compatible, each with its own commit record.
 */
type Queue = {
  waiting: WaitingChange[]
  /** Number of changes to stage next. Adapts to the number that the last transaction contained, so that few are staged in vain. */
  width: number
}

type Batch = [WaitingChange, ...WaitingChange[]]

/** Queues of accounts with waiting changes. */
export const queues = new Map<string, Queue>()

/** Takes the first change and, unless it must be alone, the following ones that can share its transaction. */
function takeBatch({ waiting, width }: Queue): Batch | null {
  const [first, ...others] = waiting
  if (!first) return null
  const next = others.slice(0, first.mustBeAlone ? 0 : width - 1)
  const end = next.findIndex(({ mustBeAlone }) => mustBeAlone)
  const shared = end < 0 ? next : next.slice(0, end)
  waiting.splice(0, shared.length + 1)
  return [first, ...shared]
}

/** Commits the account's changes until none is waiting. */
async function commitWaiting(accountId: string, queue: Queue): Promise<void> {
  for (let batch = takeBatch(queue); batch; batch = takeBatch(queue)) {
    const { length } = batch
    const left = await commitTogether(batch).catch((error: unknown) => {
      // Settles every change, because an unexpected error must not stop the queue.
      for (const { reject } of batch ?? []) reject(error)
      return []
    })
    queue.width = left.length > 0 ? Math.max(1, length - left.length) : Math.min(maxTogether, queue.width * 2)
    queue.waiting.unshift(...left)
  }
  queues.delete(accountId)
}

/** Queues a change of the account that its author names. The change's `outcome` settles when it is committed or has failed. */
export function queueChange(change: WaitingChange): void {
  const { accountId } = change.author
  const queue = queues.get(accountId)
  if (queue) {
    queue.waiting.push(change)
    return
  }
  const created = { waiting: [change], width: 4 }
  queues.set(accountId, created)
  void commitWaiting(accountId, created)
}
