import { stageWhileRoom } from '../../commit/stage-while-room.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { itemRow } from '../../table/entity.ts'
import { partition } from '../../table/keys.ts'
import { queryItems, rowsBy } from '../../table/read.ts'
import { stageRestOfPending } from '../member-sets/pending-change.ts'
import { memberships } from '../memberships/membership.ts'
import { type PolicyRow, policies } from '../policies/policy.ts'
import { type GroupRow, groups } from './group.ts'

/**
 * Stages that a policy loses its group and grants nothing any more (A14.3(4)). The policy keeps the group's provider,
 * so that no other provider can name a group that gets it.
 */
export function orphanPolicy(
  transaction: Transaction,
  policy: PolicyRow,
  { idp_provider }: Pick<GroupRow, 'idp_provider'>,
): void {
  transaction.update(policies, policy, { group_id: null, group_idp_provider: idp_provider })
  transaction.revoke({ by: 'policy', id: policy.id })
}

/**
 * Stages the deletion of a group (A14.3): first its policies are orphaned, which ends all access that it gave (`more`
 * when they did not fit), then itself; its memberships go along or are left for later.
 */
export async function stageGroupDeletion(transaction: Transaction, group: GroupRow): Promise<'done' | 'more'> {
  const orphaned = await stageWhileRoom(
    transaction,
    (range) => rowsBy(policies, transaction.accountId, 'group_id', group.id, range),
    (policy) => orphanPolicy(transaction, policy, group),
  )
  if (orphaned === 'more') return 'more'
  transaction.delete(groups, group)
  if ((await stageRestOfGroup(transaction, group.id)) === 'more')
    transaction.defer({ below: groups.name, id: group.id })
  return 'done'
}

export async function stageRestOfGroup(transaction: Transaction, id: string): Promise<'done' | 'more'> {
  const { accountId } = transaction
  const outcomes = [
    await stageRestOfPending(transaction, memberships.name, id),
    await stageWhileRoom(
      transaction,
      (range) => queryItems(partition(accountId, memberships.name, id), range),
      (item) => transaction.delete(memberships, itemRow(memberships, item)),
    ),
  ]
  return outcomes.includes('more') ? 'more' : 'done'
}
