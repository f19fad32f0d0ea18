import * as v from 'valibot'
import type { SecretHash } from '../../core/secrets/token.ts'
import { entity, type Row } from '../../table/entity.ts'

/**
 * A token of a site, which any number of gateways use, or of one gateway (A22). When a session was first started with
 * it (`used_at`) is in its live item, written by the commit that counts its first use.
 */
export type GatewayTokenRow = Row &
  SecretHash & {
    site_id: string
    /** Null for a site token. */
    gateway_id: string | null
    rotated_at: string | null
  }

export const gatewayTokens = entity<GatewayTokenRow>({
  name: 'gateway_tokens',
  defaults: { gateway_id: null, rotated_at: null },
  edges: {
    site_id: { value: (row) => (row.gateway_id ? null : row.site_id), counted: true },
    gateway_id: { value: (row) => row.gateway_id },
  },
  redact: ['secret_salt', 'secret_hash'],
})

/** The answer that shows a gateway token, once (A22). */
export const ShownGatewayToken = v.object({ id: v.string(), token: v.string() })
