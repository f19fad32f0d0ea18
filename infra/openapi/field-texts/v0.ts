import { instant, integer, orNone, type Texts, text } from './text.ts'

/** Texts of fields that report whether another field has its default. */
const usesDefaults = (...names: string[]): Texts => {
  const said = 'is that of the configuration; false when a value is sent without it.'
  return Object.fromEntries(names.map((name) => [`use_default_${name}`, text(`Whether \`${name}\` ${said}`, false)]))
}

/** The configuration of the legacy API. */
export const v0Texts: Texts = {
  'v0_configurations.client_id': text('Identifier of this service at the OpenID provider.', 'vpn'),
  'v0_open_id_providers.client_id': text('Identifier of this service at the OpenID provider.', 'vpn'),
  allow_unprivileged_device_configuration: text('Whether users may configure their devices.', true),
  allow_unprivileged_device_management: text('Whether users may add and remove devices.', true),
  auto_create_users: text('Whether users are created at their first login through this provider.', false),
  base_url: text('Address under which the provider finds this service.', 'https://access.example.net/auth/saml'),
  default_client_allowed_ips: text(
    'Networks that devices reach through the tunnel by default, separated by commas, or an array.',
    '0.0.0.0/0,::/0',
  ),
  default_client_dns: text('DNS servers of devices by default, separated by commas, or an array.', '1.1.1.1,1.0.0.1'),
  default_client_endpoint: text(
    'Where devices connect to by default: a host, or host and port.',
    'access.example.net:51820',
  ),
  default_client_mtu: integer('MTU of devices by default, 576 to 1500.', 1280),
  default_client_persistent_keepalive: integer('Seconds between keepalives of devices by default, 0 to 120.', 25),
  disable_vpn_on_oidc_error: text(
    'Whether the devices of a user are cut off when its OpenID session cannot be renewed.',
    false,
  ),
  label: text('Name of the provider as people see it.', 'Staff login'),
  local_auth_enabled: text('Whether users may log in with a password.', true),
  logo: text('What is shown as logo: an address, or data with its media type; null for none.'),
  openid_connect_providers: text('The OpenID providers; an update replaces all of them.'),
  response_type: text('The response type of the OpenID request.', 'code'),
  saml_identity_providers: text('The SAML providers; an update replaces all of them.'),
  scope: text('What the OpenID request asks for, separated by blanks.', 'openid email profile'),
  sign_metadata: text('True when this service signs the description of itself.', true),
  sign_requests: text('True when this service signs what it sends to the provider.', true),
  signed_assertion_in_resp: text('True when assertions without a signature are refused.', true),
  signed_envelopes_in_resp: text('True when responses without a signature are refused.', true),
  vpn_session_duration: integer('Seconds after which people must log in again; 0 for never.', 86_400),

  // Rules and users of the legacy API.
  'v0_users.email': text('Address of the user, unique in the account.', 'ada@example.com'),
  action: text('What happens to matching traffic.', 'accept'),
  destination: text('IP address or CIDR block.', '192.0.2.0/24'),
  disabled_at: orNone(instant('When the user was disabled; null when it is not.')),
  last_signed_in_at: instant('Time of the last sign-in; null before the first.'),
  last_signed_in_method: text('Method of the last sign-in; null before the first.', null),
  password: text('Password, 12 to 128 characters; none when left out.', 'seven-green-boats'),
  password_confirmation: text('The password once more.', 'seven-green-boats'),
  port_range: text(
    'One port, or the lowest and the highest of a range; null for all, with `port_type`.',
    '8000 - 8100',
  ),
  port_type: text('The protocol of the ports; null for all traffic, with `port_range`.', 'tcp'),

  // Devices of the legacy API.
  'v0_devices.description': text('A remark, at most 2048 characters; null for none.', 'Work laptop'),
  'v0_devices.ipv4': text('IPv4 tunnel address; assigned at creation unless it was given.', '100.64.0.7'),
  'v0_devices.ipv6': text('IPv6 tunnel address; assigned at creation unless it was given.', 'fd00:2021:1111::7'),
  'v0_devices.name': text('What people call the device; made by the service when left out.', 'laptop'),
  'v0_devices.public_key': text(
    'Public key of the tunnel in base64, unique in the account.',
    'c2FtcGxlIHB1YmxpYyBrZXkgb2YgMzIgYnl0ZXMuLi4=',
  ),
  allowed_ips: text(
    'Networks that the device reaches through the tunnel, separated by commas, or an array.',
    '0.0.0.0/0,::/0',
  ),
  dns: text('DNS servers of the device, separated by commas, or an array.', '1.1.1.1,1.0.0.1'),
  endpoint: text('Where the device connects to: a host, or host and port.', 'access.example.net:51820'),
  latest_handshake: orNone(instant('Time of the last handshake of the tunnel; null before the first.')),
  mtu: integer('MTU of the tunnel, 576 to 1500.', 1280),
  persistent_keepalive: integer('Seconds between keepalives, 0 to 120.', 25),
  preshared_key: text(
    'Preshared key of the tunnel, base64; generated when left out at creation.',
    'c2FtcGxlIHByZXNoYXJlZCBrZXkgb2YgMzIgYnl0ZXM=',
  ),
  remote_ip: text('Address the device last connected from; null before the first time.', null),
  server_public_key: text(
    'Public key of the server, base64; the same for all devices of an account.',
    'vo+9/V5oP+L8r4f/wotb5xS4GsIFNcGpgk0xGTF3yQc=',
  ),
  ...usesDefaults('allowed_ips', 'dns', 'endpoint', 'mtu', 'persistent_keepalive'),
}
