import type { SecretHash } from '../../core/secrets/token.ts'
import { entity, type Row } from '../../table/entity.ts'

/** A session that a sign-in gave an administrator (I2.6); its token opens the account API. */
export type PortalSessionRow = Row &
  SecretHash & {
    actor_id: string
    auth_provider_id: string
    expires_at: string
  }

export const portalSessions = entity<PortalSessionRow>({
  name: 'portal_sessions',
  edges: {
    actor_id: { value: (row) => row.actor_id },
    auth_provider_id: { value: (row) => row.auth_provider_id },
  },
  redact: ['secret_salt', 'secret_hash'],
  // They have the session stream (L6.2(2)).
  logged: false,
})
