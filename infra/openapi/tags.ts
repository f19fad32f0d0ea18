/** Tags in groups, in the order of the API reference. Each tag has a description. */
const groups: Record<string, Record<string, string>> = {
  'Who may reach what': {
    actors: 'People, and programs that act like people. Create an `api_client` for each program that calls this API.',
    groups:
      'Sets of actors that policies grant access to. The service creates the group Everyone; directories add their own groups.',
    memberships: 'Members of a group. `PUT` replaces the set, `PATCH` adds and removes members.',
    sites: 'Locations in the network. Clients reach a resource through the gateways of its site.',
    resources: 'Targets of access: an IP address, a range, or a DNS name, with ports and protocols.',
    pool_members: 'Clients in a device pool, a resource that consists of devices instead of servers.',
    policies: 'Rules that grant a group access to a resource, under conditions such as country, address or time.',
    access: 'Evaluation of access: whether an actor can reach a resource now and why, and who can reach what.',
  },
  Devices: {
    gateways: 'Programs in a site that carry connections to its resources.',
    gateway_tokens: 'Secrets with which gateways connect, for a whole site or for one gateway, and their rotation.',
    clients:
      'Devices of people and service accounts. A client is created with its first session; administrators rename, verify and delete clients.',
    client_tokens:
      'Secrets with which clients connect. Sign-in creates those of people, administrators create those of service accounts.',
    authorizations: 'Permissions of clients to reach resources through gateways, while they are in force.',
    mdm_posture_providers: 'Device management services whose inventory is synchronized.',
    mdm_devices: 'Managed devices as their vendor reports them. Read-only.',
  },
  'People and sign-in': {
    oidc_auth_providers: 'Sign-in with any OpenID Connect provider, configured by its discovery document.',
    suite_auth_providers: 'Sign-in with the office suite that the deployment is set up for.',
    tenant_auth_providers: 'Sign-in with a tenant of the cloud directory that the deployment is set up for.',
    idp_auth_providers: 'Sign-in with an organization at the identity service that the deployment is set up for.',
    email_otp_auth_providers: 'Sign-in with a passcode that is sent by email.',
    portal_sessions: 'Sessions of administrators in the portal, created by sign-in. Administrators list and end them.',
    external_identities:
      'Links between an actor and a person at a provider, created by sign-in and directories. Deleting one ends the access that it gave.',
    suite_directories: 'Synchronizes people and groups of the office suite.',
    tenant_directories: 'Synchronizes people and groups of a tenant of the cloud directory.',
    idp_directories: 'Synchronizes people and groups of the identity service.',
    jwks: 'Public keys to register at the identity service, so that it trusts a directory.',
    runs: 'Sync runs of a directory or an inventory, with their changes. Runs of directories can be rewound.',
    sign_in: 'Steps by which a browser or client signs in at a provider and gets a token or a session.',
  },
  'Account and record': {
    account: 'The account of the company, its limits and their use.',
    api_tokens: 'Secrets with which programs call this API. A token can be limited to scopes.',
    names: 'Names of objects whose ids the caller has, many per request.',
    search: 'Search in the names, emails, addresses, host names and serials of objects.',
    overview: 'State of the account: counts, problems and flows of the last day.',
    logs: 'Log of changes, sessions, flows and API requests.',
    checkpoints: 'Signed statements about the sealed logs, with which anyone can verify that no entry was changed.',
  },
  'Called by devices': {
    gateway: 'Sessions and heartbeats, for developers of gateways. Requires a gateway token.',
    client:
      'Sessions and authorizations, for developers of clients. Requires a client token; an API token is refused with 401.',
    ingestion: 'Flow reports of gateways and clients. Requires the ingest token of an authorization.',
  },
  'Legacy API': {
    v0: 'The former API under `/v0`, with its own envelopes, errors and names. Do not use it in new programs.',
  },
}

export const tagGroups = Object.entries(groups).map(([name, tags]) => ({ name, tags: Object.keys(tags) }))

export const tagTexts: Record<string, string> = Object.assign({}, ...Object.values(groups))

const surfaces = ['v0', 'gateway', 'client', 'ingestion', 'access', 'sign_in']

/**
 * Tag of a path: `/actors/{id}/client_tokens` has the tag `client_tokens`. In API surfaces such as `/gateway`, the tag is the first
 * segment.
 */
export function openApiTagOf(path: string): string {
  const [first = '', ...rest] = path.split('/').filter((part) => part !== '' && !part.startsWith('{'))
  return surfaces.includes(first) ? first : (rest.find((part) => part.endsWith('s')) ?? first)
}

const acronyms: Record<string, string> = {
  api: 'API',
  mdm: 'MDM',
  oidc: 'OpenID Connect',
  otp: 'passcode',
  idp: 'Idp',
  jwks: 'JWKS',
}

/** Title of a tag: `api_tokens` → `API tokens`. */
export function titleOf(tag: string): string {
  if (tag === 'v0') return 'v0'
  const text = tag.replace(/[^_]+/g, (word) => acronyms[word] ?? word).replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Noun for the object that a path identifies: `/groups/{id}` → `group`. */
export function nounOf(path: string): string {
  const collection = path.split('/{id}')[0]?.split('/').at(-1) ?? ''
  return collection.replace(/ies$/, 'y').replace(/s$/, '').replaceAll('_', ' ')
}
