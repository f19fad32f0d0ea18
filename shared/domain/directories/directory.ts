import * as v from 'valibot'
import { recordOf } from '../../core/json/record-of.ts'
import { type Entity, entity, type Row } from '../../table/entity.ts'
import { EmailDomains } from '../../values/email-domains.ts'
import {
  Bool,
  EmailAddress,
  HostName,
  NullableHostName,
  OneOf,
  SecretText,
  TenantId,
  Text,
} from '../../values/fields.ts'
import { neverSynced, type SyncState, shownSyncState, unloggedOfSync } from '../sync/sync-state.ts'
import { ServiceAccountKey } from './service-account-key.ts'

export const directoryKinds = ['suite', 'tenant', 'idp'] as const
export type DirectoryKind = (typeof directoryKinds)[number]

const groupSyncModes = ['all', 'filtered', 'disabled'] as const
const emailFields = ['userPrincipalName', 'mail'] as const

/** A directory of any kind; the fields of other kinds are missing (A26.1). */
export type DirectoryRow = Row &
  SyncState & {
    account_id: string
    name: string
    /** Domains that the email of an active person must be of; null for any. */
    domains: string[] | null
    /** Lets its runs match, link and move identities of administrators (A26.2(5)). */
    matches_administrators: boolean
    /** Null for all domains of the customer. */
    domain?: string | null
    impersonation_email?: string
    group_sync_mode?: (typeof groupSyncModes)[number]
    orgunit_sync_enabled?: boolean
    /** Sealed. */
    service_account_key?: string
    /** Null for a directory of a tenant from before it was asked for. */
    client_id?: string | null
    idp_domain?: string
    kid?: string
    /** Sealed. */
    private_key?: string
    tenant_id?: string
    /** Sealed. */
    client_secret?: string
    email_field?: (typeof emailFields)[number]
    sync_all_groups?: boolean
  }

/** The fields that requests can send, of all kinds together. */
export type DirectoryInput = Partial<
  Pick<
    DirectoryRow,
    | 'name'
    | 'is_disabled'
    | 'domains'
    | 'matches_administrators'
    | 'domain'
    | 'impersonation_email'
    | 'group_sync_mode'
    | 'orgunit_sync_enabled'
    | 'service_account_key'
    | 'client_id'
    | 'client_secret'
    | 'idp_domain'
    | 'tenant_id'
    | 'email_field'
    | 'sync_all_groups'
  >
> & { accept_deletions?: boolean; rotate_key?: boolean }
export type NewDirectoryInput = DirectoryInput & { name: string }

const ownFields = {
  suite: {
    domain: v.optional(NullableHostName),
    impersonation_email: EmailAddress,
    group_sync_mode: v.optional(OneOf(groupSyncModes)),
    orgunit_sync_enabled: v.optional(Bool),
    service_account_key: ServiceAccountKey,
  },
  tenant: {
    tenant_id: TenantId,
    client_id: Text(255),
    client_secret: SecretText(4096),
    email_field: v.optional(OneOf(emailFields)),
    sync_all_groups: v.optional(Bool),
  },
  idp: { client_id: Text(255), idp_domain: HostName },
} satisfies Record<DirectoryKind, v.ObjectEntries>

const newFields = <E extends v.ObjectEntries>(own: E) =>
  v.object({
    name: Text(255),
    is_disabled: v.optional(Bool),
    domains: v.optional(EmailDomains),
    matches_administrators: v.optional(Bool),
    ...own,
  })

const newFieldsOf = {
  suite: newFields(ownFields.suite),
  tenant: newFields(ownFields.tenant),
  idp: newFields(ownFields.idp),
}

const changedFields = <E extends v.ObjectEntries>(own: E) =>
  v.partial(
    v.object({
      name: Text(255),
      is_disabled: Bool,
      domains: EmailDomains,
      matches_administrators: Bool,
      accept_deletions: Bool,
      ...own,
    }),
  )

const changedFieldsOf = {
  suite: changedFields(ownFields.suite),
  tenant: changedFields(ownFields.tenant),
  idp: changedFields({ ...ownFields.idp, rotate_key: Bool }),
}

export const NewDirectoryFields = (kind: DirectoryKind) => newFieldsOf[kind]
export const DirectoryFields = (kind: DirectoryKind) => changedFieldsOf[kind]

export const defaultsOf: Record<DirectoryKind, Partial<DirectoryRow>> = {
  suite: { domain: null, group_sync_mode: 'all', orgunit_sync_enabled: false },
  tenant: { client_id: null, email_field: 'userPrincipalName', sync_all_groups: false },
  idp: {},
}

/** The field that is unique in an account beside the name. */
const identifying = { suite: 'domain', tenant: 'tenant_id', idp: 'client_id' } as const
export const uniqueFields = (kind: DirectoryKind) => ['name', identifying[kind]] as const

/** The field that each kind is sent its secret in; the key of the identity provider's is made here. */
export const sentSecret = { suite: 'service_account_key', tenant: 'client_secret', idp: null } as const
const secretOf = { suite: ['service_account_key'], tenant: ['client_secret'], idp: ['private_key'] }

function directoryEntity(kind: DirectoryKind): Entity<DirectoryRow> {
  const name = `${kind}_directories`
  return entity<DirectoryRow>({
    name,
    defaults: {
      ...neverSynced,
      domains: null,
      matches_administrators: false,
      ...defaultsOf[kind],
    },
    unique: Object.fromEntries(
      uniqueFields(kind).map((field) => [`${name}.${field}`, (row: DirectoryRow) => row[field] ?? null]),
    ),
    edges: { name: { value: (row) => row.name, counted: true } },
    redact: secretOf[kind],
    unlogged: unloggedOfSync,
  })
}

export const directories = recordOf(directoryKinds, directoryEntity)

const text = v.string()
const shownOwn = {
  suite: {
    domain: v.nullable(text),
    impersonation_email: text,
    group_sync_mode: v.picklist(groupSyncModes),
    orgunit_sync_enabled: v.boolean(),
  },
  tenant: {
    tenant_id: text,
    client_id: v.nullable(text),
    email_field: v.picklist(emailFields),
    sync_all_groups: v.boolean(),
  },
  idp: { client_id: text, idp_domain: text, kid: text },
} satisfies Record<DirectoryKind, v.ObjectEntries>

/** A directory as the API shows it (A26.1): never its secret. */
export const Directory = (kind: DirectoryKind) =>
  v.object({
    id: text,
    account_id: text,
    name: text,
    matches_administrators: v.boolean(),
    ...shownSyncState,
    domains: v.nullable(v.array(text)),
    ...shownOwn[kind],
    inserted_at: text,
    updated_at: text,
  })

/** With the public half of a key that was just made, for registration at the provider (A26.2). */
export const DirectoryWithKey = (kind: DirectoryKind) =>
  kind === 'idp'
    ? v.object({ ...Directory(kind).entries, public_jwk: v.optional(v.record(v.string(), v.string())) })
    : Directory(kind)
