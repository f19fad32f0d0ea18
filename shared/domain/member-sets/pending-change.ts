import { commit } from '../../commit/commit.ts'
import { dueItem } from '../../commit/due.ts'
import { combineStages, stageWithinCapacity } from '../../commit/stage-within-capacity.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { timestamp } from '../../core/clock.ts'
import type { Subject } from '../../core/subject.ts'
import { type Entity, itemRow, linkKey, type Row } from '../../table/entity.ts'
import { type Key, membersPartition, partition } from '../../table/keys.ts'
import { packIds, readMemberIds, unpackIds } from '../../table/member-ids.ts'
import { getItems, queryItems, type Range } from '../../table/read.ts'

export type SetChange = { leaving: string[]; joining: string[] }

/** Item with members that are still to be removed or added, and the id and subject of the change. */
export type PendingPart = Key & { change: string; subject: Subject | null; joins: boolean; ids: string[] }

type StoredPart = Omit<PendingPart, 'ids'> & { ids: Uint8Array }

/**
 * Maximum number of members per commit of 100 writes. The account version, commit record, counter, pending part and the chunks of ids take
 * the others. A commit of members whose ids are in many chunks has fewer (`fittingCount`).
 */
export const membersPerCommit = 90

/** Maximum number of items that store a pending change. The first commit of the change may also create a pool with its first members. */
const maxItems = 20
/** Time in microseconds after which a pending change is resumed. Long enough for its request and follow-up work to finish. */
const resumeAfterMicros = 120_000_000

const pendingPartition = (account: string, collection: string, ownerId: string): string =>
  partition(account, `${collection}.pending`, ownerId)

/** Reads the pending changes of a set, removals first (A15.6). Returns at most `limit` items. */
export async function readPending(account: string, collection: string, ownerId: string, limit?: number) {
  const items = await queryItems<StoredPart>(pendingPartition(account, collection, ownerId), { limit })
  return items.map(({ ids, ...part }) => ({ ...part, ids: unpackIds(ids) }))
}

const slices = (ids: string[], size: number): string[][] =>
  Array.from({ length: Math.ceil(ids.length / size) }, (_, i) => ids.slice(i * size, (i + 1) * size))

/**
 * Stages a pending change that replaces the items in `before`. A scheduled item resumes the change if its request dies.
 * @returns the id of the change
 */
export function stagePending(
  transaction: Transaction,
  subject: Subject | null,
  collection: string,
  ownerId: string,
  { leaving, joining }: SetChange,
  before: Key[] = [],
): string {
  // Each item contains the members for `commits` commits. Two items are kept in reserve, because the last item of each list may be partly
  // filled.
  const commits = Math.ceil((leaving.length + joining.length) / membersPerCommit / (maxItems - 2))
  const size = commits * membersPerCommit
  // Sorts the ids, so that the members of a commit share chunks of ids.
  const lists = [
    ...slices(leaving.toSorted(), size).map((ids) => ({ joins: false, ids })),
    ...slices(joining.toSorted(), size).map((ids) => ({ joins: true, ids })),
  ]
  const pk = pendingPartition(transaction.accountId, collection, ownerId)
  const change = transaction.newId()
  for (const key of before) transaction.remove(key)
  for (const [i, list] of lists.entries()) {
    stagePart(transaction, { pk, sk: String(i).padStart(2, '0'), change, subject, ...list }, list.ids)
  }
  const due = { account_id: transaction.accountId, collection, id: ownerId }
  if (lists.length > 0) transaction.put(dueItem(due, timestamp(transaction.now + resumeAfterMicros)))
  return change
}

export function stagePart(transaction: Transaction, part: PendingPart, ids: string[]): void {
  if (ids.length === 0) transaction.remove(part)
  else transaction.put({ ...part, kind: 'pending', ids: packIds(ids) })
}

export async function stageSetDeletion<M extends Row>(transaction: Transaction, entity: Entity<M>, ownerId: string) {
  const { accountId } = transaction
  const pk = membersPartition(accountId, entity.name, ownerId)
  const readMembers = async (range: Range) => {
    const ids = await readMemberIds(pk, range)
    const items = await readLinks(accountId, entity, ownerId, ids)
    return ids.map((id, i) => ({ id, item: items[i] }))
  }
  return combineStages(
    await stagePendingDeletions(transaction, entity.name, ownerId),
    await stageWithinCapacity(transaction, readMembers, ({ id, item }) =>
      // Removes an id without a row, so that the deletion ends even if a restore has lost the row.
      item ? transaction.delete(entity, itemRow(entity, item)) : transaction.members.repair(pk, id, false),
    ),
  )
}

/** Reads the items of members of a set, in the order of their ids. */
export const readLinks = (account: string, entity: Pick<Entity, 'name'>, ownerId: string, ids: string[]) =>
  getItems(ids.map((member) => linkKey(entity, account, { set: ownerId, member })))

export const stagePendingDeletions = (transaction: Transaction, collection: string, ownerId: string) =>
  stageWithinCapacity(
    transaction,
    ({ limit }) => readPending(transaction.accountId, collection, ownerId, limit),
    ({ pk, sk }) => transaction.remove({ pk, sk }),
  )

/** Response `metadata` with the number of members that are still to be added or removed (A15.6). */
export const progress = (pending: number) => (pending > 0 ? { metadata: { pending } } : {})

/** Hands a pending change to the follow-up consumer, in case the request that started it has died (A15.6). Idempotent. */
export async function resumeChange(accountId: string, collection: string, ownerId: string): Promise<void> {
  const [part] = await readPending(accountId, collection, ownerId, 1)
  if (!part) return
  await commit({ accountId, subject: part.subject }, async (transaction) =>
    transaction.defer({ below: collection, id: ownerId, change: part.change }),
  )
}
