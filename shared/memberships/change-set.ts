import { actors } from '../actors/actor.ts'
import { itemRow } from '../table/entity.ts'
import { type Key, partition } from '../table/keys.ts'
import { getItems, getRows } from '../table/read.ts'
import type { Transaction } from '../table/transaction.ts'
import { type MembershipRow, memberships } from './membership.ts'

/** Actors that leave a group and actors that join it. */
export type SetChange = { leaving: string[]; joining: string[] }

/** So many memberships, each with its edge, fit one commit. */
export const membersPerCommit = 45

export const isDone = ({ leaving, joining }: SetChange): boolean => leaving.length + joining.length === 0

/** Stages a change that fits one commit; returns the members as they are then. */
export async function stageSetChange(
  transaction: Transaction,
  groupId: string,
  { leaving, joining }: SetChange,
  members: string[],
): Promise<string[]> {
  const left = await stageLeaving(transaction, groupId, leaving)
  const joined = await stageJoining(transaction, groupId, joining)
  return [...members.filter((id) => !left.includes(id)), ...joined].sort()
}

/**
 * Stages the next part of a change that needs several commits. What is found done already, by the part before or by
 * somebody else, is taken off the list, so that a part that lost a race can run again.
 */
export async function stageNextPart(transaction: Transaction, groupId: string, change: SetChange): Promise<void> {
  while (change.leaving.length > 0) {
    if ((await stageLeaving(transaction, groupId, change.leaving.slice(0, membersPerCommit))).length > 0) return
    change.leaving = change.leaving.slice(membersPerCommit)
  }
  while (change.joining.length > 0) {
    if ((await stageJoining(transaction, groupId, change.joining.slice(0, membersPerCommit))).length > 0) return
    change.joining = change.joining.slice(membersPerCommit)
  }
}

const keyOf = (transaction: Transaction, groupId: string, actorId: string): Key => ({
  pk: partition(transaction.accountId, memberships.name, groupId),
  sk: actorId,
})

async function stageLeaving(transaction: Transaction, groupId: string, ids: string[]): Promise<string[]> {
  const items = await getItems(ids.map((id) => keyOf(transaction, groupId, id)))
  return items.flatMap((item) => {
    if (!item) return []
    const row = itemRow<MembershipRow>(item)
    transaction.delete(memberships, row)
    transaction.revoke({ by: 'membership', id: `${groupId}#${row.actor_id}` })
    return [row.actor_id]
  })
}

/** An actor can be deleted while a large set is written: it is left out, as its memberships would be. */
async function stageJoining(transaction: Transaction, groupId: string, ids: string[]): Promise<string[]> {
  const [present, alive] = await Promise.all([
    getItems(ids.map((id) => keyOf(transaction, groupId, id))),
    getRows(actors, transaction.accountId, ids),
  ])
  const joining = ids.filter((_, i) => present[i] === undefined && alive[i])
  for (const actor_id of joining) transaction.insert(memberships, { group_id: groupId, actor_id })
  return joining
}
