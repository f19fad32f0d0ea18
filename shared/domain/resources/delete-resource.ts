import { stageWhileRoom } from '../../commit/stage-while-room.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { itemRow } from '../../table/entity.ts'
import { partition } from '../../table/keys.ts'
import { queryItems, rowsBy } from '../../table/read.ts'
import { stageRestOfPending } from '../member-sets/pending-change.ts'
import { deletePolicy } from '../policies/delete-policy.ts'
import { policies } from '../policies/policy.ts'
import { poolMembers } from '../pool-members/pool-member.ts'
import { type ResourceRow, resources } from './resource.ts'

/** Stages the deletion of a resource with its authorizations, policies and members (A29). */
export async function deleteResource(transaction: Transaction, resource: ResourceRow): Promise<void> {
  transaction.delete(resources, resource)
  transaction.revoke({ by: 'resource', id: resource.id })
  if ((await stageRestOfResource(transaction, resource.id)) === 'more') {
    transaction.defer({ below: resources.name, id: resource.id })
  }
}

/** A policy whose resource is gone grants nothing. */
export async function stageRestOfResource(transaction: Transaction, id: string): Promise<'done' | 'more'> {
  const { accountId } = transaction
  const outcomes = [
    await stageWhileRoom(
      transaction,
      (range) => rowsBy(policies, accountId, 'resource_id', id, range),
      (policy) => deletePolicy(transaction, policy),
    ),
    await stageRestOfPending(transaction, poolMembers.name, id),
    await stageWhileRoom(
      transaction,
      (range) => queryItems(partition(accountId, poolMembers.name, id), range),
      (item) => transaction.delete(poolMembers, itemRow(poolMembers, item)),
    ),
  ]
  return outcomes.includes('more') ? 'more' : 'done'
}
