import * as v from 'valibot'
import { env } from '../../core/env.ts'
import { recordOf } from '../../core/json/record-of.ts'
import { type Entity, entity, type Row } from '../../table/entity.ts'
import {
  Bool,
  EmailDomains,
  HostName,
  Integer,
  NullableText,
  OneOf,
  OutsideUrl,
  RawText,
  Text,
} from '../../values/fields.ts'

export const providerKinds = ['email_otp', 'oidc', 'suite', 'tenant', 'idp'] as const
export type ProviderKind = (typeof providerKinds)[number]

const contexts = ['clients_and_portal', 'clients_only', 'portal_only'] as const
const verificationMethods = ['none', 'claim', 'proof'] as const
const emailClaims = ['email', 'upn', 'preferred_username'] as const

const clientLifetime = { min: 3_600, max: 7_776_000, fallback: 604_800 }
const portalLifetime = { min: 300, max: 86_400, fallback: 28_800 }

type Values<E extends v.ObjectEntries> = v.InferOutput<v.ObjectSchema<E, undefined>>
type KindFields = typeof ownFields
/** Fields of all provider kinds combined. A provider has only the fields of its own kind. */
type OwnFields = KindFields['oidc'] & KindFields['suite'] & KindFields['tenant'] & KindFields['idp']

/** An auth provider of any kind (A25.1). Fields of other kinds are missing, and `client_secret` is encrypted. */
export type AuthProviderRow = Row &
  Required<Values<typeof commonFields>> &
  Partial<Values<OwnFields>> & {
    account_id: string
    name: string
    issuer: string
    /**
     * Increases with each change of a field that affects trust in the provider. Sign-in codes issued before the change are refused. Not
     * part of API responses.
     */
    trust_version: number
  }

export type AuthProviderInput = Partial<Omit<AuthProviderRow, keyof Row | 'account_id' | 'trust_version'>>
export type NewAuthProviderInput = Omit<AuthProviderInput, 'name'> & { name?: string | null }

const commonFields = {
  context: v.optional(OneOf(contexts)),
  client_session_lifetime_secs: v.optional(Integer(clientLifetime)),
  portal_session_lifetime_secs: v.optional(Integer(portalLifetime)),
  domains: v.optional(EmailDomains),
  is_disabled: v.optional(Bool),
}
const defaultField = { is_default: v.optional(Bool) }
const clientFields = { client_id: Text(255), client_secret: RawText(4096) }

const ownFields = {
  email_otp: {},
  oidc: {
    ...defaultField,
    ...clientFields,
    discovery_document_uri: OutsideUrl,
    email_verification_method: v.optional(OneOf(verificationMethods)),
  },
  suite: { ...defaultField, hosted_domain: v.optional(NullableText(253)) },
  tenant: { ...defaultField, issuer: OutsideUrl, email_claim: v.optional(OneOf(emailClaims)) },
  idp: { ...defaultField, ...clientFields, idp_domain: HostName },
} satisfies Record<ProviderKind, v.ObjectEntries>

/** Fields of a new provider. The name defaults to the name of its kind. */
export const NewAuthProviderFields = (kind: ProviderKind) =>
  v.object({ name: v.optional(NullableText(255)), ...commonFields, ...(ownFields[kind] as OwnFields) })

export const AuthProviderFields = (kind: ProviderKind) =>
  v.partial(v.object({ name: Text(255), ...commonFields, ...(ownFields[kind] as OwnFields) }))

export const authProviderDefaults: Record<ProviderKind, AuthProviderInput & { name: string }> = {
  email_otp: { name: 'Email passcode' },
  oidc: { name: 'OpenID Connect', is_default: false, email_verification_method: 'claim' },
  suite: { name: 'Suite', is_default: false, hosted_domain: null },
  tenant: { name: 'Tenant', is_default: false, email_claim: 'upn' },
  idp: { name: 'Idp', is_default: false },
}

export const commonDefaults = {
  context: 'clients_and_portal',
  client_session_lifetime_secs: clientLifetime.fallback,
  portal_session_lifetime_secs: portalLifetime.fallback,
  domains: null,
  trust_version: 1,
  is_disabled: false,
} as const

