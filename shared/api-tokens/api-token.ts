import type { SecretHash } from '../auth/token.ts'
import { entity, type Row } from '../table/entity.ts'

export type ApiTokenRow = Row &
  SecretHash & {
    actor_id: string
    name: string | null
    scopes: string[]
    expires_at: string
  }

export const apiTokens = entity<ApiTokenRow>({
  name: 'api_tokens',
  edges: { actor_id: { value: (row) => row.actor_id, counted: true } },
  redact: ['secret_salt', 'secret_hash'],
})
