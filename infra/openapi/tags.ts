/** Groups of tags in the order of the reference, with the description of each tag. */
const groups: Record<string, Record<string, string>> = {
  'Who may reach what': {
    actors: 'People, and programs that act like people. Create an `api_client` for each program that calls this API.',
    groups: 'Sets of actors that policies grant access to. Everyone is made by the service; directories add their own.',
    memberships: 'Which actors are in a group. `PUT` replaces the set, `PATCH` adds and removes.',
    sites: 'Places in the network. A resource is reached through the gateways of its site.',
    resources: 'What can be reached: an IP address, a range, or a DNS name, with ports and protocols.',
    pool_members: 'Which clients are in a device pool, a resource that reaches devices instead of servers.',
    policies: 'Rules: a group gets access to a resource, under conditions such as country, address or time.',
    access: 'Questions: would this person reach this resource now, and why; who reaches what.',
  },
  Devices: {
    gateways: 'Programs in a site that carry connections to its resources.',
    gateway_tokens: 'Secrets that gateways connect with, for a whole site or for one gateway, and their rotation.',
    clients:
      'Devices of people and service accounts. They appear with their first session; administrators rename, verify and delete them.',
    client_tokens:
      'Secrets that clients connect with. Sign-in makes those of people, administrators make those of service accounts.',
    mdm_posture_providers: 'Vendors that manage devices, whose inventory is read.',
    mdm_devices: 'Managed devices as their vendor reports them. Read-only.',
  },
  'People and sign-in': {
    oidc_auth_providers: 'Sign-in with any OpenID Connect provider, found by its discovery document.',
    suite_auth_providers: 'Sign-in with the office suite that the deployment is set up for.',
    tenant_auth_providers: 'Sign-in with a tenant of the cloud directory that the deployment is set up for.',
    idp_auth_providers: 'Sign-in with an organization at the identity service that the deployment is set up for.',
    email_otp_auth_providers: 'Sign-in with a passcode that is sent by email.',
    external_identities:
      'What links an actor to a person at a provider. Made by sign-in and directories; deleting one ends what it gave.',
    suite_directories: 'Synchronizes people and groups of the office suite.',
    tenant_directories: 'Synchronizes people and groups of a tenant of the cloud directory.',
    idp_directories: 'Synchronizes people and groups of the identity service.',
    jwks: 'Public keys to register at the identity service, so that it trusts a directory.',
    runs: 'What a directory or an inventory changed, run by run; runs of directories can be rewound.',
    sign_in: 'The way of a browser or client from a provider to a token or a session.',
  },
  'Account and record': {
    account: 'The company itself, its limits and their use.',
    api_tokens: 'Secrets that programs call this API with. A token can be limited to scopes.',
    logs: 'What was changed, who connected, what flowed, and who asked.',
    checkpoints: 'Signed statements about the sealed logs, with which a stranger verifies that no entry was changed.',
  },
  'Called by devices': {
    gateway: 'Sessions and heartbeats, for authors of gateways. Takes a gateway token.',
    client:
      'Sessions and authorizations, for authors of clients. Takes a client token; an API token is refused with 401.',
    ingestion: 'Reports of flows by gateways and clients. Takes the ingest token of an authorization.',
  },
  'Legacy API': {
    v0: 'The former API under `/v0`, with envelopes, errors and names of its own. New programs do without it.',
  },
}

export const tagGroups = Object.entries(groups).map(([name, tags]) => ({ name, tags: Object.keys(tags) }))

export const tagTexts: Record<string, string> = Object.assign({}, ...Object.values(groups))

const surfaces = ['v0', 'gateway', 'client', 'ingestion', 'access', 'sign_in']

/** Tag of a path: its last segment that is a collection. `/actors/{id}/client_tokens` has the tag `client_tokens`. */
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

/** Noun of the object of a path: `/groups/{id}` → `group`. */
export function nounOf(path: string): string {
  const collection = path.split('/{id}')[0]?.split('/').at(-1) ?? ''
  return collection.replace(/ies$/, 'y').replace(/s$/, '').replaceAll('_', ' ')
}
