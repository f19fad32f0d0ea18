import type { ConditionContext } from '#shared/domain/policies/conditions/condition-property.ts'

/** Builds the context that conditions are tested with. Omitted facts are unknown. */
export const circumstances = (known: {
  ip?: string | null
  region?: string | null
  verifiedAt?: string | null
  authProviderId?: string | null
}): ConditionContext => ({
  client: { verified_at: known.verifiedAt ?? null },
  subject: { ip: known.ip ?? null, ip_region: known.region ?? null, auth_provider_id: known.authProviderId ?? null },
})
