import type { Transaction } from '../../commit/transaction.ts'
import { itemRow, type Row } from '../../table/entity.ts'
import { entityKey, type Key, partition } from '../../table/keys.ts'
import { getItem, getItems } from '../../table/read.ts'
import type { MemberSet } from './member-set.ts'
import { readPending, type SetChange, stagePart, stageRestOfPending } from './pending-change.ts'

/** Each membership has an edge, and a commit takes 100 writes at most. */
export const membersPerCommit = 45

export const sizeOf = ({ leaving, joining }: SetChange): number => leaving.length + joining.length

/** Stages a change that fits one commit; returns the members as they are then. */
export async function stageSetChange<M extends Row>(
  transaction: Transaction,
  set: MemberSet<M>,
  ownerId: string,
  { leaving, joining }: SetChange,
  members: string[],
): Promise<string[]> {
  const left = new Set(await stageLeaving(transaction, set, ownerId, leaving))
  const joined = await stageJoining(transaction, set, ownerId, joining)
  return [...members.filter((id) => !left.has(id)), ...joined].sort()
}

/**
 * Stages the next part of a change that is pending for a set. What somebody else has done already is passed over, a change
 * that another has replaced is left alone, and nothing is written to the set of an owner that is gone.
 */
export async function stageNextPart<M extends Row>(
  transaction: Transaction,
  set: MemberSet<M>,
  ownerId: string,
  change: string | undefined,
): Promise<'done' | 'more'> {
  const { accountId } = transaction
  const [owner, [part, next]] = await Promise.all([
    getItem(entityKey(accountId, set.owners, ownerId)),
    readPending(accountId, set.entity.name, ownerId, 2),
  ])
  if (!owner) return stageRestOfPending(transaction, set.entity.name, ownerId)
  if (!part || (change !== undefined && part.change !== change)) return 'done'
  const stage = part.joins ? stageJoining : stageLeaving
  let left = part.ids
  for (let staged = 0; staged === 0 && left.length > 0; left = left.slice(membersPerCommit)) {
    staged = (await stage(transaction, set, ownerId, left.slice(0, membersPerCommit))).length
  }
  stagePart(transaction, part, left)
  return left.length > 0 || next ? 'more' : 'done'
}

const rowKeys = <M extends Row>(
  { accountId }: Transaction,
  { entity }: MemberSet<M>,
  ownerId: string,
  ids: string[],
): Key[] => ids.map((sk) => ({ pk: partition(accountId, entity.name, ownerId), sk }))

async function stageLeaving<M extends Row>(
  transaction: Transaction,
  set: MemberSet<M>,
  ownerId: string,
  ids: string[],
): Promise<string[]> {
  const items = await getItems(rowKeys(transaction, set, ownerId, ids))
  return ids.filter((id, i) => {
    const item = items[i]
    if (!item) return false
    transaction.delete(set.entity, itemRow(set.entity, item))
    if (set.revocation) transaction.revoke(set.revocation(ownerId, id))
    return true
  })
}

/** A member can be deleted while a large set is written: it is left out, as its membership would be. */
async function stageJoining<M extends Row>(
  transaction: Transaction,
  set: MemberSet<M>,
  ownerId: string,
  ids: string[],
): Promise<string[]> {
  const [present, alive] = await Promise.all([
    getItems(rowKeys(transaction, set, ownerId, ids)),
    getItems(ids.map((id) => entityKey(transaction.accountId, set.members, id))),
  ])
  const joining = ids.filter((_, i) => present[i] === undefined && alive[i] !== undefined)
  for (const id of joining) transaction.insert<M>(set.entity, set.row(ownerId, id))
  return joining
}
