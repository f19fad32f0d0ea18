import type { ApiOperations } from './api-types.ts'

/** Operations that docs/openapi.json does not contain yet. A part that calls one of them is not rendered (K1.4). */
export const comingRoutes: readonly string[] = []

/** Filters that docs/openapi.json does not contain yet, by the route of their list. */
export const comingFilters: Readonly<Record<string, readonly string[]>> = {}

export type Operations = ApiOperations
export type Route = keyof Operations

export const isServed = (route: Route): boolean => !comingRoutes.includes(route)

export const isServedFilter = (route: Route, name: string): boolean => !comingFilters[route]?.includes(name)
