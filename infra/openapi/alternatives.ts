import type { Json } from './schemas.ts'

type Properties = Record<string, Json>

/** A schema together with one of its alternatives: what both say, the alternative where they differ. */
function merged(schema: Json, option: Json): Json {
  const properties = (schema.properties ?? {}) as Properties
  const own = Object.entries((option.properties ?? {}) as Properties)
  const required = [schema.required ?? [], option.required ?? []].flat()
  return {
    ...schema,
    ...option,
    ...(required.length > 0 && { required: [...new Set(required)] }),
    ...((schema.properties || own.length > 0) && {
      properties: {
        ...properties,
        ...Object.fromEntries(own.map(([name, more]) => [name, { ...properties[name], ...more }])),
      },
    }),
  }
}

/** The alternatives of a schema, each a schema of its own; none where it has no `anyOf` or `oneOf`. */
export function alternativesOf({ anyOf, oneOf, ...schema }: Json): Json[] {
  const options = (oneOf ?? anyOf ?? []) as Json[]
  return options.map((option) => merged(schema, option))
}
