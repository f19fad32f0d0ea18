import * as v from 'valibot'
import { timestamp } from '../core/clock.ts'
import type { ActorRow } from '../domain/actors/actor.ts'
import { evaluateConditions } from '../domain/policies/evaluate-conditions.ts'
import { Policy, type PolicyRow } from '../domain/policies/policy.ts'

/** A policy that can give an actor access now. */
export const PossibleGrant = v.object({
  id: v.string(),
  group_id: v.nullable(v.string()),
  /** The conditions a client has to meet; those on time hold now. */
  conditions: Policy.entries.conditions,
  expires_at: v.nullable(v.string()),
})

/** Actors without clients have no access. */
export const canHaveAccess = ({ is_disabled, type }: ActorRow): boolean => !is_disabled && type !== 'api_client'

/**
 * The grant of a policy for people, or for service accounts, as far as can be told without a client; null when it gives
 * no access now. Tests conditions on time, and for service accounts, which have no auth provider, those on the provider.
 */
export function possibleGrant(
  { id, group_id, is_disabled, conditions }: PolicyRow,
  person: boolean,
  now: number,
): v.InferOutput<typeof PossibleGrant> | null {
  if (is_disabled) return null
  const decidable = conditions.filter(
    ({ property }) => property === 'current_utc_datetime' || (property === 'auth_provider_id' && !person),
  )
  const evaluation = evaluateConditions(
    decidable,
    { ip: null, region: null, verifiedAt: null, authProviderId: null },
    now,
  )
  if (!evaluation.conforms || (evaluation.until !== null && evaluation.until <= now)) return null
  return { id, group_id, conditions, expires_at: evaluation.until === null ? null : timestamp(evaluation.until) }
}
