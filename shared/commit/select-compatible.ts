import { KeySet } from '../table/key-set.ts'
import { accountVersionKey, commitKey, type Key } from '../table/keys.ts'
import type { Write } from '../table/write-together.ts'
import type { StagedCommit } from './staged-commit.ts'
import { maxWrites } from './transaction.ts'

/** Maximum JSON bytes of the rows in a transaction of several changes, well below the 4 MB that DynamoDB accepts. */
const maxSharedBytes = 1_000_000

const keyOf = ({ Put, Update, Delete }: Write): Key => (Put?.Item ?? (Update ?? Delete)?.Key) as Key

/** Number of writes of a change, including its commit record. */
const sizeOf = ({ transaction, responseWrites }: StagedCommit): number =>
  transaction.writes().length + responseWrites.length + 1

/**
 * Selects the changes that can share one transaction, in the order of their calls. Skips a change whose result could differ after an
 * earlier one: it has read an item or a counter that the earlier one writes, or it writes the same item.
 */
export function selectCompatible(staged: StagedCommit[]): StagedCommit[] {
  const selected: StagedCommit[] = []
  // Leaves out row counters, because the changes of a counter are added up.
  const itemsWritten = new KeySet()
  const changedKeys: Key[] = []
  const changedCounts = new Set<string>()
  // Counts the write of the account version.
  let writes = 1
  let bytes = 0
  for (const change of staged) {
    const { transaction, reads } = change
    const itemKeys = transaction.itemWrites().map(keyOf)
    const isDependent =
      reads.includesAny(changedKeys) ||
      itemsWritten.includesAny(itemKeys) ||
      [...transaction.countsRead].some((name) => changedCounts.has(name))
    const size = sizeOf(change)
    const fits = writes + size <= maxWrites && bytes + transaction.bytes <= maxSharedBytes
    if (selected.length > 0 && (isDependent || !fits)) continue
    selected.push(change)
    writes += size
    bytes += transaction.bytes
    const { accountId, sequence } = transaction
    for (const { pk, sk } of itemKeys) itemsWritten.add(pk, sk)
    changedKeys.push(
      ...transaction.writes().map(keyOf),
      accountVersionKey(accountId),
      commitKey(accountId, sequence + selected.length),
    )
    for (const name of transaction.countChanges().keys()) changedCounts.add(name)
  }
  return selected
}
