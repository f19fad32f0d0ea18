import { createPublicKey } from 'node:crypto'
import { people, teams } from './company.ts'
import { type FakeAnswer, type FakeRequest, type FakeServer, type Fault, fakeServer, Refusal } from './fake-server.ts'
import { always, on } from './faults.ts'
import { keyOfJwk, thumbprint, tokenHash, verifiedJwt } from './jwt.ts'

export type IdpUser = {
  id: string
  status: string
  profile: { login: string; email: string | null; firstName: string; lastName: string; displayName?: string | null }
}
export type IdpGroup = {
  id: string
  type: 'OKTA_GROUP' | 'APP_GROUP' | 'BUILT_IN'
  name: string
  lastMembershipUpdated: string
  /** Ids of users. */
  members: string[]
}
export type IdpApp = {
  id: string
  label: string
  status: 'ACTIVE' | 'INACTIVE'
  signOnMode: string
  applicationType: 'web' | 'native' | 'browser' | 'service'
  /** Ids of directly assigned users. Members of `groups` are assigned too. */
  users: string[]
  groups: string[]
}

export type IdpData = {
  clientId: string
  /** Registered public keys, as JWKs with a `kid`. */
  keys: Record<string, unknown>[]
  scopes: string[]
  /** True if the app requires access tokens that are bound to a key (DPoP, RFC 9449). */
  dpop: boolean
  users: IdpUser[]
  groups: IdpGroup[]
  apps: IdpApp[]
  /** Maximum number of requests to each API collection until the limits are reset. */
  rateLimit: number
}

type Issued = { scopes: string[]; jkt: string | null; isExpired?: boolean }
export type IdpFake = FakeServer & {
  data: IdpData
  nonce: string
  issued: Map<string, Issued>
  usedAssertions: Set<string>
  used: Map<string, number>
  /** Current time of the provider in milliseconds since 1970. */
  now: () => number
}

export const idpUser = (id: string, fields: Partial<IdpUser> = {}): IdpUser => ({
  id,
  status: 'ACTIVE',
  profile: { login: `${id}@example.com`, email: `${id}@example.com`, firstName: 'Person', lastName: id },
  ...fields,
})
export const idpGroup = (id: string, members: string[] = [], fields: Partial<IdpGroup> = {}): IdpGroup => ({
  id,
  type: 'OKTA_GROUP',
  name: `Group ${id}`,
  lastMembershipUpdated: '2026-01-01T00:00:00.000Z',
  members,
  ...fields,
})
export const idpApp = (id: string, fields: Partial<IdpApp> = {}): IdpApp => ({
  id,
  label: `App ${id}`,
  status: 'ACTIVE',
  signOnMode: 'OPENID_CONNECT',
  applicationType: 'web',
  users: [],
  groups: [],
  ...fields,
})

/** Returns the data of an organization with one application, to which all groups are assigned. */
export function idpCompany(size: number, groupCount: number): Pick<IdpData, 'users' | 'groups' | 'apps'> {
  const idOf = (number: number) => `00u${String(number).padStart(10, '0')}`
  const groups = teams(groupCount, size).map(({ name, people }, at) => idpGroup(`00g${at}`, people.map(idOf), { name }))
  return {
    users: people(size).map(({ number, given, family, email }) =>
      idpUser(idOf(number), { profile: { login: email, email, firstName: given, lastName: family } }),
    ),
    groups,
    apps: [idpApp('0oa1', { label: 'Network access', groups: groups.map(({ id }) => id) })],
  }
}

const apiError = (status: number, errorCode: string, errorSummary: string, headers = {}): FakeAnswer => ({
  status,
  headers,
  json: { errorCode, errorSummary, errorLink: errorCode, errorId: 'oae-fake', errorCauses: [] },
})
const refuse = (...parts: Parameters<typeof apiError>) => new Refusal(apiError(...parts))
const refuseToken = (status: number, error: string, error_description: string, headers = {}) =>
  new Refusal({ status, headers, json: { error, error_description } })

/**
 * Returns the thumbprint of the key in a proof of possession (RFC 9449), or null without a proof.
 * @throws Refusal if the proof is invalid
 */
