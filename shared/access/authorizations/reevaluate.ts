import { deleteAuthorization } from '../../commit/revoke.ts'
import { type ConditionContext, evaluateConditions } from '../../domain/policies/evaluate-conditions.ts'
import { policies } from '../../domain/policies/policy.ts'
import { getRows } from '../../table/read.ts'
import { authorizationsOfClient } from './authorization.ts'

/** Deletes the authorizations of a client whose policy no longer conforms in its context (P3.2). */
export async function reevaluate(
  account: string,
  clientId: string,
  context: ConditionContext,
  now: number,
): Promise<void> {
  const items = await authorizationsOfClient(account, clientId)
  const granting = await getRows(
    policies,
    account,
    items.map((item) => item.policy_id),
  )
  const ended = items.filter((_, index) => {
    const policy = granting[index]
    return !policy || policy.is_disabled || !evaluateConditions(policy.conditions, context, now).conforms
  })
  await Promise.all(ended.map(deleteAuthorization))
}
