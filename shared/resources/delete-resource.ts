import { deletePolicy } from '../policies/delete-policy.ts'
import { policies } from '../policies/policy.ts'
import { hasRoom } from '../table/commit-in-parts.ts'
import { rowsBy } from '../table/read.ts'
import type { Transaction } from '../table/transaction.ts'
import { type ResourceRow, resources } from './resource.ts'

/** Stages the deletion of a resource with its policies and authorizations (A29); `more` when it did not fit. */
export async function deleteResource(transaction: Transaction, resource: ResourceRow): Promise<'done' | 'more'> {
  const granting = await rowsBy(policies, transaction.accountId, 'resource_id', resource.id, { limit: 20 })
  for (const policy of granting) {
    if (!hasRoom(transaction)) return 'more'
    deletePolicy(transaction, policy)
  }
  if (granting.length === 20 || !hasRoom(transaction)) return 'more'
  transaction.delete(resources, resource)
  transaction.revoke({ by: 'resource', id: resource.id })
  return 'done'
}
