import { fieldsOf } from '../../core/json/is-object.ts'
import type { GuardedFetch } from '../../outside/guarded-fetch.ts'
import { bearer, type Call, get, type Provider, type ProviderResponse, type ResponseFields } from './call.ts'
import { faultsBy, providerRefusals, tokenFaultsBy } from './faults.ts'
import { type Limits, paceOf } from './pace.ts'
import { checkCount, entriesOfResponse, invalidData, nextPlace, PageWatch } from './rows.ts'
import { formTokens } from './tokens.ts'

export type GraphConnection = { tokenUrl: string; apiUrl: string; clientId: string; clientSecret: string }

/** The connection of a tenant directory (A26.1). */
export type TenantConnection = GraphConnection & {
  issuer: string
  emailField: 'userPrincipalName' | 'mail'
  syncAllGroups: boolean
}

/** Advice for an administrator of the tenant by code of the token endpoint (`identity-wire.md`, 1.3). */
const adviceOf: Record<number, string> = {
  7000229: 'the app registration has no consent in this tenant',
  65001: 'the app registration has no consent in this tenant',
  700016: 'client_id has to be an app registration of this tenant',
  90002: 'tenant_id has to be a tenant that is there',
  7000215: 'client_secret has to be the value of a secret of the app registration, not its id',
  7000222: 'client_secret has expired',
}

const passing = new Set([90033, 90036, 50196])

const codesOf = ({ error_codes }: ResponseFields) => (Array.isArray(error_codes) ? error_codes : []).map(Number)

/** Faults of the token endpoint by its codes, because its texts change over and over. */
const tokenFault = tokenFaultsBy([
  {
    when: ({ body }) => body.error === 'temporarily_unavailable' || codesOf(body).some((code) => passing.has(code)),
    is: 'again',
  },
  {
    status: providerRefusals,
    is: 'fatal',
    advice: ({ body }) => codesOf(body).flatMap((code) => adviceOf[code] ?? [])[0],
  },
])

const endedTokens: unknown[] = ['InvalidAuthenticationToken', 'TokenExpired']

function graphFault(rights: string[]): Provider['faultOf'] {
  const advice = `consent for ${rights.join(', ')} is missing, or was taken back`
  return faultsBy(
    ({ error }) => [fieldsOf(error).code, fieldsOf(error).message],
    [
      { status: [401], when: ({ body }) => endedTokens.includes(fieldsOf(body.error).code), is: 'token_ended', advice },
      // Device management answers 401 where a right is missing, which no new token changes.
      { status: [401, 403], is: 'fatal', advice },
      {
        status: [404],
        when: ({ call }) => call.url.pathname.includes('/servicePrincipals'),
        is: 'fatal',
        advice: 'the app registration has no service principal in this tenant: its consent was taken back',
      },
      { status: [404], when: ({ call }) => /\/(groups|users)\/[^/]+/.test(call.url.pathname), is: 'object_gone' },
    ],
  )
}

/** A place in a list: the provider's link without its host, rows read before, and the provider's count of all. */
type Place = { link: string; read: number; stated: number | null }

function linkOf(call: Call, link: unknown): string | null {
  if (link === undefined || link === null) return null
  if (typeof link !== 'string' || !URL.canParse(link)) throw invalidData(call, '@odata.nextLink is no address')
  const { pathname, search } = new URL(link)
  return `${pathname}${search}`
}

/** A link of a page on the configured address, whatever host it names (I1.2); below its path, where it has one. */
function onOwnAddress(apiUrl: string, link: string): string {
  const url = new URL(apiUrl)
  const base = url.pathname.replace(/\/$/, '')
  const [path = '', ...query] = link.split('?')
  // Setters never change the host: the path of a link such as `x:.example` has no slash to end the host with.
  url.pathname = path.startsWith(`${base}/`) ? path : `${base}${path}`
  url.search = query.join('?')
  return url.href
}

/** Share of its limits above which the provider reports it; others get room then. */
const crowded = 0.8

const holdMs = ({ headers }: ProviderResponse) =>
  Number(headers.get('x-ms-throttle-limit-percentage')) >= crowded ? 2_000 : 0

/** Lists of Microsoft Graph v1.0 (`identity-wire.md`, 1.3); faults advise to grant `rights` where one is missing. */
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
    tokens: formTokens(tokenUrl, fetch, tokenFault, () => ({ form, secret: client_secret })),
    pace: paceOf(limits, holdMs),
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
    const place: Place | null = position === null ? null : JSON.parse(position)
    // The provider counts a list by its search, which its other answers do without.
    const counted = query.$count && { consistencylevel: 'eventual' }
    const headers = { 'x-ms-throttle-priority': 'low', ...counted }
    const { call, body } = place
      ? await get(provider, onOwnAddress(apiUrl, place.link), {}, { headers, cost, continues: true })
      : await get(provider, `${apiUrl}/v1.0/${path}`, query, { headers, cost })
    const rows = entriesOfResponse(call, body.value, 'value', id)
    const count = body['@odata.count']
    const stated = place ? place.stated : typeof count === 'number' ? count : null
    const read = (place?.read ?? 0) + rows.length
    const link = nextPlace(call, linkOf(call, body['@odata.nextLink']), place?.link ?? null)
    if (link === null) checkCount(call, read, stated)
    const next = link === null ? null : JSON.stringify({ link, read, stated } satisfies Place)
    return { call, rows, next, barren: watch.isBarren(path, rows, position, link) }
  }
}

export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
