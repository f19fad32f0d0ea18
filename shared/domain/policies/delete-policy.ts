import type { Transaction } from '../../commit/transaction.ts'
import { type PolicyRow, policies } from './policy.ts'

/** Stages the deletion of a policy; the authorizations it granted end with it (A29). */
export function deletePolicy(transaction: Transaction, policy: PolicyRow): void {
  transaction.delete(policies, policy)
  transaction.revoke({ by: 'policy', id: policy.id })
}
