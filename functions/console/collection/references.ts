import { useQueries } from '@tanstack/react-query'
import type { CalledRoute, Operations } from '../client/api-types.ts'
import type { Problem } from '../client/problem.ts'
import { useRead } from '../client/queries.ts'
import { send } from '../client/request.ts'
import { hasScope, type Session, useSession } from '../session/session.ts'
import { optionOf } from '../texts/texts.ts'
import type { ReferenceName, Row } from './collection.ts'

type Reference = { list: CalledRoute; address: string; title: string }

/** Lists that resolve ids to names, and the addresses of their details. */
export const references: Record<ReferenceName, Reference> = {
  actors: { list: 'GET /actors', address: '/actors', title: 'name' },
  groups: { list: 'GET /groups', address: '/groups', title: 'name' },
  resources: { list: 'GET /resources', address: '/resources', title: 'name' },
  sites: { list: 'GET /sites', address: '/sites', title: 'name' },
  clients: { list: 'GET /clients', address: '/clients', title: 'name' },
  gateways: { list: 'GET /gateways', address: '/gateways', title: 'name' },
  policies: { list: 'GET /policies', address: '/policies', title: 'description' },
}

/** Rows of a collection to choose from, by default at most 1,000, from one request. */
export function useChoices(name: ReferenceName | undefined, enabled = true, limit = 1000) {
  const session = useSession()
  const { list } = references[name ?? 'sites']
  const isAllowed = name !== undefined && hasScope(session, name, 'read')
  const read = useRead(list as 'GET /sites', { path: {}, query: { limit }, enabled: enabled && isAllowed })
  const rows = (read.data?.answer.data ?? []) as unknown as Row[]
  return { rows, total: read.data?.answer.metadata.total ?? 0, isLoading: read.isLoading }
}

/** Maximum number of choices that are loaded where a search finds the others, so that a screen of a large account is as small (K10.3). */
export const searchedChoices = 100

/** Object by its id: one of the choices, which a screen loads anyway, or else from a request of its own. */
export function useObject(name: 'actors' | 'resources', id: string): { row: Row | undefined; error: Problem | null } {
  const { rows, isLoading } = useChoices(name, true, searchedChoices)
  const listed = rows.find((row) => row.id === id)
  const route = name === 'actors' ? 'GET /actors/{id}' : 'GET /resources/{id}'
  const read = useRead(route as 'GET /actors/{id}', { path: { id }, enabled: !isLoading && !listed })
  return { row: listed ?? (read.data?.answer.data as Row | undefined), error: read.error }
}

export type WantedNames = Partial<Record<ReferenceName, string[]>>

export type Names = (name: ReferenceName, id: string) => string | undefined

/** Collections whose names one request resolves (K11.G2). */
const byNames: readonly ReferenceName[] = ['actors', 'groups', 'resources', 'sites', 'clients', 'gateways']

/** Maximum number of ids in a request for names (K11.G2). */
const maxNamed = 100

/** Queries of `GET /names` that resolve ids, of the collections that the session may read, with at most 100 ids each. */
export function nameQueries(session: Session, wanted: WantedNames): Array<Record<string, string>> {
  const pairs = byNames
    .filter((name) => hasScope(session, name, 'read'))
    .flatMap((name) => [...new Set(wanted[name])].sort().map((id) => ({ name, id })))
  return Array.from({ length: Math.ceil(pairs.length / maxNamed) }, (_, page) => {
    const some = Object.groupBy(pairs.slice(page * maxNamed, (page + 1) * maxNamed), ({ name }) => name)
    return Object.fromEntries(Object.entries(some).map(([name, ids]) => [name, ids.map(({ id }) => id).join()]))
  })
}

/** Names in answers of `GET /names`. */
export function namesIn(answers: Array<Operations['GET /names']['answer']>): Names {
  const named = answers.flatMap(({ data }) => data.map(({ object, id, name }) => [`${object} ${id}`, name] as const))
  const names = new Map<string, string>(named)
  return (name, id) => names.get(`${name} ${id}`)
}

/** Resolves the ids of a page to names, with one request per 100 ids (G2). */
export const useNames = (wanted: WantedNames): Names => useNamesState(wanted).names

/** Resolves ids as `useNames`, and returns whether names are still loading. */
export function useNamesState(wanted: WantedNames): { names: Names; isLoading: boolean } {
  const named = useQueries({
    queries: nameQueries(useSession(), wanted).map((query) => ({
      queryKey: ['GET /names', {}, query],
      queryFn: ({ signal }: { signal: AbortSignal }) => send('GET /names', { path: {}, query, signal }),
    })),
  })
  return {
    names: namesIn(named.flatMap(({ data }) => data?.answer ?? [])),
    isLoading: named.some(({ isLoading }) => isLoading),
  }
}

/** Providers that can sign in clients, by id. One request names all kinds. */
export function useProviderNames(enabled: boolean): Map<string, string> {
  const { account } = useSession()
  const options = { path: { slug: account.slug }, query: { context: 'client' as const } }
  const read = useRead('GET /sign_in/{slug}/providers', { ...options, enabled })
  return new Map((read.data?.answer.data ?? []).map(({ id, name, kind }) => [id, name || optionOf('kind', kind)]))
}
