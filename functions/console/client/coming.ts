import type { ApiOperations } from './api-types.ts'

/** Operations that docs/openapi.json does not contain yet. A part that calls one of them is not rendered (K1.4). */
export const comingRoutes: readonly string[] = ['GET /access/refusals', 'DELETE /authorizations/{id}']

/** Filters that docs/openapi.json does not contain yet, by the route of their list. */
export const comingFilters: Readonly<Record<string, readonly string[]>> = {
  'GET /logs': ['object', 'operation', 'run_id'],
}

/** Refused authorizations (K11.G9), folded by client, resource, reason and hour. */
export type Refusal = {
  hour: string
  actor_id: string
  client_id: string
  resource_id: string | null
  reason: string
  violated: string[]
  count: number
  first_at: string
  last_at: string
  ip: string
  ip_region: string | null
}

type ComingOperations = {
  'GET /access/refusals': {
    path: Record<never, never>
    query: {
      begin?: string
      end?: string
      actor_id?: string
      client_id?: string
      resource_id?: string
      reason?: string
    }
    body: undefined
    answer: { data: Refusal[]; metadata: { limit: number; next_page: string | null; prev_page: string | null } }
  }
  'DELETE /authorizations/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: { id: string } }
  }
}

export type Operations = ApiOperations & ComingOperations
export type Route = keyof Operations

export const isServed = (route: Route): boolean => !comingRoutes.includes(route)

export const isServedFilter = (route: Route, name: string): boolean => !comingFilters[route]?.includes(name)
