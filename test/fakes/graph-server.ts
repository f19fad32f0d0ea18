import { type FakeAnswer, type FakeRequest, type FakeServer, type Fault, fakeServer, Refusal } from './fake-server.ts'
import { always, on } from './faults.ts'

export type GraphApp = {
  tenantId: string
  clientId: string
  clientSecret: string
  /** Application permissions that an administrator has consented to. */
  rights: string[]
  /** Origin of page links. As in the real service, it differs from the address of the fake. */
  linkOrigin: string
  /** Maximum number of entries per page, even if a request allows more. Null means no maximum. */
  maxPerPage: number | null
}

export type GraphFake<T> = FakeServer & { data: T; issued: Set<string>; links: Map<string, PagePosition> }

/** Start of the page that a link points to, and the query parameters of the first request. */
type PagePosition = { start: number; query: string }

export const graphError = (status: number, code: string, message: string, headers = {}): FakeAnswer => ({
  status,
  headers,
  json: { error: { code, message, innerError: { date: '2026-01-01T00:00:00', 'request-id': 'fake' } } },
})
export const refuse = (...parts: Parameters<typeof graphError>) => new Refusal(graphError(...parts))

const tokenError = (status: number, error: string, code: number, text: string): FakeAnswer => ({
  status,
  json: {
    error,
    error_description: `AADSTS${code}: ${text} Trace ID: 00000000-0000-0000-0000-000000000000`,
    error_codes: [code],
    timestamp: '2026-01-01 00:00:00Z',
    trace_id: '00000000-0000-0000-0000-000000000000',
    correlation_id: '00000000-0000-0000-0000-000000000000',
  },
})

function token(fake: GraphFake<GraphApp>, { form, path }: FakeRequest): FakeAnswer {
  const { tenantId, clientId, clientSecret, linkOrigin } = fake.data
  if (!path.startsWith(`/${tenantId}/`)) return tokenError(400, 'invalid_request', 90002, 'Tenant not found.')
  if (form.get('client_id') !== clientId) {
    return tokenError(400, 'unauthorized_client', 700016, 'Application not found in the directory.')
  }
  if (form.get('client_secret') !== clientSecret) {
    return tokenError(401, 'invalid_client', 7000215, 'Invalid client secret provided.')
  }
  const scopes = [`${fake.url}/.default`, `${linkOrigin}/.default`]
  if (form.get('grant_type') !== 'client_credentials' || !scopes.includes(form.get('scope') ?? '')) {
    return tokenError(400, 'invalid_scope', 1002012, 'The provided value for scope is not valid.')
  }
  const access_token = `eyJ0.fake-${fake.issued.size}.token`
  fake.issued.add(access_token)
  return { json: { token_type: 'Bearer', expires_in: 3_599, ext_expires_in: 3_599, access_token } }
}

function checkToken(fake: GraphFake<GraphApp>, request: FakeRequest): void {
  const accessToken = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
  if (!fake.issued.has(accessToken))
    throw refuse(401, 'InvalidAuthenticationToken', 'Lifetime validation failed, the token is expired.')
}

/**
 * Checks that the app has one of the permissions.
 * @throws Refusal if the app has none of them
 */
export function needRight(fake: GraphFake<GraphApp>, ...rights: string[]): void {
  if (rights.some((right) => fake.data.rights.includes(right))) return
  throw refuse(403, 'Authorization_RequestDenied', 'Insufficient privileges to complete the operation.')
}

function selectFields(row: Record<string, unknown>, query: URLSearchParams): Record<string, unknown> {
  const select = query.get('$select')
  if (!select) return row
  const fields = select.split(',')
  return Object.fromEntries(Object.entries(row).filter(([field]) => fields.includes(field)))
}

