import type { Author } from '../../commit/commit.ts'
import { commitInParts } from '../../commit/commit-in-parts.ts'
import { stageRows } from '../../commit/stage-within-capacity.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { type GroupRow, groups, unmanaged } from '../groups/group.ts'
import { stageRestOfSet } from '../member-sets/pending-change.ts'
import { memberships } from '../memberships/membership.ts'
import { type PolicyRow, policies } from '../policies/policy.ts'

/** Stages that a policy loses its group (A14.3(4)). It keeps the provider, so that no other one can relink it. */
export function orphanPolicy(
  transaction: Transaction,
  policy: PolicyRow,
  { idp_provider }: Pick<GroupRow, 'idp_provider'>,
): void {
  transaction.update(policies, policy, { group_id: null, group_idp_provider: idp_provider })
  transaction.revoke({ by: 'policy', id: policy.id })
}

/** Stages the deletion of a group (A14.3): first its policies lose it (`more` when they did not fit), then itself. */
export async function stageGroupDeletion(transaction: Transaction, group: GroupRow): Promise<'done' | 'more'> {
  const orphaned = await stageRows(transaction, policies, 'group_id', group.id, (policy) =>
    orphanPolicy(transaction, policy, group),
  )
  if (orphaned === 'more') return 'more'
  transaction.delete(groups, group)
  if ((await stageRestOfGroup(transaction, group.id)) === 'more')
    transaction.defer({ below: groups.name, id: group.id })
  return 'done'
}

export const stageRestOfGroup = (transaction: Transaction, id: string) => stageRestOfSet(transaction, memberships, id)

/** Deletes a group with its memberships; its policies stay, orphaned (A14.3). */
export const removeGroup = (author: Author, id: string) =>
  commitInParts(author, async (transaction) => {
    const group = await unmanaged(transaction, id)
    return (await stageGroupDeletion(transaction, group)) === 'more' ? 'more' : { done: { data: group } }
  })
