import { generateKeyPairSync } from 'node:crypto'
import * as v from 'valibot'
import type { V0Lists } from '../domain/accounts/account.ts'
import { entity, itemRow, type Row, redacted } from '../table/entity.ts'
import { partition } from '../table/keys.ts'
import { queryItems } from '../table/read.ts'
import { ShownList, showList } from './shown-list.ts'

export const logoTexts = {
  url: 'Address of the logo.',
  data: 'The logo itself, as text.',
  type: 'Media type of the logo.',
}

/** Logo in a configuration of the legacy API. @public */
export const V0Logo = v.object({
  url: v.nullable(v.pipe(v.string(), v.description(logoTexts.url))),
  data: v.nullable(v.pipe(v.string(), v.description(logoTexts.data))),
  type: v.nullable(v.pipe(v.string(), v.description(logoTexts.type))),
})
export type Logo = v.InferOutput<typeof V0Logo>

export const idText = 'Short name of the provider, unique in its list; not `identity`, `saml` or `magic_link`.'
export const metadataText = 'SAML metadata of the provider, an XML document.'

/** OpenID Connect provider of a configuration, as stored and returned (`/v0` contract, 12.4). */
export const V0OpenIdProvider = v.object({
  id: v.pipe(v.string(), v.description(idText)),
  label: v.string(),
  client_id: v.string(),
  client_secret: v.string(),
  discovery_document_uri: v.string(),
  redirect_uri: v.nullable(v.string()),
  response_type: v.string(),
  scope: v.string(),
  auto_create_users: v.boolean(),
})
export type V0OpenIdProvider = v.InferOutput<typeof V0OpenIdProvider>

export const V0SamlProvider = v.object({
  id: v.pipe(v.string(), v.description(idText)),
  label: v.string(),
  base_url: v.string(),
  metadata: v.pipe(v.string(), v.description(metadataText)),
  sign_requests: v.boolean(),
  sign_metadata: v.boolean(),
  signed_assertion_in_resp: v.boolean(),
  signed_envelopes_in_resp: v.boolean(),
  auto_create_users: v.boolean(),
})
export type V0SamlProvider = v.InferOutput<typeof V0SamlProvider>

/** Configuration of an account's legacy API, exactly one per account (`/v0` contract, 12.1). */
export type V0ConfigurationRow = Row &
  Omit<v.InferOutput<typeof V0Configuration>, keyof Row | 'default_client_allowed_ips' | 'default_client_dns'> & {
    default_client_allowed_ips: string
    default_client_dns: string
    /** Public half of a key pair whose private half is discarded (`/v0` contract, 10.1). */
    server_public_key: string
  }

export const v0Configurations = entity<V0ConfigurationRow>({
  name: 'v0_configurations',
  defaults: { logo: null, openid_connect_providers: [], saml_identity_providers: [] },
  recorded: ({ server_public_key: _, ...row }) => ({
    ...row,
    openid_connect_providers: row.openid_connect_providers.map((item) => ({ ...item, client_secret: redacted })),
  }),
})

const newServerKey = (): string =>
  generateKeyPairSync('x25519').publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')

export const initialConfiguration = (baseUrl: string): Omit<V0ConfigurationRow, keyof Row> => ({
  allow_unprivileged_device_configuration: true,
  allow_unprivileged_device_management: true,
  local_auth_enabled: true,
  disable_vpn_on_oidc_error: false,
  default_client_allowed_ips: '0.0.0.0/0,::/0',
  default_client_dns: '1.1.1.1,1.0.0.1',
  default_client_endpoint: `${new URL(baseUrl).hostname}:51820`,
  default_client_mtu: 1280,
  default_client_persistent_keepalive: 25,
  vpn_session_duration: 0,
  logo: null,
  openid_connect_providers: [],
  saml_identity_providers: [],
  server_public_key: newServerKey(),
})

export const V0Configuration = v.object({
  id: v.string(),
  allow_unprivileged_device_configuration: v.boolean(),
  allow_unprivileged_device_management: v.boolean(),
  default_client_allowed_ips: ShownList,
  default_client_dns: ShownList,
  default_client_endpoint: v.string(),
  default_client_mtu: v.number(),
  default_client_persistent_keepalive: v.number(),
  disable_vpn_on_oidc_error: v.boolean(),
  local_auth_enabled: v.boolean(),
  logo: v.nullable(V0Logo),
  vpn_session_duration: v.number(),
  openid_connect_providers: v.array(V0OpenIdProvider),
  saml_identity_providers: v.array(V0SamlProvider),
  inserted_at: v.string(),
  updated_at: v.string(),
})

/** Renders a configuration, with lists in the form that the account has chosen (`/v0` contract, 5.8). */
export function showConfiguration(row: V0ConfigurationRow, lists: V0Lists) {
  const { default_client_allowed_ips, default_client_dns } = row
  return {
    ...row,
    default_client_allowed_ips: showList(default_client_allowed_ips, lists),
    default_client_dns: showList(default_client_dns, lists),
  }
}

/** Reads the configuration of an account, which is created together with the account (`/v0` contract, 1.3). */
export async function readConfiguration(account: string): Promise<V0ConfigurationRow> {
  const [item] = await queryItems(partition(account, v0Configurations.name), { limit: 1 })
  if (!item) throw new Error(`The account ${account} has no legacy configuration.`)
  return itemRow(v0Configurations, item)
}
