import * as v from 'valibot'
import { isUuid } from '../ids.ts'
import { Resource } from '../resources/resource.ts'
import { field } from '../values/field.ts'
import { Uuid } from '../values/fields.ts'

/** Null or blank names no session, like leaving it out. */
const SessionId = field<string | null>(
  (input) => {
    if (input === null || (typeof input === 'string' && input.trim() === '')) return { value: null }
    return typeof input === 'string' && isUuid(input.trim())
      ? { value: input.trim().toLowerCase() }
      : { message: 'is invalid' }
  },
  { type: ['string', 'null'], format: 'uuid' },
)

export const AuthorizationFields = v.object({ resource_id: Uuid, session_id: v.optional(SessionId) })

/** An authorization as its client sees it (P5.5(4)). */
export const GrantedAuthorization = v.object({
  id: v.string(),
  resource: Resource,
  gateway: v.object({ id: v.string(), ipv4: v.string(), ipv6: v.string(), public_key: v.string() }),
  policy_id: v.string(),
  expires_at: v.string(),
  ingest_token: v.string(),
})
