import { fieldsOf } from '../../../core/json/is-object.ts'
import type { GuardedFetch } from '../../../outside/guarded-fetch.ts'
import { ProviderFault } from '../../provider-fault.ts'
import { ask, bearer, type Provider } from '../ask.ts'
import { type Call, nameOf } from '../call.ts'
import { bothPaces, evenPace, toldPace } from '../pace.ts'
import { PageWatch } from '../page-watch.ts'
import { type Fields, invalidData, nextPlace, rowsOf } from '../rows-of.ts'
import type { GraphConnection } from './connection.ts'
import { graphFault } from './errors.ts'
import { graphTokens } from './token.ts'

/** A place in a list: the provider's link without its host, what was read before it, and what the provider says there is. */
type Place = { link: string; read: number; stated: number | null }

type GraphPage = { call: Call; rows: (Fields & { id: string })[]; next: string | null; barren: boolean }

/** What a page costs in resource units of the provider, 1 unless told, and where its entries have their ids. */
type ListOf = { cost?: number; id?: string }

export type Graph = {
  /** A page of a list, by its path below the version. */
  list(path: string, query: Record<string, string>, position: string | null, of?: ListOf): Promise<GraphPage>
}

/** Path and query of a link. */
function linkOf(call: Call, link: unknown): string | null {
  if (link === undefined || link === null) return null
  if (typeof link !== 'string' || !URL.canParse(link)) throw invalidData(call, '@odata.nextLink is no address')
  const { pathname, search } = new URL(link)
  return `${pathname}${search}`
}

/** A link of a page on the configured address, wherever it says it leads (I1.2); below its path, where it has one. */
function onOwnAddress(apiUrl: string, link: string): URL {
  const url = new URL(apiUrl)
  const base = url.pathname.replace(/\/$/, '')
  const [path = '', ...query] = link.split('?')
  url.pathname = path.startsWith(`${base}/`) ? path : `${base}${path}`
  url.search = query.join('?')
  return url
}

/**
 * How many there are is told once, at the start. Fewer than that were read: someone left meanwhile, or the list is not
 * whole; reading it once more tells which.
 */
function checkCount(call: Call, read: number, stated: number | null): void {
  if (stated === null || read >= stated) return
  const sentence = `${nameOf(call)} answered invalid data: ${stated} entries are counted, and ${read} are listed.`
  throw new ProviderFault('lost_place', sentence, { atLast: 'fatal' })
}

/** Above four fifths of its limits the provider says so: then others get room. */
const crowded = 0.8

type Limits = { perSecond: number; burst: number }

/** Microsoft Graph v1.0 (`identity-wire.md`, 1.3). `rights` are what an administrator hears of when one is missing. */
export function graph(connection: GraphConnection, fetch: GuardedFetch, rights: string[], limits: Limits): Graph {
  const holdMs = ({ headers }: { headers: Headers }) =>
    Number(headers.get('x-ms-throttle-limit-percentage')) >= crowded ? 2_000 : 0
  const provider: Provider = {
    secrets: [connection.clientSecret],
    tokens: graphTokens(connection, fetch),
    pace: bothPaces(evenPace(limits), toldPace(holdMs)),
    send: bearer(fetch),
    faultOf: graphFault(rights),
  }
  const watch = new PageWatch()
  return {
    async list(path, query, position, { cost, id } = {}) {
      const place: Place | null = position === null ? null : JSON.parse(position)
      const url = new URL(`${connection.apiUrl}/v1.0/${path}`)
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
      // Lists are counted by the provider's search, which its other answers do without.
      const counted = query.$count && { consistencylevel: 'eventual' }
      const headers = { 'x-ms-throttle-priority': 'low', ...counted }
      const call: Call = place
        ? { url: onOwnAddress(connection.apiUrl, place.link), headers, cost, continues: true }
        : { url, headers, cost }
      const body = fieldsOf((await ask(provider, call)).json)
      const rows = rowsOf(call, body.value, 'value', id)
      const count = body['@odata.count']
      const stated = place ? place.stated : typeof count === 'number' ? count : null
      const read = (place?.read ?? 0) + rows.length
      const link = nextPlace(call, linkOf(call, body['@odata.nextLink']), place?.link ?? null)
      if (link === null) checkCount(call, read, stated)
      const ids = rows.map((row) => row.id)
      const barren = watch.isBarren(path, ids, position, link)
      return { call, rows, barren, next: link === null ? null : JSON.stringify({ link, read, stated } satisfies Place) }
    },
  }
}

/** A text in a filter. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
