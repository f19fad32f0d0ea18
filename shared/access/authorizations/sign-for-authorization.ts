import { type FlowRole, signIngestToken } from '../../logs/flows/ingest-token.ts'
import type { Authorization } from './authorization.ts'

/** The ingest token of one side of an authorization; the same one every time (P5.5(4), L9.3). */
export const signForAuthorization = (authorization: Authorization, role: FlowRole): Promise<string> =>
  signIngestToken({
    accountId: authorization.account_id,
    authorizationId: authorization.id,
    role,
    uploadsEnabled: authorization.flow_log_uploads_enabled,
    authorizedAt: authorization.authorized_at,
    expiresAt: authorization.expires_at,
    initiatorDeviceId: authorization.client_id,
    initiatorActorId: authorization.actor_id,
    resourceId: authorization.resource_id,
  })
