import type { SecretHash } from '../auth/token.ts'
import { entity, type Row } from '../table/entity.ts'

/** A token of a site, which any number of gateways use, or of one gateway (A22). */
export type GatewayTokenRow = Row &
  SecretHash & {
    site_id: string
    /** Null for a site token. */
    gateway_id: string | null
    rotated_at: string | null
    /** When the first session was started with it; null while unused. */
    used_at: string | null
  }

export const gatewayTokens = entity<GatewayTokenRow>({
  name: 'gateway_tokens',
  edges: {
    site_id: { value: (row) => (row.gateway_id ? null : row.site_id), counted: true },
    gateway_id: { value: (row) => row.gateway_id },
  },
  redact: ['secret_salt', 'secret_hash'],
})
