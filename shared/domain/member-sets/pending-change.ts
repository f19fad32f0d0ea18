import { dueItem } from '../../commit/due.ts'
import { stageWhileRoom } from '../../commit/stage-while-room.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { timestamp } from '../../core/clock.ts'
import type { Subject } from '../../core/subject.ts'
import { type Key, partition } from '../../table/keys.ts'
import { queryItems } from '../../table/read.ts'

/** Members that leave a set and members that join it. */
export type SetChange = { leaving: string[]; joining: string[] }

/** The request that a pending part comes from: an id of the change, and who ordered it. */
type Origin = { change: string; subject: Subject | null }

/** Some of the members that are still to leave or to join: one item of the partition beside the set. */
export type PendingPart = Key & Origin & { joins: boolean; ids: string[] }

type StoredPart = Key & Origin & { joins: boolean; ids: Uint8Array }

/**
 * As many as a commit takes: a member is two items, and a transaction of 100 also holds the head item, the commit record, the
 * counter of the set and the rest of the pending part.
 */
export const membersPerCommit = 48

/** The first commit also holds the pool and its first members. */
const maxItems = 20
/** By then the request is over, and what it handed over is done or under way. */
const resumedAfterMicros = 120_000_000

const pendingPartition = (account: string, collection: string, ownerId: string): string =>
  partition(account, `${collection}.pending`, ownerId)

const pack = (ids: string[]): Uint8Array => Buffer.from(ids.join('').replaceAll('-', ''), 'hex')

function unpack(bytes: Uint8Array): string[] {
  const hex = Buffer.from(bytes).toString('hex')
  return (hex.match(/.{32}/g) ?? []).map((id) => id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'))
}

/** The changes of a set that are still to be written, removals first (A15.6); at most `limit` items. */
export async function readPending(
  account: string,
  collection: string,
  ownerId: string,
  limit?: number,
): Promise<PendingPart[]> {
  const items = (await queryItems(pendingPartition(account, collection, ownerId), { limit })) as StoredPart[]
  return items.map(({ ids, ...part }) => ({ ...part, ids: unpack(ids) }))
}

const slices = (ids: string[], size: number): string[][] =>
  Array.from({ length: Math.ceil(ids.length / size) }, (_, i) => ids.slice(i * size, (i + 1) * size))

/**
 * Stages what is to be written to a set from now on, instead of what was pending before. It falls due after a while, so
 * that it goes on when the request that has begun it dies.
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
  // Each list can end with an item that is not full. One that is holds what so many commits do.
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
  if (lists.length > 0) transaction.put(dueItem(due, timestamp(transaction.now + resumedAfterMicros)))
  return change
}

/** Stages which ids of a part are left; an empty part goes. */
export function stagePart(transaction: Transaction, part: PendingPart, ids: string[]): void {
  if (ids.length === 0) transaction.remove(part)
  else transaction.put({ ...part, kind: 'pending', ids: pack(ids) })
}

/** Nothing is written to the set of an owner that is gone. */
export const stageRestOfPending = (
  transaction: Transaction,
  collection: string,
  ownerId: string,
): Promise<'done' | 'more'> =>
  stageWhileRoom(
    transaction,
    ({ limit }) => readPending(transaction.accountId, collection, ownerId, limit),
    ({ pk, sk }) => transaction.remove({ pk, sk }),
  )
