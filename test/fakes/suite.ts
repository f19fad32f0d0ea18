import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { people, teams } from './company.ts'
import { type FakeAnswer, type FakeRequest, type FakeServer, type Fault, fakeServer, Refusal } from './fake-server.ts'
import { always, on } from './faults.ts'
import { verifiedJwt } from './jwt.ts'

export type SuiteUser = {
  id: string
  primaryEmail: string
  name: { fullName: string; givenName: string; familyName: string }
  suspended: boolean
  archived: boolean
  orgUnitPath: string
}
export type SuiteMember = { id?: string; email?: string; type: 'USER' | 'GROUP' | 'CUSTOMER' | 'EXTERNAL' }
export type SuiteGroup = {
  id: string
  email: string
  name: string
  members: SuiteMember[]
  /** True for a group of a different company. The group can be a member, but its details cannot be read. */
  isForeign?: boolean
}
export type SuiteUnit = { orgUnitId: string; orgUnitPath: string; name: string }

export type SuiteData = {
  customerId: string
  domains: string[]
  /** Emails of the users that the service account may impersonate with the scopes in `delegated`. */
  admins: string[]
  delegated: string[]
  users: SuiteUser[]
  groups: SuiteGroup[]
  units: SuiteUnit[]
}

export type SuiteFake = FakeServer & { data: SuiteData; serviceAccountKey: string; issued: Set<string> }

const scope = 'https://www.googleapis.com/auth/admin.directory.'

export const suiteUser = (id: string, fields: Partial<SuiteUser> = {}): SuiteUser => ({
  id,
  primaryEmail: `user${id}@example.com`,
  name: { fullName: `Person ${id}`, givenName: 'Person', familyName: id },
  suspended: false,
  archived: false,
  orgUnitPath: '/',
  ...fields,
})

export const suiteGroup = (id: string, members: SuiteMember[] = [], fields: Partial<SuiteGroup> = {}): SuiteGroup => ({
  id,
  email: `${id}@example.com`,
  name: `Group ${id}`,
  members,
  ...fields,
})

export function suiteCompany(size: number, groupCount: number): Pick<SuiteData, 'users' | 'groups'> {
  const idOf = (number: number) => String(1_000_000_000 + number)
  return {
    users: people(size).map(({ number, given, family, email }) =>
      suiteUser(idOf(number), {
        primaryEmail: email,
        name: { fullName: `${given} ${family}`, givenName: given, familyName: family },
      }),
    ),
    groups: teams(groupCount, size).map(({ name, people }, at) =>
      suiteGroup(
        `g${at}`,
        people.map((number): SuiteMember => ({ id: idOf(number), type: 'USER' })),
        { name, email: `team-${at}@example.com` },
      ),
    ),
  }
}

const apiError = (status: number, reason: string, message: string, domain = 'global'): FakeAnswer => ({
  status,
  json: { error: { code: status, message, errors: [{ domain, reason, message }] } },
})
const refuse = (...parts: Parameters<typeof apiError>) => new Refusal(apiError(...parts))

let keys: { privateKey: string; publicKey: string } | undefined
/** Returns the same key pair for all fakes in a process, because generating a key takes longer than a test. */
function serviceAccount() {
  keys ??= generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  return keys
}

const clientEmail = 'sync@project.iam.gserviceaccount.com'

function token(fake: SuiteFake, { form }: FakeRequest): FakeAnswer {
  const { publicKey } = serviceAccount()
  const jwt = verifiedJwt(form.get('assertion') ?? '', () => createPublicKey(publicKey))
  const { iss, sub, aud, iat, exp, scope: requestedScope } = jwt?.claims ?? {}
  const isGood =
    form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer' &&
    iss === clientEmail &&
    aud === 'https://oauth2.googleapis.com/token' &&
    Number(exp) - Number(iat) <= 3_600 &&
    fake.data.admins.includes(String(sub))
  if (!jwt || !isGood) {
    return { status: 400, json: { error: 'invalid_grant', error_description: 'Invalid email or User ID' } }
  }
  if (
    !String(requestedScope)
      .split(' ')
      .every((one) => fake.data.delegated.includes(one))
  ) {
    const error_description =
      'Client is unauthorized to retrieve access tokens using this method, or client not authorized for any of the scopes requested.'
    return { status: 401, json: { error: 'unauthorized_client', error_description } }
  }
  const access_token = `ya29.fake-${fake.issued.size}-${String(requestedScope).replaceAll(scope, '').replaceAll(' ', '+')}`
  fake.issued.add(access_token)
  return { json: { access_token, expires_in: 3_599, token_type: 'Bearer' } }
}

/** Returns a page of a list, with `nextPageToken` if more pages follow. Omits the list if it is empty, as the real provider does. */
function page<T>({ query }: FakeRequest, name: string, list: T[], size: number): Record<string, unknown> {
  const requestedScope = Number(query.get('maxResults') ?? 100)
  if (!(requestedScope >= 1 && requestedScope <= size)) throw refuse(400, 'invalid', 'Invalid Input: maxResults')
  const place = query.get('pageToken')
  if (place !== null && !/^at-\d+$/.test(place)) throw refuse(400, 'invalid', 'Invalid Input: pageToken')
  const start = place === null ? 0 : Number(place.slice(3))
  const part = list.slice(start, start + requestedScope)
  const next = start + requestedScope < list.length ? { nextPageToken: `at-${start + requestedScope}` } : {}
  return { kind: `admin#directory#${name}`, ...(part.length > 0 && { [name]: part }), ...next }
}

