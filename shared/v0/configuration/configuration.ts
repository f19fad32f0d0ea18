import * as v from 'valibot'
import { entity, type Row, redacted } from '../../table/entity.ts'
import { ShownList } from '../values/shown-list.ts'
import { type Logo, V0Logo } from './logo.ts'
import { V0OpenIdProvider, V0SamlProvider } from './provider.ts'

/** The one configuration of an account's legacy API (`/v0` contract, 12.1). */
export type V0ConfigurationRow = Row & {
  allow_unprivileged_device_configuration: boolean
  allow_unprivileged_device_management: boolean
  local_auth_enabled: boolean
  disable_vpn_on_oidc_error: boolean
  default_client_allowed_ips: string
  default_client_dns: string
  default_client_endpoint: string
  default_client_mtu: number
  default_client_persistent_keepalive: number
  vpn_session_duration: number
  logo: Logo | null
  openid_connect_providers: V0OpenIdProvider[]
  saml_identity_providers: V0SamlProvider[]
}

export const v0Configurations = entity<V0ConfigurationRow>({
  name: 'v0_configurations',
  defaults: { logo: null, openid_connect_providers: [], saml_identity_providers: [] },
  recorded: (row) => ({
    ...row,
    openid_connect_providers: row.openid_connect_providers.map((item) => ({ ...item, client_secret: redacted })),
  }),
})

/** The configuration of a new account. */
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
