import type { Transaction } from '../../commit/transaction.ts'
import { itemRow, type Row } from '../../table/entity.ts'
import { entityKey, type Key, partition } from '../../table/keys.ts'
import { getItems } from '../../table/read.ts'
import type { MemberSet } from './member-set.ts'

/** Members that leave a set and members that join it. */
export type SetChange = { leaving: string[]; joining: string[] }

/** So many memberships, each with its edge, fit one commit. */
export const membersPerCommit = 45

export const isDone = ({ leaving, joining }: SetChange): boolean => leaving.length + joining.length === 0

/** Stages a change that fits one commit; returns the members as they are then. */
export async function stageSetChange<M extends Row>(
  transaction: Transaction,
  set: MemberSet<M>,
  ownerId: string,
  { leaving, joining }: SetChange,
  members: string[],
): Promise<string[]> {
  const left = await stageLeaving(transaction, set, ownerId, leaving)
  const joined = await stageJoining(transaction, set, ownerId, joining)
  return [...members.filter((id) => !left.includes(id)), ...joined].sort()
}

/**
 * Stages the next part of a change that needs several commits. What is found done already, by the part before or by
 * somebody else, is taken off the list, so that a part that lost a race can run again.
 */
export async function stageNextPart<M extends Row>(
  transaction: Transaction,
  set: MemberSet<M>,
  ownerId: string,
  change: SetChange,
): Promise<void> {
  while (change.leaving.length > 0) {
    const part = change.leaving.slice(0, membersPerCommit)
    if ((await stageLeaving(transaction, set, ownerId, part)).length > 0) return
    change.leaving = change.leaving.slice(membersPerCommit)
  }
  while (change.joining.length > 0) {
    const part = change.joining.slice(0, membersPerCommit)
    if ((await stageJoining(transaction, set, ownerId, part)).length > 0) return
    change.joining = change.joining.slice(membersPerCommit)
  }
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
