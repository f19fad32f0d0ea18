import { isDue } from '../../commit/due.ts'
import { archiveStore } from '../../core/aws/object-store.ts'
import { clock, timestamp } from '../../core/clock.ts'
import { inParallel, slicesOf } from '../../core/work/in-parallel.ts'
import { archiveFolders } from '../../logs/files/file-index.ts'
import { changeItem } from '../../table/change-item.ts'
import { type Key, partition } from '../../table/keys.ts'
import { queryItems } from '../../table/read.ts'
import { executeAll, maxStatements, type Statement } from '../../table/statements.ts'
import { tableName } from '../../table/table.ts'
import { walkTable } from '../../table/walk-table.ts'
import { put, remove, writeTogether } from '../../table/write-together.ts'
import { closeAccount, type DueAccount, dueAccountItem, dueAccountsPartition } from './due-account.ts'

/**
 * Time in microseconds until the second pass. Streams keep records for 24 hours, so consumers may still write items for a closed account.
 */
const secondPassMicros = 25 * 3_600_000_000

/**
 * Deletes the accounts that are due (A31, A32). Deletes the rows of all due accounts first, then their other items until the deadline. The
 * next run resumes the deletion.
 * @throws AggregateError with all failures, after processing the other accounts
 */
export async function deleteDueAccounts(deadline: number): Promise<void> {
  const nowText = timestamp(clock.now())
  const all = (await queryItems(dueAccountsPartition)) as DueAccount[]
  const closedAccounts: DueAccount[] = []
  const errors: unknown[] = []
  const tryTo = (step: Promise<void>) => step.catch((error) => void errors.push(error))
  for (const dueAccount of all.filter((item) => isDue(item, nowText))) {
    await tryTo(
      closeAccount(dueAccount.account_id, nowText).then(async (state) => {
        if (state === 'closed') closedAccounts.push(dueAccount)
        if (state === 'called off') await writeTogether([remove(dueAccount)])
      }),
    )
  }
  for (const dueAccount of closedAccounts) {
    if (clock.monotonic() < deadline) await tryTo(pass(dueAccount, all, deadline))
  }
  if (errors.length > 0) throw new AggregateError(errors, 'Some accounts were not deleted.')
}

/** Continues a pass over the table until the deadline. At the end of the first pass, schedules the second pass. */
async function pass(dueAccount: DueAccount, all: DueAccount[], deadline: number): Promise<void> {
  if (!(await deleteItems(dueAccount, deadline)) || !(await deleteArchive(dueAccount, deadline))) return
  const others = all.filter(({ account_id }) => account_id === dueAccount.account_id)
  const second = dueAccountItem(dueAccount.account_id, timestamp(clock.now() + secondPassMicros), true)
  await writeTogether([...others.map(remove), ...(dueAccount.last ? [] : [put(second)])])
}

/** Deletes the archived logs of an account (R12.3). Returns true at the end. */
async function deleteArchive({ account_id }: DueAccount, deadline: number): Promise<boolean> {
  const hasTime = () => clock.monotonic() < deadline
  for (const folder of archiveFolders(account_id))
    if (!(await archiveStore().deleteFolder(folder, hasTime))) return false
  return true
}

/** Number of concurrent delete requests. */
const width = 4
/** Items per page. A run stops only between pages, so deleting a full page must take only seconds. */
const perPage = 2_000

/** Builds a PartiQL statement that deletes one item. The IAM permission for BatchWriteItem would also allow puts. */
const deletion = ({ pk, sk }: Key): Statement => ({
  Statement: `DELETE FROM "${tableName()}" WHERE "pk" = ? AND "sk" = ?`,
  Parameters: [pk, sk],
})

/**
 * Deletes the items of an account page by page, starting at the cursor. Recognizes an account's items by their partition key or their
 * `account_id`.
 * @returns true at the end of the table
 */
async function deleteItems({ cursor, ...dueAccount }: DueAccount, deadline: number): Promise<boolean> {
  // An eventually consistent scan suffices, because the second pass finds items that the first pass misses.
  const pages = walkTable<Key>({
    from: cursor ?? null,
    hasTime: () => clock.monotonic() < deadline,
    Limit: perPage,
    ProjectionExpression: 'pk, sk',
    FilterExpression: 'begins_with(pk, :own) OR (account_id = :id AND pk <> :due)',
    ExpressionAttributeValues: {
      ':own': partition(dueAccount.account_id, ''),
      ':id': dueAccount.account_id,
      ':due': dueAccountsPartition,
    },
  })
  for await (const { items: keys, next } of pages) {
    await inParallel(slicesOf(keys, maxStatements), width, (batch) => executeAll(batch.map(deletion)))
    if (next === null) return true
    await changeItem(dueAccount, { set: { cursor: next }, when: 'attribute_exists(pk)' })
  }
  return false
}
