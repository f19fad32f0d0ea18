import { entity, type Row } from '../table/entity.ts'

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
  logo: { url: string | null; data: string | null; type: string | null } | null
  openid_connect_providers: Record<string, unknown>[]
  saml_identity_providers: Record<string, unknown>[]
}

export const v0Configurations = entity<V0ConfigurationRow>({ name: 'v0_configurations' })

/** What a new account starts with. */
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
