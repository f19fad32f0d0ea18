import * as v from 'valibot'
import { entity } from '../../table/entity.ts'
import { rowsBy } from '../../table/read.ts'
import { field, withRules } from '../../values/field.ts'
import { Bool, EmailAddress, OneOf, orNull, Text } from '../../values/fields.ts'
import { foldAscii } from '../../values/text.ts'

export const actorTypes = ['account_user', 'account_admin_user', 'service_account', 'api_client'] as const
export type ActorType = (typeof actorTypes)[number]

export type ActorRow = Omit<v.InferOutput<typeof Actor>, 'last_seen_at'>

/** True for users and administrators, who are the members of the managed group Everyone. */
export const isPerson = (type: ActorType): boolean => type === 'account_user' || type === 'account_admin_user'

/** True for people who can open a portal session: administrators, and people with portal scopes (K11.G14). */
export const hasPortalAccess = ({ type, portal_scopes }: Pick<ActorRow, 'type' | 'portal_scopes'>): boolean =>
  // Rows in commit records of earlier versions lack the field.
  type === 'account_admin_user' || Boolean(portal_scopes)

/** Scopes of an actor's portal sessions; none without portal access. */
export const portalScopesOf = ({ type, portal_scopes }: ActorRow): string[] =>
  portal_scopes ?? (type === 'account_admin_user' ? ['*'] : [])

/** True for administrators who can change the account in the portal. */
export const isFullAdmin = ({ type, portal_scopes }: ActorRow): boolean =>
  type === 'account_admin_user' && !portal_scopes

/** Number of enabled administrators who can change the account in the portal. `count` reads a counter of the account. */
export const countFullAdmins = (count: (counter: string) => number): number =>
  count('actors.enabled.account_admin_user') - count('actors.enabled.limited_admin')

export const actors = entity<ActorRow>({
  name: 'actors',
  defaults: {
    email: null,
    allow_email_otp_sign_in: false,
    portal_scopes: null,
    created_by_directory_id: null,
    is_disabled: false,
  },
  unique: { 'actors.email': (row) => (row.email === null ? null : foldAscii(row.email)) },
  indexes: {
    email: { value: (row) => (row.email === null ? null : foldAscii(row.email)), counted: true },
    name: { value: (row) => row.name, counted: true },
    type: { value: (row) => row.type, counted: true },
    person: { value: (row) => (isPerson(row.type) ? 'true' : null), counted: true },
    has_portal_scopes: { value: (row) => (row.portal_scopes ? 'true' : null) },
    created_by_directory_id: { value: (row) => row.created_by_directory_id },
  },
  counters: (row) => [
    `actors.${row.type}`,
    ...(row.is_disabled ? [] : [`actors.enabled.${row.type}`]),
    ...(row.is_disabled || row.type !== 'account_admin_user' || isFullAdmin(row)
      ? []
      : ['actors.enabled.limited_admin']),
  ],
})

/** Actor in API responses (A12.1). */
export const Actor = v.object({
  id: v.string(),
  name: v.string(),
  email: v.nullable(v.string()),
  type: v.picklist(actorTypes),
  allow_email_otp_sign_in: v.boolean(),
  portal_scopes: v.nullable(v.array(v.literal('*:read'))),
  created_by_directory_id: v.nullable(v.string()),
  is_disabled: v.boolean(),
  last_seen_at: v.nullable(v.string()),
  inserted_at: v.string(),
  updated_at: v.string(),
})

/** Scopes of portal sessions that differ from those of the actor's type. */
const PortalScopes = field<['*:read'] | null>(
  (input) => {
    if (input === null) return { value: null }
    const isReadOnly = Array.isArray(input) && input.length === 1 && input[0] === '*:read'
    return isReadOnly ? { value: ['*:read'] } : { message: 'must be null or ["*:read"]' }
  },
  { type: ['array', 'null'], items: { type: 'string', enum: ['*:read'] }, minItems: 1, maxItems: 1 },
)

const inputFields = {
  name: Text(255),
  type: OneOf(actorTypes),
  email: v.optional(orNull(EmailAddress)),
  allow_email_otp_sign_in: v.optional(Bool),
  portal_scopes: v.optional(PortalScopes),
  is_disabled: v.optional(Bool),
}

/** Fields of an actor that a request can set (A12.2). */
export const ActorFields = v.object(inputFields)
export type ActorInput = v.InferOutput<typeof ActorFields>

const people = actorTypes.filter(isPerson)
const machines = actorTypes.filter((type) => !isPerson(type))

/** Fields of a new actor. Users and administrators require an email; other types must have neither email nor portal scopes. */
export const NewActorFields = withRules(inputFields, {
  anyOf: [
    { required: ['email'], properties: { type: { enum: people }, email: { type: 'string' } } },
    { properties: { type: { enum: machines }, email: { type: 'null' }, portal_scopes: { type: 'null' } } },
  ],
})

/** Reads the enabled administrators of an account, who receive the emails about it (I8). */
export async function enabledAdministrators(accountId: string): Promise<(ActorRow & { email: string })[]> {
  const administrators = await rowsBy(actors, accountId, 'type', 'account_admin_user')
  return administrators.filter(
    (actor): actor is ActorRow & { email: string } => actor.email !== null && !actor.is_disabled,
  )
}