function provenKey(fake: IdpFake, request: FakeRequest, token: string | null): string | null {
  const proof = request.headers.dpop
  if (typeof proof !== 'string') return null
  const jwt = verifiedJwt(proof, ({ jwk }) => keyOfJwk(jwk))
  const fits =
    jwt?.header.typ === 'dpop+jwt' &&
    jwt.claims.htm === request.method &&
    jwt.claims.htu === `${fake.url}${request.path}` &&
    typeof jwt.claims.jti === 'string' &&
    (token === null ? jwt.claims.nonce === fake.nonce : jwt.claims.ath === tokenHash(token))
  if (jwt && token === null && jwt.claims.nonce !== fake.nonce) {
    const description = 'Authorization server requires nonce in DPoP proof.'
    throw refuseToken(400, 'use_dpop_nonce', description, { 'dpop-nonce': fake.nonce })
  }
  if (!jwt || !fits) throw refuseToken(400, 'invalid_dpop_proof', 'The DPoP proof JWT is invalid.')
  return thumbprint(jwt.header.jwk as Record<string, unknown>)
}

function checkAssertion(fake: IdpFake, { form }: FakeRequest): void {
  const { data, url } = fake
  const jwt = verifiedJwt(form.get('client_assertion') ?? '', ({ kid }) => {
    const jwk = data.keys.find((key) => key.kid === kid)
    return jwk ? createPublicKey({ key: jwk as Record<string, string>, format: 'jwk' }) : null
  })
  if (!jwt) throw refuseToken(401, 'invalid_client', 'The client_assertion signature is invalid.')
  const { iss, sub, aud, exp, jti } = jwt.claims
  if (iss !== data.clientId || sub !== data.clientId) {
    throw refuseToken(400, 'invalid_client', 'Invalid value for client_id parameter.')
  }
  const seconds = fake.now() / 1_000
  if (aud !== `${url}/oauth2/v1/token` || !(Number(exp) > seconds) || Number(exp) > seconds + 3_600) {
    throw refuseToken(401, 'invalid_client', 'The audience claim or the expiration of client_assertion is invalid.')
  }
  if (fake.usedAssertions.has(String(jti))) {
    throw refuseToken(401, 'invalid_client', 'The client_assertion token has already been used.')
  }
  if (jti !== undefined) fake.usedAssertions.add(String(jti))
}

function token(fake: IdpFake, request: FakeRequest): FakeAnswer {
  const { form } = request
  if (form.get('grant_type') !== 'client_credentials')
    throw refuseToken(400, 'unsupported_grant_type', 'Not supported.')
  checkAssertion(fake, request)
  const jkt = provenKey(fake, request, null)
  if (fake.data.dpop && jkt === null)
    throw refuseToken(400, 'invalid_dpop_proof', 'The DPoP proof JWT header is missing.')
  const scopes = (form.get('scope') ?? '').split(' ').filter(Boolean)
  if (!scopes.every((scope) => fake.data.scopes.includes(scope))) {
    throw refuseToken(
      400,
      'invalid_scope',
      'One or more scopes are not configured for the authorization server resource.',
    )
  }
  const access_token = `fake-${fake.issued.size}-token`
  fake.issued.set(access_token, { scopes, jkt })
  const token_type = jkt === null ? 'Bearer' : 'DPoP'
  return { json: { token_type, expires_in: 3_600, access_token, scope: scopes.join(' ') } }
}

function checkToken(fake: IdpFake, request: FakeRequest, scope: string): void {
  const [type, text = ''] = (request.headers.authorization ?? '').split(' ')
  const issued = fake.issued.get(text)
  if (!issued || issued.isExpired || type !== (issued.jkt === null ? 'Bearer' : 'DPoP')) {
    throw refuse(401, 'E0000011', 'Invalid token provided')
  }
  if (issued.jkt !== null && provenKey(fake, request, text) !== issued.jkt) {
    throw refuse(401, 'E0000011', 'Invalid token provided')
  }
  if (!issued.scopes.includes(scope)) {
    throw refuse(403, 'E0000006', 'You do not have permission to perform the requested action', {
      'www-authenticate': `Bearer authorization_uri="${fake.url}", error="insufficient_scope", scope="${scope}"`,
    })
  }
}

