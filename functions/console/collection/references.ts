import { isServed, isServedFilter, type Route } from '../client/coming.ts'
import { useRead } from '../client/queries.ts'
import { hasScope, useSession } from '../session/session.ts'
import type { ReferenceName, Row } from './collection.ts'

type Reference = { list: Route; address: string; title: string }

/** Lists that resolve ids to names, and the addresses of their details. */
export const references: Record<ReferenceName, Reference> = {
  actors: { list: 'GET /actors', address: '/actors', title: 'name' },
  groups: { list: 'GET /groups', address: '/groups', title: 'name' },
  resources: { list: 'GET /resources', address: '/resources', title: 'name' },
  sites: { list: 'GET /sites', address: '/sites', title: 'name' },
  clients: { list: 'GET /clients', address: '/clients', title: 'name' },
  policies: { list: 'GET /policies', address: '/policies', title: 'description' },
}

/** Rows of a collection to choose from: at most 1,000, from one request. */
export function useChoices(name: ReferenceName | undefined, enabled = true) {
  const session = useSession()
  const { list } = references[name ?? 'sites']
  const isAllowed = name !== undefined && hasScope(session, name, 'read')
  const read = useRead(list as 'GET /sites', { path: {}, query: { limit: 1000 }, enabled: enabled && isAllowed })
  const rows = (read.data?.answer.data ?? []) as unknown as Row[]
  return { rows, total: read.data?.answer.metadata.total ?? 0, isLoading: read.isLoading }
}

export type Names = (name: ReferenceName, id: string) => string | undefined

/** Collections whose names one request resolves (K11.G2). */
export const byNames: readonly ReferenceName[] = ['actors', 'groups', 'resources', 'sites', 'clients']

/**
 * Resolves the ids of a page to names: with one request for all collections if the service has it (G2), otherwise with the first 1,000
 * rows of each collection.
 */
export function useNames(wanted: Partial<Record<ReferenceName, string[]>>): Names {
  const session = useSession()
  const query = Object.fromEntries(
    byNames
      .map((name) => [name, [...new Set(wanted[name] ?? [])].sort()] as const)
      .filter(([name, ids]) => ids.length > 0 && hasScope(session, name, 'read'))
      .map(([name, ids]) => [name, ids.slice(0, 100).join(',')]),
  )
  const isOneRequest = isServed('GET /names')
  const named = useRead('GET /names', { path: {}, query, enabled: isOneRequest && Object.keys(query).length > 0 })
  const needs = (name: ReferenceName) => !isOneRequest && name in query
  const lists = {
    actors: useChoices('actors', needs('actors')).rows,
    groups: useChoices('groups', needs('groups')).rows,
    resources: useChoices('resources', needs('resources')).rows,
    sites: useChoices('sites', needs('sites')).rows,
    clients: useChoices('clients', needs('clients')).rows,
  }
  const names = new Map<string, string>()
  for (const { object, id, name } of named.data?.answer.data ?? []) names.set(`${object} ${id}`, name)
  for (const [object, rows] of Object.entries(lists))
    for (const row of rows) names.set(`${object} ${row.id}`, String(row.name))
  return (name, id) => names.get(`${name} ${id}`)
}

/** True if the service has a list and the filter that it needs. */
export const isServedList = ({ list, filter }: { list: Route; filter?: string }): boolean =>
  isServed(list) && (filter === undefined || isServedFilter(list, filter))
