import type { ApiOperations, ApiSchemas } from './api-types.ts'

type Position = { limit: number; next_page: string | null; prev_page: string | null }
type ShownSession = {
  account: { id: string; slug: string; name: string }
  actor: { id: string; name: string; email: string | null; type: string }
  credential: { kind: 'portal_session' | 'api_token'; id: string; context: string | null; expires_at: string }
  scopes: string[]
  change_count: number | null
}
type GatewayOfSite = ApiSchemas['Gateway'] & { site_id: string }
type Named = { object: string; id: string; name: string }
type None = Record<never, never>

/** Operations of K11 that docs/openapi.json does not contain yet. A part that calls one of them is not rendered (K1.4). */
type ComingOperations = {
  'POST /sign_in/session': {
    path: None
    query: None
    body: { sign_in: { code: string; code_verifier: string } }
    answer: { data: ShownSession }
  }
  'GET /sign_in/session': { path: None; query: None; body: undefined; answer: { data: ShownSession } }
  'GET /names': {
    path: None
    query: Partial<Record<'actors' | 'groups' | 'resources' | 'sites' | 'gateways' | 'clients', string>>
    body: undefined
    answer: { data: Named[]; metadata: { count: number } }
  }
  'GET /gateways': {
    path: None
    query: { limit?: number; page_cursor?: string; site_id?: string; online?: boolean; not_seen_since?: string }
    body: undefined
    answer: { data: GatewayOfSite[]; metadata: ApiSchemas['Metadata'] }
  }
  'GET /actors/{actor_id}/groups': {
    path: { actor_id: string }
    query: { limit?: number; page_cursor?: string }
    body: undefined
    answer: { data: ApiSchemas['Group'][]; metadata: Position }
  }
}

/** Operations that are not in docs/openapi.json. A test fails as soon as it contains one of them. */
export const comingRoutes: ReadonlyArray<keyof ComingOperations> = [
  'POST /sign_in/session',
  'GET /sign_in/session',
  'GET /names',
  'GET /gateways',
  'GET /actors/{actor_id}/groups',
]

/** Filters of G4 and G13 that docs/openapi.json does not contain yet, by the route of their list. */
export const comingFilters: Readonly<Record<string, readonly string[]>> = {
  'GET /clients': ['actor_id', 'online', 'verified', 'not_seen_since'],
  'GET /actors': ['is_disabled', 'not_seen_since'],
  'GET /policies': ['is_disabled', 'orphaned'],
  'GET /mdm_devices': ['serial_number', 'email'],
}

export type Operations = ApiOperations & ComingOperations
export type Route = keyof Operations

export const isServed = (route: Route): boolean => !(comingRoutes as readonly string[]).includes(route)

export const isServedFilter = (route: Route, name: string): boolean => !comingFilters[route]?.includes(name)
