import { type Author, commit } from '../../commit/commit.ts'
import { combineStages, stageRows } from '../../commit/stage-within-capacity.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { stageSetDeletion } from '../member-sets/pending-change.ts'
import { deletePolicy, policies } from '../policies/policy.ts'
import { poolMembers } from '../pool-members/pool-member.ts'
import { type ResourceRow, resources } from '../resources/resource.ts'
import { editable } from '../resources/store.ts'

/** Stages the deletion of a resource with its authorizations, policies and members (A29). */
export async function deleteResource(transaction: Transaction, resource: ResourceRow): Promise<void> {
  transaction.delete(resources, resource)
  transaction.revoke({ by: 'resource', id: resource.id })
  if ((await stageRestOfResource(transaction, resource.id)) === 'more') {
    transaction.defer({ below: resources.name, id: resource.id })
  }
}

/** Stages the deletion of a deleted resource's policies and members. Without the resource, the policies grant no access. */
export const stageRestOfResource = async (transaction: Transaction, id: string): Promise<'done' | 'more'> =>
  combineStages(
    await stageRows(transaction, policies, 'resource_id', id, (policy) => deletePolicy(transaction, policy)),
    await stageSetDeletion(transaction, poolMembers, id),
  )

export const removeResource = (author: Author, id: string) =>
  commit(author, async (transaction) => {
    const resource = await editable(transaction, id)
    await deleteResource(transaction, resource)
    return { data: resource }
  })
