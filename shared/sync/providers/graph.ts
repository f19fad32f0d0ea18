import { fieldsOf } from '../../core/json/is-object.ts'
import type { GuardedFetch } from '../../outside/guarded-fetch.ts'
import { bearer, type Call, get, type Provider, type ProviderResponse, type ResponseFields } from './call.ts'
import { faultClassifier, providerRefusals, tokenFaultClassifier } from './faults.ts'
import { type Limits, requestPace } from './pace.ts'
import { checkCount, checkNextPosition, entriesOfResponse, invalidData, PageWatch } from './rows.ts'
import { formTokenSource } from './tokens.ts'

export type GraphConnection = { tokenUrl: string; apiUrl: string; clientId: string; clientSecret: string }

/** Settings and credentials of a tenant directory (A26.1). */
export type TenantConnection = GraphConnection & {
  issuer: string
  emailField: 'userPrincipalName' | 'mail'
  syncAllGroups: boolean
}

/** Advice for the tenant's administrator, by token endpoint error code (`identity-wire.md`, 1.3). */
const adviceOf: Record<number, string> = {
  7000229: 'the app registration has no consent in this tenant',
  65001: 'the app registration has no consent in this tenant',
  700016: 'client_id must be the id of an app registration of this tenant',
  90002: 'tenant_id must be an existing tenant',
  7000215: 'client_secret must be the value of a secret of the app registration, not its id',
  7000222: 'client_secret has expired',
}

const transientCodes = new Set([90033, 90036, 50196])

const codesOf = ({ error_codes }: ResponseFields) => (Array.isArray(error_codes) ? error_codes : []).map(Number)

/** Classifies token errors by their codes, because Microsoft often changes the error messages. */
const tokenFault = tokenFaultClassifier([
  {
    when: ({ body }) =>
      body.error === 'temporarily_unavailable' || codesOf(body).some((code) => transientCodes.has(code)),
    is: 'retry',
  },
  {
    status: providerRefusals,
    is: 'fatal',
    advice: ({ body }) => codesOf(body).flatMap((code) => adviceOf[code] ?? [])[0],
  },
])

const expiredTokenCodes: unknown[] = ['InvalidAuthenticationToken', 'TokenExpired']

function graphFault(rights: string[]): Provider['faultOf'] {
  const advice = `consent for ${rights.join(', ')} is missing or was revoked`
  return faultClassifier(
    ({ error }) => [fieldsOf(error).code, fieldsOf(error).message],
    [
      {
        status: [401],
        when: ({ body }) => expiredTokenCodes.includes(fieldsOf(body.error).code),
        is: 'token_expired',
        advice,
      },
      // Treats 401 as fatal, because device management returns 401 for a missing permission. A new token would not help.
      { status: [401, 403], is: 'fatal', advice },
      {
        status: [404],
        when: ({ call }) => call.url.pathname.includes('/servicePrincipals'),
        is: 'fatal',
        advice: 'the app registration has no service principal in this tenant: its consent was revoked',
      },
      { status: [404], when: ({ call }) => /\/(groups|users)\/[^/]+/.test(call.url.pathname), is: 'object_gone' },
    ],
  )
}

/** Position in a list: the next link without its host, the number of rows read so far, and the provider's total. */
type GraphPosition = { link: string; read: number; stated: number | null }

function parseLink(call: Call, link: unknown): string | null {
  if (link === undefined || link === null) return null
  if (typeof link !== 'string' || !URL.canParse(link)) throw invalidData(call, '@odata.nextLink is not a URL')
  const { pathname, search } = new URL(link)
  return `${pathname}${search}`
}

/** Replaces the scheme, host and base path of a page link with those of the configured address (I1.2). */
function rebaseLink(apiUrl: string, link: string): string {
  const url = new URL(apiUrl)
  const base = url.pathname.replace(/\/$/, '')
  const [path = '', ...query] = link.split('?')
  // Uses setters, which never change the host. In a concatenated URL, a path without a leading slash could extend the host (`x:.example`).
  url.pathname = path.startsWith(`${base}/`) ? path : `${base}${path}`
  url.search = query.join('?')
  return url.href
}

/**
 * If this share of the rate limit is used, calls pause to leave capacity for other clients. Microsoft Graph does not report lower shares.
 */
const crowdedShare = 0.8

const holdMs = ({ headers }: ProviderResponse) =>
  Number(headers.get('x-ms-throttle-limit-percentage')) >= crowdedShare ? 2_000 : 0

/**
 * Creates a reader of lists of Microsoft Graph v1.0 (`identity-wire.md`, 1.3). Permission errors advise administrators to consent to
 * `rights`.
 */
export function graph(
  { tokenUrl, apiUrl, clientId: client_id, clientSecret: client_secret }: GraphConnection,
  fetch: GuardedFetch,
  rights: string[],
  limits: Limits,
) {
  const scope = `${new URL(apiUrl).origin}/.default`
  const form = { client_id, client_secret, scope, grant_type: 'client_credentials' }
  const provider: Provider = {
    secrets: [client_secret],
    tokens: formTokenSource(tokenUrl, fetch, tokenFault, () => ({ form, secret: client_secret })),
    pace: requestPace(limits, holdMs),
    send: bearer(fetch),
    faultOf: graphFault(rights),
  }
  const watch = new PageWatch()
  return async (
    path: string,
    query: Record<string, string>,
    position: string | null,
    { cost, id }: { cost?: number; id?: string } = {},
  ) => {
    const parsed: GraphPosition | null = position === null ? null : JSON.parse(position)
    // Requests eventual consistency only for counted lists, because Microsoft Graph requires it for counts.
    const counted = query.$count && { consistencylevel: 'eventual' }
    const headers = { 'x-ms-throttle-priority': 'low', ...counted }
    const { call, body } = parsed
      ? await get(provider, rebaseLink(apiUrl, parsed.link), {}, { headers, cost, continues: true })
      : await get(provider, `${apiUrl}/v1.0/${path}`, query, { headers, cost })
    const rows = entriesOfResponse(call, body.value, 'value', id)
    const count = body['@odata.count']
    const stated = parsed ? parsed.stated : typeof count === 'number' ? count : null
    const read = (parsed?.read ?? 0) + rows.length
    const link = checkNextPosition(call, parseLink(call, body['@odata.nextLink']), parsed?.link ?? null)
    if (link === null) checkCount(call, read, stated)
    const next = link === null ? null : JSON.stringify({ link, read, stated } satisfies GraphPosition)
    return { call, rows, next, barren: watch.isBarren(path, rows, position, link) }
  }
}

export const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`
