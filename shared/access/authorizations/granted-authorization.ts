import * as v from 'valibot'
import { Resource } from '../../domain/resources/resource.ts'
import { Uuid } from '../../values/fields.ts'
import { orNull } from '../../values/or-null.ts'

/** Null or blank names no session, like leaving it out. */
export const AuthorizationFields = v.object({ resource_id: Uuid, session_id: v.optional(orNull(Uuid)) })

/** An authorization as its client sees it (P5.5(4)). */
export const GrantedAuthorization = v.object({
  id: v.string(),
  resource: Resource,
  gateway: v.object({ id: v.string(), ipv4: v.string(), ipv6: v.string(), public_key: v.string() }),
  policy_id: v.string(),
  expires_at: v.string(),
  ingest_token: v.string(),
})
