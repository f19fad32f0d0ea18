import { instant, integer, orNone, type Texts, text } from './text.ts'

/** Descriptions of fields that report whether a different field has the configuration's default. */
const usesDefaults = (...names: string[]): Texts => {
  const meaning = 'is that of the configuration; false when a value is sent without it.'
  return Object.fromEntries(names.map((name) => [`use_default_${name}`, text(`Whether \`${name}\` ${meaning}`, false)]))
}

export const v0Texts: Texts = {
  'v0_configurations.client_id': text('Client ID of this service at the OpenID provider.', 'vpn'),
  'v0_open_id_providers.client_id': text('Client ID of this service at the OpenID provider.', 'vpn'),
  allow_unprivileged_device_configuration: text('Whether users may configure their devices.', true),
  allow_unprivileged_device_management: text('Whether users may add and remove devices.', true),
  auto_create_users: text('Whether users are created at their first login through this provider.', false),
  base_url: text('Base URL at which the provider reaches this service.', 'https://access.example.net/auth/saml'),
  default_client_allowed_ips: text(
    'Default networks that devices reach through the tunnel, separated by commas, or an array.',
    '0.0.0.0/0,::/0',
  ),
  default_client_dns: text('Default DNS servers of devices, separated by commas, or an array.', '1.1.1.1,1.0.0.1'),
  default_client_endpoint: text('Default endpoint of devices: a host, or host and port.', 'access.example.net:51820'),
  default_client_mtu: integer('Default MTU of devices, 576 to 1500.', 1280),
  default_client_persistent_keepalive: integer('Default seconds between keepalives of devices, 0 to 120.', 25),
  disable_vpn_on_oidc_error: text(
    'Whether devices of a user are disconnected when the OpenID session of the user cannot be renewed.',
    false,
  ),
  label: text('Display name of the provider.', 'Staff login'),
  local_auth_enabled: text('Whether users may log in with a password.', true),
  logo: text('Logo to show: a URL, or data with its media type; null if there is none.'),
  openid_connect_providers: text('The OpenID providers; an update replaces all of them.'),
  response_type: text('The response type of the OpenID request.', 'code'),
  saml_identity_providers: text('The SAML providers; an update replaces all of them.'),
  scope: text('OpenID scopes to request, separated by blanks.', 'openid email profile'),
  sign_metadata: text('True when this service signs its SAML metadata.', true),
  sign_requests: text('True when this service signs its requests to the provider.', true),
  signed_assertion_in_resp: text('True when unsigned assertions are refused.', true),
  signed_envelopes_in_resp: text('True when unsigned responses are refused.', true),
  vpn_session_duration: integer('Seconds after which people must log in again; 0 means never.', 86_400),

  // Fields of rules and users of the legacy API.
  'v0_users.email': text('Email address of the user, unique in the account.', 'ada@example.com'),
  action: text('Action for matching traffic.', 'accept'),
  destination: text('IP address or CIDR block.', '192.0.2.0/24'),
  disabled_at: orNone(instant('Time at which the user was disabled; null if enabled.')),
  last_signed_in_at: instant('Time of the last sign-in; null before the first one.'),
  last_signed_in_method: text('Method of the last sign-in; null before the first one.', null),
  password: text('Password, 12 to 128 characters. No password by default.', 'seven-green-boats'),
  password_confirmation: text('The same password again, as confirmation.', 'seven-green-boats'),
  port_range: text(
    'One port, or the lowest and the highest of a range; null for all, with `port_type`.',
    '8000 - 8100',
  ),
  port_type: text('The protocol of the ports; null for all traffic, with `port_range`.', 'tcp'),

  // Fields of devices of the legacy API.
  'v0_devices.description': text('Note, at most 2048 characters; null if there is none.', 'Work laptop'),
  'v0_devices.ipv4': text('IPv4 tunnel address; assigned at creation unless set.', '100.64.0.7'),
  'v0_devices.ipv6': text('IPv6 tunnel address; assigned at creation unless set.', 'fd00:2021:1111::7'),
  'v0_devices.name': text('Name of the device. The service generates one by default.', 'laptop'),
  'v0_devices.public_key': text(
    'Public key of the tunnel in base64, unique in the account.',
    'c2FtcGxlIHB1YmxpYyBrZXkgb2YgMzIgYnl0ZXMuLi4=',
  ),
  allowed_ips: text(
    'Networks that the device reaches through the tunnel, separated by commas, or an array.',
    '0.0.0.0/0,::/0',
  ),
  dns: text('DNS servers of the device, separated by commas, or an array.', '1.1.1.1,1.0.0.1'),
  endpoint: text('Endpoint of the device: a host, or host and port.', 'access.example.net:51820'),
  latest_handshake: orNone(instant('Time of the last handshake of the tunnel; null before the first one.')),
  mtu: integer('MTU of the tunnel, 576 to 1500.', 1280),
  persistent_keepalive: integer('Seconds between keepalives, 0 to 120.', 25),
  preshared_key: text(
    'Preshared key of the tunnel, base64. Generated at creation by default.',
    'c2FtcGxlIHByZXNoYXJlZCBrZXkgb2YgMzIgYnl0ZXM=',
  ),
  remote_ip: text('Address from which the device last connected; null before the first connection.', null),
  server_public_key: text(
    'Public key of the server, base64; the same for all devices of an account.',
    'vo+9/V5oP+L8r4f/wotb5xS4GsIFNcGpgk0xGTF3yQc=',
  ),
  ...usesDefaults('allowed_ips', 'dns', 'endpoint', 'mtu', 'persistent_keepalive'),
}
