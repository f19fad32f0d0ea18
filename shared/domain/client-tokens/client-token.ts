import * as v from 'valibot'
import type { SecretHash } from '../../core/secrets/token.ts'
import { entity, type Row } from '../../table/entity.ts'
import { Timestamp } from '../../values/fields.ts'

export type ClientTokenRow = Row &
  SecretHash & {
    actor_id: string
    /** The provider that signed its holder in; null when an administrator made the token. */
    auth_provider_id: string | null
    expires_at: string
  }

export const clientTokens = entity<ClientTokenRow>({
  name: 'client_tokens',
  defaults: { auth_provider_id: null },
  edges: {
    actor_id: { value: (row) => row.actor_id, counted: true },
    auth_provider_id: { value: (row) => row.auth_provider_id },
  },
  redact: ['secret_salt', 'secret_hash'],
})

/** A client token as the API shows it (A24). */
export const ClientToken = v.object({
  id: v.string(),
  actor_id: v.string(),
  expires_at: v.string(),
  inserted_at: v.string(),
  updated_at: v.string(),
})

/** The answer to its creation, the only one that shows the secret. */
export const ShownClientToken = v.object({ ...ClientToken.entries, token: v.string() })

export const ClientTokenFields = v.object({ expires_at: Timestamp })