/** Returns a page of a list. The `$skiptoken` in the link to the next page replaces all parameters of the first request. */
export function graphPage(
  fake: GraphFake<GraphApp>,
  request: FakeRequest,
  list: Record<string, unknown>[],
): FakeAnswer {
  const skip = request.query.get('$skiptoken')
  const position = skip === null ? { start: 0, query: String(request.query) } : fake.links.get(skip)
  if (!position) throw refuse(400, 'Directory_ExpiredPageToken', 'The specified page token value has expired.')
  const query = new URLSearchParams(position.query)
  const top = Number(query.get('$top') ?? 100)
  if (!(top >= 1 && top <= 999)) throw refuse(400, 'Request_BadRequest', 'Invalid page size specified.')
  const counts = query.get('$count') === 'true'
  if (counts && request.headers.consistencylevel !== 'eventual') {
    throw refuse(400, 'Request_UnsupportedQuery', '$count is not supported without ConsistencyLevel.')
  }
  const end = position.start + Math.min(top, fake.data.maxPerPage ?? top)
  const link = `skip-${fake.links.size}`
  if (end < list.length) fake.links.set(link, { start: end, query: position.query })
  const next = `${fake.data.linkOrigin}${request.path}?$top=${top}&$skiptoken=${link}`
  return {
    headers: { 'x-ms-resource-unit': '1' },
    json: {
      '@odata.context': `${fake.data.linkOrigin}/v1.0/$metadata#collection`,
      ...(counts && skip === null && { '@odata.count': list.length }),
      ...(end < list.length && { '@odata.nextLink': next }),
      value: list.slice(position.start, end).map((row) => selectFields(row, query)),
    },
  }
}

/** Starts a fake tenant with a token endpoint. `route` serves the API. */
export async function graphServer<T extends GraphApp>(
  data: T,
  route: (fake: GraphFake<T>, request: FakeRequest) => FakeAnswer,
  port?: number,
): Promise<GraphFake<T>> {
  const server = await fakeServer((request) => {
    if (request.path.endsWith('/oauth2/v2.0/token')) return token(fake, request)
    checkToken(fake, request)
    return route(fake, request)
  }, port)
  const fake: GraphFake<T> = Object.assign(server, {
    data,
    issued: new Set<string>(),
    links: new Map<string, PagePosition>(),
  })
  return fake
}

export const graphApp: GraphApp = {
  tenantId: '11111111-1111-4111-8111-111111111111',
  clientId: '22222222-2222-4222-8222-222222222222',
  clientSecret: 'secret~of-the-app',
  rights: ['User.Read.All', 'GroupMember.Read.All', 'Application.Read.All', 'DeviceManagementManagedDevices.Read.All'],
  linkOrigin: 'https://graph.microsoft.com',
  maxPerPage: null,
}

const apiPath = /^\/v1\.0\//
const tokenPath = /\/token$/

export const graphFaults = {
  throttled: on(apiPath, always(graphError(429, 'TooManyRequests', 'Too many requests', { 'retry-after': '7' }))),
  unavailable: on(apiPath, always(graphError(503, 'serviceNotAvailable', 'Unavailable', { 'retry-after': '3' }))),
  broken: on(apiPath, always(graphError(500, 'InternalServerError', 'Internal error'))),
  tokenExpired: on(apiPath, always(graphError(401, 'InvalidAuthenticationToken', 'Lifetime validation failed.'))),
  missingRight: on(apiPath, always(graphError(403, 'Authorization_RequestDenied', 'Insufficient privileges.'))),
  expiredPage: ((request) =>
    request.query.has('$skiptoken')
      ? graphError(400, 'Directory_ExpiredPageToken', 'The specified page token value has expired.')
      : null) satisfies Fault,
  goneDelta: ((request) =>
    request.query.has('$skiptoken') ? graphError(410, 'Gone', 'The page is gone.') : null) satisfies Fault,
  /** Failure of the token endpoint with an `AADSTS` code. */
  token: (code: number, status = 400) => on(tokenPath, always(tokenError(status, 'invalid_client', code, 'Refused.'))),
  tokenUnavailable: on(tokenPath, always(tokenError(400, 'temporarily_unavailable', 90033, 'Try again.'))),
}