/** Returns a page of a list, with one `link` header line per link, as the real provider does. */
function page(fake: IdpFake, request: FakeRequest, list: unknown[], min: number, max: number): FakeAnswer {
  const limit = Number(request.query.get('limit') ?? min)
  if (!(limit >= min && limit <= max)) throw refuse(400, 'E0000001', `Api validation failed: limit`)
  const after = request.query.get('after')
  if (after !== null && !/^c\d+$/.test(after)) throw refuse(400, 'E0000031', 'Invalid search criteria.')
  const start = after === null ? 0 : Number(after.slice(1))
  const link = (place: number | null, rel: string) => {
    const url = new URL(`${fake.url}${request.path}?${request.query}`)
    if (place !== null) url.searchParams.set('after', `c${place}`)
    return `<${url}>; rel="${rel}"`
  }
  const next = start + limit < list.length ? [link(start + limit, 'next')] : []
  return { headers: { link: [link(null, 'self'), ...next] }, json: list.slice(start, start + limit) }
}

const time = '2026-01-01T00:00:00.000Z'
const shownUser = (user: IdpUser) => ({
  ...user,
  created: time,
  activated: time,
  statusChanged: time,
  lastUpdated: time,
  type: { id: 'oty1' },
  credentials: { provider: { type: 'OKTA', name: 'OKTA' } },
  _links: { self: { href: `https://example.okta.com/api/v1/users/${user.id}` } },
})
const shownGroup = ({ id, type, name, lastMembershipUpdated }: IdpGroup) => ({
  id,
  created: time,
  lastUpdated: time,
  lastMembershipUpdated,
  objectClass: ['okta:user_group'],
  type,
  profile: { name, description: null },
})
const shownApp = (app: IdpApp) => ({
  id: app.id,
  name: 'oidc_client',
  label: app.label,
  status: app.status,
  lastUpdated: time,
  created: time,
  features: [],
  signOnMode: app.signOnMode,
  settings: { app: {}, oauthClient: { application_type: app.applicationType, grant_types: ['authorization_code'] } },
})

function assignedUsers({ users, groups }: IdpData, app: IdpApp): { user: IdpUser; scope: 'USER' | 'GROUP' }[] {
  const ofGroups = new Set(groups.filter(({ id }) => app.groups.includes(id)).flatMap(({ members }) => members))
  const direct = new Set(app.users)
  return users
    .filter(({ id }) => direct.has(id) || ofGroups.has(id))
    .map((user) => ({ user, scope: direct.has(user.id) ? 'USER' : 'GROUP' }))
}

const shownAppUser = ({ user, scope }: { user: IdpUser; scope: string }, expanded: boolean) => ({
  id: user.id,
  created: time,
  lastUpdated: time,
  scope,
  status: user.status === 'ACTIVE' ? 'ACTIVE' : 'INACTIVE',
  statusChanged: time,
  syncState: 'DISABLED',
  credentials: { userName: user.profile.login },
  profile: {},
  ...(expanded && { _embedded: { user: shownUser(user) } }),
})

function appRoute(
  fake: IdpFake,
  request: FakeRequest,
  id: string,
  below: string | undefined,
  member: string | undefined,
) {
  const { data } = fake
  const app = data.apps.find((one) => one.id === id)
  if (!app) throw refuse(404, 'E0000007', `Not found: Resource not found: ${id} (AppInstance)`)
  const expanded = request.query.get('expand')
  if (below === 'users' && member !== undefined) {
    const found = assignedUsers(data, app).find(({ user }) => user.id === member)
    if (!found) throw refuse(404, 'E0000007', `Not found: Resource not found: ${member} (AppUser)`)
    return { json: shownAppUser(found, false) }
  }
  if (below === 'users') {
    const list = assignedUsers(data, app).map((one) => shownAppUser(one, expanded === 'user'))
    return page(fake, request, list, 1, 500)
  }
  if (below === 'groups') {
    const list = data.groups
      .filter((group) => app.groups.includes(group.id))
      .map((group, priority) => ({
        id: group.id,
        lastUpdated: time,
        priority,
        profile: {},
        ...(expanded === 'group' && { _embedded: { group: shownGroup(group) } }),
      }))
    return page(fake, request, list, 20, 200)
  }
  return { json: shownApp(app) }
}

