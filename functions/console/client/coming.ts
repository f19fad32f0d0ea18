import type { ApiOperations } from './api-types.ts'

/** Operations that docs/openapi.json does not contain yet. A part that calls one of them is not rendered (K1.4). */
export const comingRoutes: readonly string[] = [
  'GET /overview',
  'GET /search',
  'GET /authorizations',
  'DELETE /authorizations/{id}',
  'GET /sites/{site_id}/gateway_tokens',
  'GET /actors/{actor_id}/portal_sessions',
  'DELETE /actors/{actor_id}/portal_sessions',
  'DELETE /actors/{actor_id}/portal_sessions/{id}',
]

/** Filters that docs/openapi.json does not contain yet, by the route of their list. */
export const comingFilters: Readonly<Record<string, readonly string[]>> = {}

type Get<Path, Query, Answer> = { path: Path; query: Query; body: undefined; answer: Answer }
type Nothing = Record<never, never>
type ListQuery = { limit?: number; page_cursor?: string }
type List<T> = { data: T[]; metadata: { limit: number; next_page: string | null; prev_page: string | null } }

/** Answer of K11.G5. A member is null if the scopes cannot read its collection. */
type Overview = {
  as_of: string
  counts: Record<'actors' | 'groups' | 'resources' | 'policies' | 'sites' | 'gateways' | 'clients', number | null>
  gateways_online: number | null
  sites_without_gateway: { count: number; items: Array<{ id: string; name: string; resources: number | null }> } | null
  sources: Array<{
    object: string
    id: string
    name: string
    state: 'failed' | 'braked' | 'rewound' | 'disabled'
    error: string | null
    since: string
  }> | null
  expiring: Array<{
    object: 'api_tokens' | 'client_tokens'
    id: string
    actor_id: string
    name: string | null
    expires_at: string
  }> | null
  orphaned_policies: number | null
  flows: { responder: number; initiator: number; exact: boolean } | null
  refusals: number | null
  truncated: string[]
}

type Authorization = {
  id: string
  actor_id: string
  client_id: string
  gateway_id: string
  resource_id: string
  policy_id: string
  group_id: string | null
  client_remote_ip: string
  user_agent: string | null
  authorized_at: string
  expires_at: string
}

type GatewayToken = {
  id: string
  site_id: string
  gateway_id: string | null
  rotated_at: string | null
  last_seen_at: string | null
  inserted_at: string
}

type PortalSession = {
  id: string
  actor_id: string
  auth_provider_id: string | null
  context: string
  expires_at: string
  inserted_at: string
}

type Hit = { object: string; id: string; name: string; matched: string; value: string }

type ComingOperations = {
  'GET /overview': Get<Nothing, Nothing, { data: Overview }>
  'GET /search': Get<
    Nothing,
    { q?: string; objects?: string },
    { data: Hit[]; metadata: { count: number; truncated: boolean; indexed: boolean } }
  >
  'GET /authorizations': Get<
    Nothing,
    ListQuery & {
      gateway_id?: string
      resource_id?: string
      actor_id?: string
      client_id?: string
      policy_id?: string
    },
    List<Authorization>
  >
  'DELETE /authorizations/{id}': Get<{ id: string }, Nothing, { data: { id: string } }>
  'GET /sites/{site_id}/gateway_tokens': Get<
    { site_id: string },
    ListQuery & { gateway_id?: string },
    List<GatewayToken>
  >
  'GET /actors/{actor_id}/portal_sessions': Get<{ actor_id: string }, ListQuery, List<PortalSession>>
  'DELETE /actors/{actor_id}/portal_sessions': Get<{ actor_id: string }, Nothing, { data: { deleted_count: number } }>
  'DELETE /actors/{actor_id}/portal_sessions/{id}': Get<
    { actor_id: string; id: string },
    Nothing,
    { data: { id: string } }
  >
}

export type Operations = ApiOperations & ComingOperations
export type Route = keyof Operations

export const isServed = (route: Route): boolean => !comingRoutes.includes(route)

export const isServedFilter = (route: Route, name: string): boolean => !comingFilters[route]?.includes(name)
