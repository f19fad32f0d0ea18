import { integer, type Texts } from './text.ts'

/** The configuration of the legacy API. */
export const v0ConfigurationTexts: Texts = {
  'v0_configurations.client_id': { description: 'Identifier of this service at the OpenID provider.', example: 'vpn' },
  'v0_open_id_providers.client_id': {
    description: 'Identifier of this service at the OpenID provider.',
    example: 'vpn',
  },
  allow_unprivileged_device_configuration: { description: 'Whether users may configure their devices.', example: true },
  allow_unprivileged_device_management: { description: 'Whether users may add and remove devices.', example: true },
  auto_create_users: {
    description: 'Whether users are created at their first login through this provider.',
    example: false,
  },
  base_url: {
    description: 'Address under which the provider finds this service.',
    example: 'https://access.example.net/auth/saml',
  },
  default_client_allowed_ips: {
    description: 'Networks that devices reach through the tunnel by default, separated by commas, or an array.',
    example: '0.0.0.0/0,::/0',
  },
  default_client_dns: {
    description: 'DNS servers of devices by default, separated by commas, or an array.',
    example: '1.1.1.1,1.0.0.1',
  },
  default_client_endpoint: {
    description: 'Where devices connect to by default: a host, or host and port.',
    example: 'access.example.net:51820',
  },
  default_client_mtu: integer('MTU of devices by default, 576 to 1500.', 1280),
  default_client_persistent_keepalive: integer('Seconds between keepalives of devices by default, 0 to 120.', 25),
  disable_vpn_on_oidc_error: {
    description: 'Whether the devices of a user are cut off when its OpenID session cannot be renewed.',
    example: false,
  },
  label: { description: 'Name of the provider as people see it.', example: 'Staff login' },
  local_auth_enabled: { description: 'Whether users may log in with a password.', example: true },
  logo: { description: 'What is shown as logo: an address, or data with its media type; null for none.' },
  openid_connect_providers: { description: 'The OpenID providers; an update replaces all of them.' },
  response_type: { description: 'The response type of the OpenID request.', example: 'code' },
  saml_identity_providers: { description: 'The SAML providers; an update replaces all of them.' },
  scope: { description: 'What the OpenID request asks for, separated by blanks.', example: 'openid email profile' },
  sign_metadata: { description: 'True when this service signs the description of itself.', example: true },
  sign_requests: { description: 'True when this service signs what it sends to the provider.', example: true },
  signed_assertion_in_resp: { description: 'True when assertions without a signature are refused.', example: true },
  signed_envelopes_in_resp: { description: 'True when responses without a signature are refused.', example: true },
  vpn_session_duration: integer('Seconds after which people must log in again; 0 for never.', 86_400),
}
