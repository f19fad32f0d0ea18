import { commit } from '../../commit/commit.ts'
import { dueItem } from '../../commit/due.ts'
import { combineStages, stageWithinCapacity } from '../../commit/stage-within-capacity.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { timestamp } from '../../core/clock.ts'
import type { Subject } from '../../core/subject.ts'
import { type Entity, itemRow, type Row } from '../../table/entity.ts'
import { type Key, partition } from '../../table/keys.ts'
import { queryItems } from '../../table/read.ts'

export type SetChange = { leaving: string[]; joining: string[] }

/** Item with members that are still to be removed or added, and the id and subject of the change. */
export type PendingPart = Key & { change: string; subject: Subject | null; joins: boolean; ids: string[] }

type StoredPart = Omit<PendingPart, 'ids'> & { ids: Uint8Array }

/**
 * Maximum number of members per commit of 100 items. Each member takes two items. The account version, commit record, counter and pending
 * part take four.
 */
export const membersPerCommit = 48

/** Maximum number of items that store a pending change. The first commit of the change may also create a pool with its first members. */
const maxItems = 20
/** Time in microseconds after which a pending change is resumed. Long enough for its request and follow-up work to finish. */
const resumeAfterMicros = 120_000_000

const pendingPartition = (account: string, collection: string, ownerId: string): string =>
  partition(account, `${collection}.pending`, ownerId)

const pack = (ids: string[]): Uint8Array => Buffer.from(ids.join('').replaceAll('-', ''), 'hex')

function unpack(bytes: Uint8Array): string[] {
  const hex = Buffer.from(bytes).toString('hex')
  return (hex.match(/.{32}/g) ?? []).map((id) => id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'))
}

/** Reads the pending changes of a set, removals first (A15.6). Returns at most `limit` items. */
export async function readPending(account: string, collection: string, ownerId: string, limit?: number) {
  const items = await queryItems<StoredPart>(pendingPartition(account, collection, ownerId), { limit })
  return items.map(({ ids, ...part }) => ({ ...part, ids: unpack(ids) }))
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
  const lists = [
    ...slices(leaving, size).map((ids) => ({ joins: false, ids })),
    ...slices(joining, size).map((ids) => ({ joins: true, ids })),
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
  else transaction.put({ ...part, kind: 'pending', ids: pack(ids) })
}

export const stageSetDeletion = async <M extends Row>(transaction: Transaction, entity: Entity<M>, ownerId: string) =>
  combineStages(
    await stagePendingDeletions(transaction, entity.name, ownerId),
    await stageWithinCapacity(
      transaction,
      (range) => queryItems(partition(transaction.accountId, entity.name, ownerId), range),
      (item) => transaction.delete(entity, itemRow(entity, item)),
    ),
  )

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
