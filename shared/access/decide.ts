import type { CallerOf } from '../auth/caller.ts'
import { microsOf } from '../core/clock.ts'
import { ApiError, notFound } from '../core/errors.ts'
import { type ConditionContext, evaluateConditions } from '../domain/policies/evaluate-conditions.ts'
import { type PolicyRow, policies } from '../domain/policies/policy.ts'
import { resources } from '../domain/resources/resource.ts'
import { getRow, rowsBy } from '../table/read.ts'
import { type ConnectableResource, isConnectable } from './connectable-resources.ts'
import { grantingOnes, groupsOf } from './granting-policies.ts'

/** The reason for a grant and its end in microseconds. `group` is that of the membership, null for the managed group. */
export type Decision = { resource: ConnectableResource; policy: PolicyRow; group: string | null; expiresAt: number }

export type Outcome = { policy: PolicyRow; end: number } | { policy: PolicyRow; violated: string[] }

/**
 * Tests the conditions of a policy. Access ends with the policy's time range or the token, whichever is first; an end
 * that is not in the future counts as a violated time condition (P5.5(2)).
 */
export function outcomeOf(policy: PolicyRow, context: ConditionContext, tokenEnd: number, now: number): Outcome {
  const evaluation = evaluateConditions(policy.conditions, context, now)
  if (!evaluation.conforms) return { policy, violated: evaluation.violated }
  const end = evaluation.until ?? Number.POSITIVE_INFINITY
  return Math.min(end, tokenEnd) > now ? { policy, end } : { policy, violated: ['current_utc_datetime'] }
}

/** The policy with the longest access, of equal ones the oldest (P5.3); or every violated property once, in policy order. */
export function choosePolicy(
  granting: PolicyRow[],
  context: ConditionContext,
  tokenEnd: number,
  now: number,
): { policy: PolicyRow; expiresAt: number } | { violated: string[] } {
  const outcomes = granting.map((policy) => outcomeOf(policy, context, tokenEnd, now))
  const conforming = outcomes.flatMap((outcome) => ('end' in outcome ? [outcome] : []))
  const [first, ...others] = conforming
  if (!first)
    return { violated: [...new Set(outcomes.flatMap((outcome) => ('violated' in outcome ? outcome.violated : [])))] }
  const best = others.reduce((longest, other) => (other.end > longest.end ? other : longest), first)
  return { policy: best.policy, expiresAt: Math.min(best.end, tokenEnd) }
}

/** @throws ApiError 404 when nothing grants the resource, then `conditions_violated` (P5.2, steps 4 and 5) */
export async function decide(
  { account, actor, token }: CallerOf<'client'>,
  resourceId: string,
  context: ConditionContext,
  now: number,
): Promise<Decision> {
  const [resource, actorGroups, ofResource] = await Promise.all([
    getRow(resources, account.id, resourceId),
    groupsOf(account.id, actor),
    rowsBy(policies, account.id, 'resource_id', resourceId),
  ])
  const granting = grantingOnes(ofResource, actorGroups)
  if (!resource || !isConnectable(account, resource) || granting.length === 0) throw notFound()
  const choice = choosePolicy(granting, context, microsOf(token.expires_at), now)
  if ('violated' in choice) {
    throw new ApiError('conditions_violated', 'The conditions of the policy do not hold.', {
      members: { violated: choice.violated },
    })
  }
  const { group_id } = choice.policy
  return { resource, ...choice, group: group_id !== null && actorGroups.memberOf.has(group_id) ? group_id : null }
}