/** Returns whether administrators may sign in to the portal with a provider (A25.1). */
export const opensPortal = ({ context }: Pick<AuthProviderRow, 'context'>): boolean => context !== 'clients_only'

/** Provider kinds that an account can have only once (A25.2(4)). */
const singleKinds: ProviderKind[] = ['email_otp', 'suite']
export const singleSet = 'auth_providers.single'

const collectionOf = (kind: ProviderKind) => `${kind}_auth_providers`

function providerEntity(kind: ProviderKind): Entity<AuthProviderRow> {
  const name = collectionOf(kind)
  const { name: _name, ...kindDefaults } = authProviderDefaults[kind]
  return entity<AuthProviderRow>({
    name,
    defaults: { ...commonDefaults, ...kindDefaults },
    unique: {
      [`${name}.name`]: (row) => row.name,
      ...(singleKinds.includes(kind) && { [singleSet]: () => kind }),
      ...('client_id' in ownFields[kind] && { [`${name}.client_id`]: (row: AuthProviderRow) => row.client_id ?? null }),
      ...(kind === 'tenant' && { [`${name}.issuer`]: (row: AuthProviderRow) => row.issuer }),
    },
    indexes: { name: { value: (row) => row.name, counted: true } },
    redact: 'client_secret' in ownFields[kind] ? ['client_secret'] : [],
  })
}

export const authProviders = recordOf(providerKinds, providerEntity)

const text = v.string()
const shownOwn = {
  email_otp: {},
  oidc: {
    is_default: v.boolean(),
    client_id: text,
    discovery_document_uri: text,
    email_verification_method: v.picklist(verificationMethods),
    callback_uri: text,
  },
  suite: { is_default: v.boolean() },
  tenant: { is_default: v.boolean(), email_claim: v.picklist(emailClaims) },
  idp: { is_default: v.boolean(), client_id: text, idp_domain: text, callback_uri: text },
} satisfies Record<ProviderKind, v.ObjectEntries>

/** Auth provider in API responses, without its secret (A25.1). */
export const AuthProvider = (kind: ProviderKind) =>
  v.object({
    id: text,
    account_id: text,
    name: text,
    issuer: text,
    is_disabled: v.boolean(),
    context: v.picklist(contexts),
    client_session_lifetime_secs: v.number(),
    portal_session_lifetime_secs: v.number(),
    domains: v.nullable(v.array(text)),
    ...shownOwn[kind],
    last_error: v.nullable(text),
    last_error_at: v.nullable(text),
    inserted_at: text,
    updated_at: text,
  })

/**
 * Kinds for which the account chooses the identity provider. Such a provider may be hostile, so each has its own callback
 * (docs/decisions/0021).
 */
const chosenKinds: readonly ProviderKind[] = ['oidc', 'idp']

/** Path of a provider's callback. A null id selects the shared callback of the kinds that the deployment configures. */
export const callbackPath = (providerId: string | null): string =>
  providerId === null ? '/sign_in/callback' : `/sign_in/callback/${providerId}`

/** Redirect URI to register at a provider (I2.2). */
export const callbackUri = (address: string, kind: ProviderKind, id: string): string =>
  address + callbackPath(chosenKinds.includes(kind) ? id : null)

/** Tenant id of personal accounts, which belong to no organization and cannot sign in. */
const personalAccounts = '9188040d-6c67-4c5b-b112-36a304b66dad'

/**
 * Extracts the tenant id from an issuer. Returns null for issuers outside the deployment's cloud directory, which must not receive the
 * app's secret (I1.3).
 */
export function tenantOfIssuer(issuer: string): string | null {
  const [before = '', after = ''] = env.tenantIssuer.split('{tenant_id}')
  if (!issuer.startsWith(before) || !issuer.endsWith(after)) return null
  const tenant = issuer.slice(before.length, issuer.length - after.length)
  return /^[A-Za-z0-9-]{1,64}$/.test(tenant) && tenant.toLowerCase() !== personalAccounts ? tenant : null
}
