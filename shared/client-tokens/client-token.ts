import type { SecretHash } from '../auth/token.ts'
import { entity, type Row } from '../table/entity.ts'

export type ClientTokenRow = Row &
  SecretHash & {
    actor_id: string
    /** The provider that signed its holder in; null when an administrator made the token. */
    auth_provider_id: string | null
    expires_at: string
  }

export const clientTokens = entity<ClientTokenRow>({
  name: 'client_tokens',
  edges: { actor_id: { value: (row) => row.actor_id, counted: true } },
  redact: ['secret_salt', 'secret_hash'],
})
