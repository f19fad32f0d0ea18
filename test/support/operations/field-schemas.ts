import type * as v from 'valibot'
import { Schemas } from '#infra/openapi/schemas.ts'
import type { Operation } from '#shared/http/operation.ts'
import type { JsonSchema } from '#shared/values/field.ts'

export const fieldSchemas = ({ body }: Operation): Record<string, JsonSchema> =>
  Object.fromEntries(
    Object.entries((body?.fields?.entries ?? {}) as Record<string, v.GenericSchema>).map(([name, schema]) => [
      name,
      new Schemas(new Map()).of(schema, ''),
    ]),
  )

export const takes = (schema: JsonSchema | undefined, type: string): boolean => [schema?.type].flat().includes(type)
