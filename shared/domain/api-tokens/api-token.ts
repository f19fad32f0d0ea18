import * as v from 'valibot'
import type { SecretHash } from '../../core/secrets/token.ts'
import { entity, type Row } from '../../table/entity.ts'
import { NullableText, Timestamp } from '../../values/fields.ts'
import { Scopes } from './scopes.ts'

export type ApiTokenRow = Row &
  SecretHash & {
    actor_id: string
    name: string | null
    scopes: string[]
    expires_at: string
  }

export const apiTokens = entity<ApiTokenRow>({
  name: 'api_tokens',
  defaults: { name: null },
  edges: { actor_id: { value: (row) => row.actor_id, counted: true } },
  redact: ['secret_salt', 'secret_hash'],
})

/** An API token as the API shows it (A13). */
export const ApiToken = v.object({
  id: v.string(),
  actor_id: v.string(),
  name: v.nullable(v.string()),
  scopes: v.array(v.string()),
  expires_at: v.string(),
  last_seen_at: v.nullable(v.string()),
  inserted_at: v.string(),
  updated_at: v.string(),
})

/** The answer to its creation, the only one that shows the secret. */
export const ShownApiToken = v.object({ ...ApiToken.entries, token: v.string() })

export const ApiTokenFields = v.object({
  name: v.optional(NullableText(255)),
  expires_at: Timestamp,
  scopes: v.optional(Scopes),
})
