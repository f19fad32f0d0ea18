import type { ConditionContext } from '#shared/domain/policies/conditions/condition-property.ts'

/** Circumstances of a request as conditions test them; all that is left out is unknown. */
export const circumstances = (known: {
  ip?: string | null
  region?: string | null
  verifiedAt?: string | null
  authProviderId?: string | null
}): ConditionContext => ({
  client: { verified_at: known.verifiedAt ?? null },
  subject: { ip: known.ip ?? null, ip_region: known.region ?? null, auth_provider_id: known.authProviderId ?? null },
})
