import { createPrivateKey } from 'node:crypto'
import * as v from 'valibot'
import { fieldsOf } from '../../core/json/is-object.ts'
import { recordOf } from '../../core/json/record-of.ts'
import { type Entity, entity, type Row } from '../../table/entity.ts'
import {
  Bool,
  EmailAddress,
  EmailDomains,
  HostName,
  NullableHostName,
  OneOf,
  RawText,
  TenantId,
  Text,
} from '../../values/fields.ts'
import { neverSynced, type SyncState, shownSyncState, unloggedOfSync } from '../sync/sync-state.ts'

/** Minimum and maximum length of an RSA key in bits. Shorter keys are weak, and the signing time grows with the cube of the length. */
const bits = { min: 2048, max: 8192 }

/** Returns whether a private key has a permitted type and length. Accepts unreadable keys, because the sync run reports why they fail. */
function isUsable(text: string): boolean {
  try {
    const pem = fieldsOf(JSON.parse(text)).private_key
    if (typeof pem !== 'string') return true
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem)
    const length = asymmetricKeyDetails?.modulusLength ?? 0
    return asymmetricKeyType === 'rsa' && length >= bits.min && length <= bits.max
  } catch {
    return true
  }
}

export const ServiceAccountKey = v.pipe(
  Text(16_384),
  v.check(isUsable, `must have an RSA private key of ${bits.min} to ${bits.max} bits`),
)

export const directoryKinds = ['suite', 'tenant', 'idp'] as const
export type DirectoryKind = (typeof directoryKinds)[number]

const groupSyncModes = ['all', 'filtered', 'disabled'] as const
const emailFields = ['userPrincipalName', 'mail'] as const

/** Modulus and exponent of an RSA key, in base64url. */
export type PublicKey = { n: string; e: string }

type Values<E extends v.ObjectEntries> = v.InferOutput<v.ObjectSchema<E, undefined>>
type KindFields = typeof ownFields
/** Fields of all directory kinds combined. A directory has only the fields of its own kind. */
type OwnFields = KindFields['suite'] & KindFields['tenant'] & KindFields['idp']
type OwnValues = Partial<Values<OwnFields>>

/** A directory of any kind (A26.1). Fields of other kinds are missing, and secrets are encrypted. */
export type DirectoryRow = Row &
  SyncState &
  Omit<OwnValues, 'client_id'> &
  Required<Values<typeof commonFields>> & {
    account_id: string
    /** Null for a tenant directory created before this field existed. */
    client_id?: string | null
    kid?: string
    /** Public half of the signing key, stored so that it can be published without decryption. */
    public_key?: PublicKey
    private_key?: string
  }

export type DirectoryInput = OwnValues &
  Partial<Values<typeof commonFields>> & { accept_deletions?: boolean; rotate_key?: boolean }
export type NewDirectoryInput = DirectoryInput & { name: string }

const commonFields = {
  name: Text(255),
  is_disabled: v.optional(Bool),
  /** Email domains to which active people must belong; null permits all domains. */
  domains: v.optional(EmailDomains),
  /** Allows sync runs to match, link and move identities of administrators (A26.2(5)). */
  matches_administrators: v.optional(Bool),
}

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
    client_secret: RawText(4096),
    email_field: v.optional(OneOf(emailFields)),
    sync_all_groups: v.optional(Bool),
  },
  idp: { client_id: Text(255), idp_domain: HostName },
} satisfies Record<DirectoryKind, v.ObjectEntries>

export const NewDirectoryFields = (kind: DirectoryKind) =>
  v.object({ ...commonFields, ...(ownFields[kind] as OwnFields) })

type ChangedFields = OwnFields & { rotate_key: typeof Bool }

export const DirectoryFields = (kind: DirectoryKind) =>
  v.partial(
    v.object({
      ...commonFields,
      accept_deletions: Bool,
      ...((kind === 'idp' ? { ...ownFields.idp, rotate_key: Bool } : ownFields[kind]) as ChangedFields),
    }),
  )

export const directoryDefaults: Record<DirectoryKind, Partial<DirectoryRow>> = {
  suite: { domain: null, group_sync_mode: 'all', orgunit_sync_enabled: false },
  tenant: { client_id: null, email_field: 'userPrincipalName', sync_all_groups: false },
  idp: {},
}

/** Field of each kind that is unique within an account, in addition to the name. */
const identifying = { suite: 'domain', tenant: 'tenant_id', idp: 'client_id' } as const

/** Request field that contains the secret of each kind. Null for `idp`, because the service generates its key. */
export const sentSecret = { suite: 'service_account_key', tenant: 'client_secret', idp: null } as const

function directoryEntity(kind: DirectoryKind): Entity<DirectoryRow> {
  const name = `${kind}_directories`
  return entity<DirectoryRow>({
    name,
    defaults: { ...neverSynced, domains: null, matches_administrators: false, ...directoryDefaults[kind] },
    unique: {
      [`${name}.name`]: (row) => row.name,
      [`${name}.${identifying[kind]}`]: (row) => row[identifying[kind]] ?? null,
    },
    indexes: { name: { value: (row) => row.name, counted: true } },
    redact: [sentSecret[kind] ?? 'private_key'],
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

/** Directory in API responses, without its secrets (A26.1). */
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

/** Directory in responses that include the public half of a newly generated key. This key must be registered at the provider (A26.2). */
export const DirectoryWithKey = (kind: DirectoryKind) =>
  kind === 'idp'
    ? v.object({ ...Directory(kind).entries, public_jwk: v.optional(v.record(v.string(), v.string())) })
    : Directory(kind)
