import type { Json, Schemas } from './schemas.ts'

/** What operations have in common, named and written once. */
export type Parts = { schemas: Schemas; responses: Record<string, Json> }
