import * as v from 'valibot'
import { entity } from '../../table/entity.ts'
import { withRules } from '../../values/field.ts'
import { Bool, OneOf, RawText, Subdomain, TenantId, Text } from '../../values/fields.ts'
import { neverSynced, type SyncState, shownSyncState, unloggedOfSync } from '../sync/sync-state.ts'

const types = ['mdm', 'tenant'] as const
export type PostureProviderType = (typeof types)[number]
const regions = ['us', 'eu'] as const

export type PostureProviderRow = v.InferOutput<typeof PostureProvider> &
  SyncState & {
    /** Encrypted client secret, for the type `tenant`. */
    client_secret: string | null
    /** Encrypted API token, for the type `mdm`. */
    api_token: string | null
  }

export const postureProviders = entity<PostureProviderRow>({
  name: 'mdm_posture_providers',
  defaults: {
    tenant_id: null,
    client_id: null,
    client_secret: null,
    subdomain: null,
    region: null,
    api_token: null,
    is_verified: false,
    ...neverSynced,
  },
  unique: { 'mdm_posture_providers.name': (row) => row.name },
  redact: ['api_token', 'client_secret'],
  unlogged: unloggedOfSync,
})

const text = v.string()

/** Posture provider in API responses, without its secrets (A28.1). */
export const PostureProvider = v.object({
  id: text,
  account_id: text,
  type: v.picklist(types),
  name: text,
  tenant_id: v.nullable(text),
  client_id: v.nullable(text),
  subdomain: v.nullable(text),
  region: v.nullable(v.picklist(regions)),
  is_verified: v.boolean(),
  ...shownSyncState,
  inserted_at: text,
  updated_at: text,
})

const inputFields = {
  type: OneOf(types),
  name: Text(255),
  is_disabled: v.optional(Bool),
  tenant_id: v.optional(TenantId),
  client_id: v.optional(Text(255)),
  client_secret: v.optional(RawText(4096)),
  subdomain: v.optional(Subdomain),
  region: v.optional(OneOf(regions)),
  api_token: v.optional(Text(4096)),
  accept_deletions: v.optional(Bool),
}

/** Fields of a posture provider that a request can set. Fields that belong to the other type are ignored. */
export const PostureProviderFields = v.object(inputFields)
export type PostureProviderInput = v.InferOutput<typeof PostureProviderFields>

/** Fields that a provider of each type needs to connect to the inventory. All fields of the type are required. */
export const connectionFields = {
  mdm: ['subdomain', 'region', 'api_token'],
  tenant: ['tenant_id', 'client_id', 'client_secret'],
} as const satisfies Record<PostureProviderType, (keyof PostureProviderInput)[]>

/** Fields of a new posture provider. Its type determines the required connection fields. */
export const NewPostureProviderFields = withRules(inputFields, {
  anyOf: types.map((type) => ({ required: connectionFields[type], properties: { type: { enum: [type] } } })),
})
