import type { Author } from '../../commit/commit.ts'
import { commitInParts } from '../../commit/commit-in-parts.ts'
import { stageRows } from '../../commit/stage-within-capacity.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { type GroupRow, groups, unmanaged } from '../groups/group.ts'
import { stageSetDeletion } from '../member-sets/pending-change.ts'
import { memberships } from '../memberships/membership.ts'
import { type PolicyRow, policies } from '../policies/policy.ts'

/** Stages the removal of a policy's group (A14.3(4)). Stores the group's provider, because only that provider may relink the policy. */
export function orphanPolicy(
  transaction: Transaction,
  policy: PolicyRow,
  { idp_provider }: Pick<GroupRow, 'idp_provider'>,
): void {
  transaction.update(policies, policy, { group_id: null, group_idp_provider: idp_provider })
  transaction.revoke({ by: 'policy', id: policy.id })
}

/** Stages the deletion of a group. First orphans its policies (A14.3). Returns `more` if the policies exceed the commit's capacity. */
export async function stageGroupDeletion(transaction: Transaction, group: GroupRow): Promise<'done' | 'more'> {
  const outcome = await stageRows(transaction, policies, 'group_id', group.id, (policy) =>
    orphanPolicy(transaction, policy, group),
  )
  if (outcome === 'more') return 'more'
  transaction.delete(groups, group)
  if ((await stageRestOfGroup(transaction, group.id)) === 'more')
    transaction.defer({ below: groups.name, id: group.id })
  return 'done'
}

export const stageRestOfGroup = (transaction: Transaction, id: string) => stageSetDeletion(transaction, memberships, id)

/** Deletes a group and its memberships. Its policies remain as orphaned policies (A14.3). */
export const removeGroup = (author: Author, id: string) =>
  commitInParts(author, async (transaction) => {
    const group = await unmanaged(transaction, id)
    return (await stageGroupDeletion(transaction, group)) === 'more' ? 'more' : { done: { data: group } }
  })
