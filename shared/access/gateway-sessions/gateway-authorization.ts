import * as v from 'valibot'
import { Resource } from '../../domain/resources/resource.ts'

/** An authorization as a gateway sees it, without its ingest token (P4). */
export const AuthorizationContent = v.object({
  id: v.string(),
  client: v.object({
    id: v.string(),
    actor_id: v.string(),
    ipv4: v.string(),
    ipv6: v.string(),
    public_key: v.string(),
  }),
  resource: Resource,
  policy_id: v.string(),
  flow_log_uploads_enabled: v.boolean(),
  expires_at: v.string(),
})
export type AuthorizationContent = v.InferOutput<typeof AuthorizationContent>

/** An authorization as a heartbeat answers it (P4). */
export const GatewayAuthorization = v.object({ ...AuthorizationContent.entries, ingest_token: v.string() })
