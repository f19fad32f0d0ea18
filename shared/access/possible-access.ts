import * as v from 'valibot'
import { timestamp } from '../core/clock.ts'
import type { ActorRow } from '../domain/actors/actor.ts'
import { evaluateConditions } from '../domain/policies/evaluate-conditions.ts'
import { Policy, type PolicyRow } from '../domain/policies/policy.ts'

/** A policy that can give an actor access now. */
export const PossibleGrant = v.object({
  id: v.string(),
  group_id: v.nullable(v.string()),
  /** What a client has to meet; those on time hold now. */
  conditions: Policy.entries.conditions,
  expires_at: v.nullable(v.string()),
})

/** Actors without clients have no access. */
export const canHaveAccess = ({ is_disabled, type }: ActorRow): boolean => !is_disabled && type !== 'api_client'

/**
 * What a policy can give a person, or a service account, now, or null. Held against the instant, and for service accounts
 * against having no auth provider; where a client is and whether it is verified is left to the decision.
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
