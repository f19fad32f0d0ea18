import type { ConditionContext } from '#shared/domain/policies/conditions/condition-property.ts'

/** Builds a context for testing conditions. Omitted facts become null, which means unknown. */
export const conditionContext = (facts: {
  ip?: string | null
  region?: string | null
  verifiedAt?: string | null
  authProviderId?: string | null
}): ConditionContext => ({
  client: { verified_at: facts.verifiedAt ?? null },
  subject: { ip: facts.ip ?? null, ip_region: facts.region ?? null, auth_provider_id: facts.authProviderId ?? null },
})
