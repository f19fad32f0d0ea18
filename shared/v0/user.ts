import * as v from 'valibot'
import { entity, redacted } from '../table/entity.ts'
import { documented, field, type JsonSchema, withRules } from '../values/field.ts'
import { foldAscii } from '../values/text.ts'
import { enumCast, TrimmedCast } from './casts.ts'

const v0Roles = ['admin', 'unprivileged'] as const

/** User of the legacy API (`/v0` contract, 9.1). Legacy users are not actors and cannot authenticate to any API. */
export type V0UserRow = v.InferOutput<typeof V0User> & { password_hash: string | null }

const roleText = 'Role of the user in the legacy network. Grants no access to any API.'

export const adminCounter = 'v0_users.admin'

export const v0Users = entity<V0UserRow>({
  name: 'v0_users',
  defaults: { password_hash: null, last_signed_in_at: null, last_signed_in_method: null, disabled_at: null },
  unique: { 'v0_users.email': (row) => foldAscii(row.email) },
  counters: (row) => (row.role === 'admin' ? [adminCounter] : []),
  recorded: (row) => ({ ...row, password_hash: row.password_hash === null ? null : redacted }),
})

/** Legacy user in API responses, without its password hash. */
export const V0User = v.object({
  id: v.string(),
  role: v.pipe(v.picklist(v0Roles), v.description(roleText)),
  email: v.string(),
  last_signed_in_at: v.nullable(v.string()),
  last_signed_in_method: v.nullable(v.string()),
  disabled_at: v.nullable(v.string()),
  inserted_at: v.string(),
  updated_at: v.string(),
})

/** Schema that accepts any value, because the password is checked later, together with its confirmation. */
const anyValue = (schema: JsonSchema) => field<unknown>((input) => ({ value: input }), schema)

const role = enumCast(v0Roles)

/** Fields of an update. Null is refused for a field that cannot store it. */
const changes = {
  email: v.optional(
    documented(TrimmedCast, { type: 'string', minLength: 1, maxLength: 255, pattern: '^[^\\u0000]*@[^\\u0000]*$' }),
  ),
  role: v.optional(documented(role, { type: 'string', enum: v0Roles, description: roleText })),
  password: v.optional(anyValue({ type: ['string', 'null'], maxLength: 128, pattern: '^([^\\u0000]{12,})?$' })),
  password_confirmation: v.optional(anyValue({ type: ['string', 'null'] })),
}

export const V0UserChanges = v.object(changes)

export const V0UserFields = withRules(
  { ...changes, role: v.optional(documented(role, { description: roleText, default: 'unprivileged' })) },
  { required: ['email'] },
)

export const userIdentifier: JsonSchema = {
  type: 'string',
  minLength: 1,
  description: 'Id of the user, a UUID, or its email.',
  examples: ['01932c7e-8a4b-7c3d-9f21-5b6a7c8d9e0f'],
}

export type V0UserInput = v.InferOutput<typeof V0UserFields>