function route(fake: IdpFake, request: FakeRequest): FakeAnswer {
  const { data } = fake
  const [, collection = '', id, below, member] =
    /^\/api\/v1\/(\w+)(?:\/([^/]+))?(?:\/([^/]+))?(?:\/([^/]+))?$/.exec(request.path) ?? []
  checkToken(fake, request, `okta.${collection}.read`)
  if (collection === 'apps' && id !== undefined) return appRoute(fake, request, id, below, member)
  if (collection === 'apps') {
    const filter = request.query.get('filter') ?? ''
    const status = /^status eq "(\w+)"$/.exec(filter)?.[1]
    const user = /^user\.id eq "(\w+)"$/.exec(filter)?.[1]
    const list = data.apps
      .filter((app) => status === undefined || app.status === status)
      .filter((app) => user === undefined || assignedUsers(data, app).some((one) => one.user.id === user))
      .map(shownApp)
    return page(fake, request, list, 1, 200)
  }
  if (collection === 'groups' && below === 'users') {
    const group = data.groups.find((one) => one.id === id)
    if (!group) throw refuse(404, 'E0000007', `Not found: Resource not found: ${id} (UserGroup)`)
    const members = new Set(group.members)
    return page(fake, request, data.users.filter((user) => members.has(user.id)).map(shownUser), 1, 1_000)
  }
  if (collection === 'users' && id !== undefined) {
    const user = data.users.find((one) => one.id === id)
    if (!user) throw refuse(404, 'E0000007', `Not found: Resource not found: ${id} (User)`)
    return { json: shownUser(user) }
  }
  throw refuse(404, 'E0000022', 'The endpoint does not support the provided HTTP method')
}

/** Applies the rate limit to each collection. The limit does not reset over time; a test clears `used` instead. */
function withLimits(fake: IdpFake, { path }: FakeRequest, answer: FakeAnswer): FakeAnswer {
  const bucket = path.split('/')[3] ?? ''
  const used = (fake.used.get(bucket) ?? 0) + 1
  fake.used.set(bucket, used)
  const { rateLimit } = fake.data
  const reset = String(Math.ceil(fake.now() / 1_000) + 30)
  const headers = {
    date: new Date(fake.now()).toUTCString(),
    'x-rate-limit-limit': String(rateLimit),
    'x-rate-limit-remaining': String(Math.max(0, rateLimit - used)),
    'x-rate-limit-reset': reset,
  }
  if (used > rateLimit)
    return apiError(429, 'E0000047', 'API call exceeded rate limit due to too many requests.', headers)
  return { ...answer, headers: { ...headers, ...answer.headers } }
}

/** Starts a fake organization of the identity provider, including its token endpoint. */
export async function idpFake(data: Partial<IdpData> = {}, port?: number): Promise<IdpFake> {
  const limited = (request: FakeRequest): FakeAnswer => {
    try {
      return withLimits(fake, request, route(fake, request))
    } catch (error) {
      if (error instanceof Refusal) return withLimits(fake, request, error.answer)
      throw error
    }
  }
  const server = await fakeServer(
    (request) => (request.path === '/oauth2/v1/token' ? token(fake, request) : limited(request)),
    port,
  )
  const fake: IdpFake = Object.assign(server, {
    nonce: 'nonce-1',
    issued: new Map<string, Issued>(),
    usedAssertions: new Set<string>(),
    used: new Map<string, number>(),
    now: Date.now,
    data: {
      clientId: '0oaservice',
      keys: [],
      scopes: ['okta.users.read', 'okta.groups.read', 'okta.apps.read'],
      dpop: true,
      users: [],
      groups: [],
      apps: [],
      rateLimit: 100_000,
      ...data,
    },
  })
  return fake
}

const apiPath = /^\/api\//

export const idpFaults = {
  throttled: ((request) => {
    if (!apiPath.test(request.path)) return null
    return apiError(429, 'E0000047', 'API call exceeded rate limit due to too many requests.', {
      date: new Date(0).toUTCString(),
      'x-rate-limit-limit': '600',
      'x-rate-limit-remaining': '0',
      'x-rate-limit-reset': '20',
    })
  }) satisfies Fault,
  broken: on(apiPath, always(apiError(500, 'E0000009', 'Internal Server Error'))),
  tokenExpired: on(apiPath, always(apiError(401, 'E0000011', 'Invalid token provided'))),
  missingRight: on(
    apiPath,
    always(
      apiError(403, 'E0000006', 'You do not have permission to perform the requested action', {
        'www-authenticate': 'Bearer error="insufficient_scope", scope="okta.apps.read"',
      }),
    ),
  ),
  noRole: on(apiPath, always(apiError(403, 'E0000006', 'You do not have permission to perform the requested action'))),
  expiredPage: ((request) =>
    request.query.has('after') ? apiError(400, 'E0000001', 'Api validation failed: after') : null) satisfies Fault,
}
