import * as v from 'valibot'
import { entity } from '../../table/entity.ts'
import { rowsBy } from '../../table/read.ts'
import { withRules } from '../../values/field.ts'
import { Bool, EmailAddress, OneOf, orNull, Text } from '../../values/fields.ts'
import { foldAscii } from '../../values/text.ts'

export const actorTypes = ['account_user', 'account_admin_user', 'service_account', 'api_client'] as const
export type ActorType = (typeof actorTypes)[number]

export type ActorRow = Omit<v.InferOutput<typeof Actor>, 'last_seen_at'>

/** True for users and administrators, who are the members of the managed group Everyone. */
export const isPerson = (type: ActorType): boolean => type === 'account_user' || type === 'account_admin_user'

export const actors = entity<ActorRow>({
  name: 'actors',
  defaults: { email: null, allow_email_otp_sign_in: false, created_by_directory_id: null, is_disabled: false },
  unique: { 'actors.email': (row) => (row.email === null ? null : foldAscii(row.email)) },
  indexes: {
    email: { value: (row) => (row.email === null ? null : foldAscii(row.email)), counted: true },
    name: { value: (row) => row.name, counted: true },
    type: { value: (row) => row.type, counted: true },
    person: { value: (row) => (isPerson(row.type) ? 'true' : null), counted: true },
    created_by_directory_id: { value: (row) => row.created_by_directory_id },
  },
  counters: (row) => [`actors.${row.type}`, ...(row.is_disabled ? [] : [`actors.enabled.${row.type}`])],
})

/** Actor in API responses (A12.1). */
export const Actor = v.object({
  id: v.string(),
  name: v.string(),
  email: v.nullable(v.string()),
  type: v.picklist(actorTypes),
  allow_email_otp_sign_in: v.boolean(),
  created_by_directory_id: v.nullable(v.string()),
  is_disabled: v.boolean(),
  last_seen_at: v.nullable(v.string()),
  inserted_at: v.string(),
  updated_at: v.string(),
})

const inputFields = {
  name: Text(255),
  type: OneOf(actorTypes),
  email: v.optional(orNull(EmailAddress)),
  allow_email_otp_sign_in: v.optional(Bool),
  is_disabled: v.optional(Bool),
}

/** Fields of an actor that a request can set (A12.2). */
export const ActorFields = v.object(inputFields)
export type ActorInput = v.InferOutput<typeof ActorFields>

const people = actorTypes.filter(isPerson)
const machines = actorTypes.filter((type) => !isPerson(type))

/** Fields of a new actor. Users and administrators require an email; other types must not have an email. */
export const NewActorFields = withRules(inputFields, {
  anyOf: [
    { required: ['email'], properties: { type: { enum: people }, email: { type: 'string' } } },
    { properties: { type: { enum: machines }, email: { type: 'null' } } },
  ],
})

/** Reads the enabled administrators of an account, who receive the emails about it (I8). */
export async function enabledAdministrators(accountId: string): Promise<(ActorRow & { email: string })[]> {
  const administrators = await rowsBy(actors, accountId, 'type', 'account_admin_user')
  return administrators.filter(
    (actor): actor is ActorRow & { email: string } => actor.email !== null && !actor.is_disabled,
  )
}
