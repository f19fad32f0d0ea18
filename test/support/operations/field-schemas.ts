import * as v from 'valibot'
import type { Operation } from '#shared/http/operation.ts'
import type { JsonSchema } from '#shared/values/field.ts'

type Wrapper = v.GenericSchema & { wrapped?: Wrapper }

const unwrapped = (schema: Wrapper): v.GenericSchema => (schema.wrapped ? unwrapped(schema.wrapped) : schema)

/** The fields of an operation's body as they document themselves. */
export const fieldSchemas = ({ body }: Operation): Record<string, JsonSchema> =>
  Object.fromEntries(
    Object.entries((body?.fields?.entries ?? {}) as Record<string, Wrapper>).map(([name, schema]) => [
      name,
      (v.getMetadata(unwrapped(schema) as v.SchemaWithPipe<readonly [v.GenericSchema]>) as { jsonSchema: JsonSchema })
        .jsonSchema,
    ]),
  )

export const takes = (schema: JsonSchema | undefined, type: string): boolean => [schema?.type].flat().includes(type)