const shownUser = (user: SuiteUser) => ({ kind: 'admin#directory#user', ...user })
const shownGroup = ({ members, isForeign: _, ...group }: SuiteGroup) => ({
  kind: 'admin#directory#group',
  ...group,
  directMembersCount: String(members.length),
})

function listUsers(data: SuiteData, request: FakeRequest): FakeAnswer {
  const { query } = request
  const domain = query.get('domain')
  if (domain !== null && !data.domains.includes(domain)) throw refuse(404, 'domainNotFound', 'Domain not found.')
  if (domain === null && query.get('customer') !== 'my_customer') throw refuse(400, 'badRequest', 'Bad Request')
  const unit = /^orgUnitPath='((?:[^'\\]|\\.)*)'$/.exec(query.get('query') ?? '')?.[1]?.replace(/\\(.)/g, '$1')
  const found = data.users
    .filter(({ primaryEmail }) => domain === null || primaryEmail.endsWith(`@${domain}`))
    .filter(({ orgUnitPath }) => unit === undefined || `${orgUnitPath}/`.startsWith(`${unit}/`))
    .map(shownUser)
  return { json: page(request, 'users', found, 500) }
}

function readMembers(data: SuiteData, request: FakeRequest, group: SuiteGroup): FakeAnswer {
  const members = group.members.map((member) => ({
    kind: 'admin#directory#member',
    role: 'MEMBER',
    ...(member.type !== 'CUSTOMER' && { status: 'ACTIVE' }),
    ...(member.type === 'CUSTOMER' && { id: data.customerId }),
    ...member,
  }))
  return { json: page(request, 'members', members, 200) }
}

function readGroup(data: SuiteData, id: string): SuiteGroup {
  const group = data.groups.find((one) => one.id === id || one.email === id)
  if (!group) throw refuse(404, 'notFound', 'Resource Not Found: groupKey')
  if (group.isForeign) throw refuse(403, 'forbidden', 'Not Authorized to access this resource/api')
  return group
}

function api(fake: SuiteFake, request: FakeRequest): FakeAnswer {
  const { data } = fake
  const accessToken = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
  if (!fake.issued.has(accessToken)) throw refuse(401, 'authError', 'Invalid Credentials')
  const [, collection = '', id, below] =
    /^\/admin\/directory\/v1\/(users|groups|customer)(?:\/([^/]+))?(?:\/([^/]+))?$/.exec(request.path) ?? []
  const right = collection === 'customer' ? 'orgunit' : collection.slice(0, -1)
  if (!accessToken.includes(`${right}.readonly`)) {
    throw refuse(403, 'insufficientPermissions', 'Request had insufficient authentication scopes.')
  }
  if (collection === 'users' && id === undefined) return listUsers(data, request)
  if (collection === 'users') {
    const user = data.users.find((one) => one.id === id)
    if (!user) throw refuse(404, 'notFound', 'Resource Not Found: userKey')
    return { json: shownUser(user) }
  }
  if (collection === 'groups' && id === undefined) {
    const own = data.groups.filter(({ isForeign }) => !isForeign).map(shownGroup)
    return { json: page(request, 'groups', own, 200) }
  }
  if (collection === 'groups' && below === 'members') return readMembers(data, request, readGroup(data, id as string))
  if (collection === 'groups') return { json: shownGroup(readGroup(data, id as string)) }
  if (below === 'orgunits') {
    const organizationUnits = data.units.map((unit) => ({ kind: 'admin#directory#orgUnit', ...unit }))
    return { json: { kind: 'admin#directory#orgUnits', ...(organizationUnits.length > 0 && { organizationUnits }) } }
  }
  throw refuse(404, 'notFound', 'Not Found')
}

/** Starts a fake of a workspace suite with one customer. The token endpoint is `/token`. */
export async function suiteFake(data: Partial<SuiteData> = {}, port?: number): Promise<SuiteFake> {
  const server = await fakeServer(
    (request) => (request.path === '/token' ? token(fake, request) : api(fake, request)),
    port,
  )
  const fake: SuiteFake = Object.assign(server, {
    issued: new Set<string>(),
    serviceAccountKey: JSON.stringify({
      type: 'service_account',
      private_key_id: 'key-1',
      private_key: serviceAccount().privateKey,
      client_email: clientEmail,
      token_uri: 'https://attacker.example.com/token',
    }),
    data: {
      customerId: 'C01example',
      domains: ['example.com'],
      admins: ['admin@example.com'],
      delegated: ['user', 'group', 'orgunit'].map((what) => `${scope}${what}.readonly`),
      users: [],
      groups: [],
      units: [],
      ...data,
    },
  })
  return fake
}

const apiPath = /^\/admin\//

export const suiteFaults = {
  throttled: on(apiPath, always(apiError(403, 'userRateLimitExceeded', 'User Rate Limit Exceeded', 'usageLimits'))),
  accountThrottled: on(apiPath, always(apiError(429, 'rateLimitExceeded', 'Rate Limit Exceeded', 'usageLimits'))),
  broken: on(apiPath, always(apiError(503, 'backendError', 'Backend Error'))),
  tokenExpired: on(apiPath, always(apiError(401, 'authError', 'Invalid Credentials'))),
  missingRight: on(apiPath, always(apiError(403, 'insufficientPermissions', 'Insufficient Permission'))),
  noAdmin: on(apiPath, always(apiError(403, 'forbidden', 'Not Authorized to access this resource/api'))),
  expiredPage: ((request) =>
    request.query.has('pageToken') ? apiError(400, 'invalid', 'Invalid Input: pageToken') : null) satisfies Fault,
}
