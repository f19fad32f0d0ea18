type Text = { description: string; example?: unknown; format?: string; integer?: boolean }

const id = '01932c7e-8a4b-7c3d-9f21-5b6a7c8d9e0f'
const time = '2026-03-01T12:00:00.000000Z'
const integer = (description: string, example: number): Text => ({ description, example, integer: true })
const usesDefault = (name: string): Text => ({
  description: `Whether \`${name}\` is that of the configuration; false when a value is sent without it.`,
  example: false,
})

/** What a field means wherever it stands: a name has one meaning in the whole API. */
const texts: Record<string, Text> = {
  accepted: integer('How many records were accepted.', 2),
  action: { description: 'What happens to matching traffic.', example: 'accept' },
  actor_email: { description: 'Email of the actor at that time.', example: 'ada@example.com' },
  actor_ids: { description: 'Ids of all members, ascending, without duplicates.', example: [id] },
  actor_name: { description: 'Name of the actor at that time.', example: 'Ada' },
  actor_type: { description: 'Type of the actor at that time.', example: 'account_admin_user' },
  add: { description: 'Ids to add.', example: [id] },
  added: { description: 'Authorizations that have come since the last heartbeat.' },
  address: { description: 'IP, CIDR block or DNS name, normalised for its type.', example: 'wiki.example.com' },
  address_description: { description: 'A remark shown beside the address.', example: 'The company wiki' },
  after: { description: 'The object after the change; null when it was deleted. Secrets are redacted.' },
  allow_email_otp_sign_in: {
    description: 'Whether the actor may sign in with a passcode sent by email.',
    example: true,
  },
  allow_unprivileged_device_configuration: { description: 'Whether users may configure their devices.', example: true },
  allow_unprivileged_device_management: { description: 'Whether users may add and remove devices.', example: true },
  allowed_ips: {
    description: 'Networks that the device reaches through the tunnel, separated by commas, or an array.',
    example: '0.0.0.0/0,::/0',
  },
  applied: { description: 'What the run has changed so far, by kind of object.' },
  at: { description: 'The instant that is meant; now when omitted.', example: time, format: 'date-time' },
  authorizations: { description: 'All authorizations in force; null unless `complete`.' },
  auto_create_users: {
    description: 'Whether users are created at their first login through this provider.',
    example: false,
  },
  available: integer('How many more there may be.', 7),
  base: { description: 'Messages that concern several fields.' },
  base_url: {
    description: 'Address under which the provider finds this service.',
    example: 'https://access.example.net/auth/saml',
  },
  before: { description: 'The object before the change; null when it was created. Secrets are redacted.' },
  change: { description: 'What the run does to the object.', example: 'insert' },
  client_secret: { description: 'Secret of this service at the provider.', example: 'sample-secret' },
  client_session_lifetime_secs: integer(
    'How long a sign-in of a client lasts, in seconds. When sent as null, it is the default, 604800, and answered as that number.',
    604_800,
  ),
  code: { description: 'The reason, for programs.', example: 'not_found' },
  complete: { description: 'Whether the answer holds all authorizations instead of the changes.', example: false },
  conditions: {
    description: 'The conditions that must all hold for the policy to grant access, at most one a property.',
  },
  content_length: integer('Length of the request body in bytes.', 128),
  count: integer('The same number as `total`.', 1),
  data: { description: 'What was asked for.' },
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
  deleted_count: integer('How many were deleted.', 2),
  description: { description: 'A remark for administrators.', example: 'Engineers reach the wiki' },
  destination: { description: 'IP address or CIDR block.', example: '192.0.2.0/24' },
  detail: { description: 'A sentence for this occurrence.', example: 'The requested resource was not found.' },
  device_ids: { description: 'Ids of all members, ascending, without duplicates.', example: [id] },
  disable_vpn_on_oidc_error: {
    description: 'Whether the devices of a user are cut off when its OpenID session cannot be renewed.',
    example: false,
  },
  disabled_at: {
    description: 'When the user was disabled; null when it is not.',
    example: null,
    format: 'date-time',
  },
  discovery_document_uri: {
    description: 'Address of the discovery document; it is not fetched.',
    example: 'https://login.example.net/.well-known/openid-configuration',
  },
  dns: {
    description: 'DNS servers of the device, separated by commas, or an array.',
    example: '1.1.1.1,1.0.0.1',
  },
  domain: { description: 'Domain of the customer that is synchronized; null for all of them.', example: 'example.com' },
  email: { description: 'Email address.', example: 'ada@example.com' },
  endpoint: {
    description: 'Where the device connects to: a host, or host and port.',
    example: 'access.example.net:51820',
  },
  entity_type: { description: 'What the group stands for.', example: 'group' },
  errors: { description: 'Field → messages; only with status 422.', example: { name: ["can't be blank"] } },
  errors_truncated: { description: 'Whether more records are not valid than are listed.', example: false },
  filters: { description: 'The protocols and ports that are exposed; an empty list exposes all.' },
  flow_end: { description: 'When the flow ended; null while it is open.', example: time, format: 'date-time' },
  flow_log_uploads_enabled: { description: 'Whether connections of the policy report flow logs.', example: true },
  flow_start: { description: 'When the flow began.', example: time, format: 'date-time' },
  from: integer('Number of leaves: the first leaf that is asked for, or the size of the earlier checkpoint.', 120),
  hashes: { description: 'Leaf hashes of 32 bytes one after the other, in base64.' },
  heartbeat_secs: integer('How often a heartbeat is expected, in seconds.', 30),
  hostname: { description: 'Host name of the device.', example: 'ada-laptop' },
  hour: {
    description: 'Begin of the hour that is sealed by one leaf, RFC 3339; in a proof, the proof within that hour.',
  },
  hours: { description: 'What the leaves seal: an hour of a stream each.' },
  identifier_for_vendor: { description: 'Identifier that the platform gives the vendor.', example: null },
  idp_domain: { description: 'Host name of the identity provider.', example: 'idp.example.com' },
  idp_id: { description: 'Identifier at the identity provider; null for what was not synchronized.', example: null },
  index: integer('Number of the leaf within its tree, from 0.', 7),
  ingest_token: {
    description: 'Token for reporting the flows of this authorization.',
    example: 'eyJhbGciOiJIUzI1NiJ9.e30.c2ln',
  },
  inner_dst_ip: { description: 'Tunnel address of the responder.', example: '100.64.0.3' },
  inner_dst_port: integer('Port at the responder.', 443),
  inner_src_ip: { description: 'Tunnel address of the initiator.', example: '100.64.0.2' },
  inner_src_port: integer('Port at the initiator.', 50_000),
  ip: { description: 'Address the request came from.', example: '192.0.2.10' },
  ip_stack: { description: 'Which addresses a DNS name is resolved to; null for other types.', example: 'dual' },
  ipv4: {
    description: 'IPv4 tunnel address; the service assigns one at creation unless it was given.',
    example: '100.64.0.7',
  },
  ipv6: {
    description: 'IPv6 tunnel address; the service assigns one at creation unless it was given.',
    example: 'fd00:2021:1111::7',
  },
  is_default: { description: 'Whether this is the default.', example: false },
  is_disabled: { description: 'Whether it is switched off.', example: false },
  key: { description: 'Short key of the account, unique in the service.', example: 'k3v9qa' },
  label: { description: 'Name of the provider as people see it.', example: 'Staff login' },
  last_signed_in_at: {
    description: 'Time of the last sign-in; null before the first.',
    example: time,
    format: 'date-time',
  },
  last_signed_in_method: { description: 'Method of the last sign-in; null before the first.', example: null },
  latest_handshake: {
    description: 'Time of the last handshake of the tunnel; null before the first.',
    example: null,
    format: 'date-time',
  },
  leaf_hash: { description: 'Hash of the leaf (RFC 6962), in base64.' },
  leaf_index: integer('Number of the leaf in its log, from 0: how many came before it.', 1234),
  legal_name: { description: 'Registered name.', example: 'Example Ltd' },
  limit: integer('Most rows a page holds.', 50),
  limits: { description: 'The limits that are set, with their use.' },
  local_auth_enabled: { description: 'Whether users may log in with a password.', example: true },
  log: { description: 'The sealed log.', example: 'changes' },
  log_id: { description: 'Id of the log entry.', example: '06f2b5c4d8e17a3900000000' },
  logo: { description: 'What is shown as logo: an address, or data with its media type; null for none.' },
  metadata: { description: 'Where this page stands in its list.' },
  method: { description: 'Method of the request.', example: 'POST' },
  more: { description: 'Whether more is waiting: ask again at once.', example: false },
  mtu: integer('MTU of the tunnel, 576 to 1500.', 1280),
  name: { description: 'Name.', example: 'Engineering' },
  next_page: { description: 'Cursor of the next page; null on the last one.', example: null },
  note: { description: 'The checkpoint as a signed note (C2SP tlog-checkpoint); null before the first seal.' },
  object: { description: 'Kind of the changed object.', example: 'group' },
  online: { description: 'Whether a session is live.', example: true },
  openid_connect_providers: { description: 'The OpenID providers; an update replaces all of them.' },
  operation: { description: 'What was done.', example: 'update' },
  operator: { description: 'How the values are compared; `is_in` when omitted.', example: 'is_in' },
  origin: { description: 'First line of the checkpoint: host, account and log.' },
  outers: { description: 'The outer connections that carried the flow.' },
  outcome: {
    description: 'How the run ended; null while it is under way. `stopped`: too much would have been deleted.',
    example: 'applied',
  },
  password: { description: 'Password, 12 to 128 characters; none when left out.', example: 'seven-green-boats' },
  password_confirmation: { description: 'The password once more.', example: 'seven-green-boats' },
  path: { description: 'Path of the request; of a proof, its hashes in base64, from the leaf upward.' },
  persistent_keepalive: integer('Seconds between keepalives, 0 to 120.', 25),
  phase: { description: 'What the run is doing, or did last.', example: 'read' },
  planned: { description: 'What the run found to change, by kind of object.' },
  port_range: {
    description: 'One port, or the lowest and the highest of a range; null for all, with `port_type`.',
    example: '8000 - 8100',
  },
  port_type: { description: 'The protocol of the ports; null for all traffic, with `port_range`.', example: 'tcp' },
  portal_session_lifetime_secs: integer(
    'How long people who sign in to the portal will stay signed in, in seconds. Nobody can sign in yet. When sent as null, it is the default, 28800, and answered as that number.',
    28_800,
  ),
  ports: { description: 'Ports and port ranges; an empty list means all.', example: ['443', '8000 - 8080'] },
  preshared_key: {
    description: 'Preshared key of the tunnel, base64; generated when left out at creation.',
    example: 'c2FtcGxlIHByZXNoYXJlZCBrZXkgb2YgMzIgYnl0ZXM=',
  },
  prev_page: { description: 'Cursor of the previous page; null on the first one.', example: null },
  property: {
    description: 'What the condition tests; `remote_ip_location_region` when omitted.',
    example: 'remote_ip_location_region',
  },
  protocol: { description: 'Transport protocol.', example: 'tcp' },
  public_key: {
    description: 'Public key of the tunnel, base64.',
    example: 'c2FtcGxlIHB1YmxpYyBrZXkgb2YgMzIgYnl0ZXMuLi4=',
  },
  push_installation_id: { description: 'Identifier for push messages.', example: null },
  redirect_uri: {
    description: 'Where the provider sends people back to; null for the address of this service.',
    example: 'https://access.example.net/cb',
  },
  region: { description: 'ISO 3166-1 alpha-2 code of a country or region.', example: 'DE' },
  rejected: integer('How many records were not valid.', 1),
  remove: { description: 'Ids to remove.', example: [id] },
  removed: { description: 'Authorizations that have ended since the last heartbeat.' },
  request_id: { description: 'Same as the header `x-request-id`.', example: '0f6b7a52-6a55-4f0e-9d4c-2f1b8c1f7d11' },
  resources: { description: 'What the client can connect to now, oldest first.' },
  resources_cursor: {
    description: 'Where `GET /client/sessions/{id}/resources` goes on with what did not fit; null when all are here.',
    example: null,
  },
  response_type: { description: 'The response type of the OpenID request.', example: 'code' },
  remote_ip: { description: 'Address the device last connected from; null before the first time.', example: null },
  role: { description: 'Which end of the connection reports.', example: 'responder' },
  root: { description: 'Root hash of the tree (RFC 6962), in base64.' },
  run_id: { description: 'The sync run that caused the change; null where none did.', example: null, format: 'uuid' },
  saml_identity_providers: { description: 'The SAML providers; an update replaces all of them.' },
  scope: { description: 'The scopes that are asked for.', example: 'openid email profile' },
  scopes: {
    description: 'What the token may do: `*`, `*:read`, `<collection>:read`, `<collection>:write`.',
    example: ['*'],
  },
  seen: { description: 'What the provider has told, by kind of object.' },
  server_public_key: {
    description: 'Public key of the server, base64; the same for all devices of an account.',
    example: 'vo+9/V5oP+L8r4f/wotb5xS4GsIFNcGpgk0xGTF3yQc=',
  },
  sign_metadata: { description: 'Whether our metadata are signed.', example: true },
  sign_requests: { description: 'Whether our requests are signed.', example: true },
  signed_assertion_in_resp: { description: 'Whether assertions must be signed.', example: true },
  signed_envelopes_in_resp: { description: 'Whether responses must be signed.', example: true },
  since: {
    description: 'Position of the last heartbeat; the answer holds what has changed since.',
    example: 'MDE5MzJjN2U',
  },
  size: integer('Number of leaves of the tree.', 1300),
  skipped: {
    description: 'How many entries of the provider could not be used, or were kept as they are, by reason.',
    example: { no_email: 2 },
  },
  skipped_sample: { description: 'The first of them, at most 50.' },
  slug: { description: 'Name of the account in addresses, unique in the service.', example: 'example' },
  status: { description: 'Status.', example: 'ok' },
  stream: { description: 'The log stream whose hour is sealed.', example: 'session' },
  subject: { description: 'Who acted, from where and with what; null for the service itself.' },
  svc_id: { description: 'Identifies the installation, unique per actor.', example: 'installation-1' },
  timestamp: { description: 'When it happened.', example: time, format: 'date-time' },
  title: { description: 'The HTTP reason phrase.', example: 'Not Found' },
  to: integer(
    'Number of leaves: the leaf behind the last that is asked for, or the size of the later checkpoint.',
    1300,
  ),
  token: { description: 'The secret. Shown once, here.', example: 'nag_opaque' },
  total: integer('How many there are.', 1),
  truncated: {
    description: 'Names of the fields that are cut, as the whole would be too large for an answer; absent otherwise.',
  },
  type: { description: 'Kind.' },
  use_default_allowed_ips: usesDefault('allowed_ips'),
  use_default_dns: usesDefault('dns'),
  use_default_endpoint: usesDefault('endpoint'),
  use_default_mtu: usesDefault('mtu'),
  use_default_persistent_keepalive: usesDefault('persistent_keepalive'),
  used: integer('How many there are.', 3),
  user_agent: { description: 'Software that sent the request.', example: 'curl/8.5.0' },
  values: { description: 'What the property is compared with.', example: ['DE', 'PL'] },
  verified_at: {
    description: 'When an administrator verified the device; null when unverified.',
    example: time,
    format: 'date-time',
  },
  verifier_key: { description: 'Key that verifies the note: <name>+<hash>+<base64>.' },
  version: { description: 'Version of the software.', example: '1.4.0' },
  vpn_session_duration: integer('Seconds after which people must log in again; 0 for never.', 86_400),
}

const words = (name: string): string => name.replaceAll('_', ' ')
const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

/** Ids that are no UUIDs of this service. */
const foreignIds =
  /^(svc|idp|log|mdm|client|tenant|user|blueprint|push_installation|tenant_device|mail_sync_device)_id$/

/** Description, example and form of a field, by its name; what has no text of its own is described by rule. */
export function fieldText(name: string): Text {
  const known = texts[name]
  if (known) return known
  if (name === 'id') return { description: 'Id, a UUID.', example: id, format: 'uuid' }
  if (name.endsWith('_id') && !foreignIds.test(name) && !/installation_id$/.test(name))
    return { description: `Id of the ${words(name.slice(0, -3))}.`, example: id, format: 'uuid' }
  if (name.endsWith('_at'))
    return {
      description: `Time of ${words(name.slice(0, -3))}, in UTC with microseconds.`,
      example: time,
      format: 'date-time',
    }
  if (/_(port|packets|bytes|count|secs)$/.test(name)) return integer(sentence(words(name)), 443)
  if (/_ip$/.test(name)) return { description: sentence(words(name)), example: '192.0.2.10' }
  return { description: sentence(words(name)) }
}
