import type { Subject } from '../core/subject.ts'
import type { ClientRow } from '../domain/clients/client.ts'
import type { ConditionContext } from '../domain/policies/evaluate-conditions.ts'

/** The facts that the conditions of policies test when a client makes a request (A17.3). */
export const conditionContextOf = (client: ClientRow, subject: Subject): ConditionContext => ({
  ip: subject.ip,
  region: subject.ip_region,
  authProviderId: subject.auth_provider_id,
  verifiedAt: client.verified_at,
})

/** Equal texts mean that no condition but one on time can have another outcome. */
export const fingerprint = ({ ip, region, authProviderId, verifiedAt }: ConditionContext): string =>
  JSON.stringify([ip, region, authProviderId, verifiedAt !== null])
