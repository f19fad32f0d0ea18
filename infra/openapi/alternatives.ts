import { fieldsOf, isObject } from '#shared/core/json/is-object.ts'
import type { Json } from './schemas.ts'

/** A schema together with one of its alternatives: what both say, the alternative where they differ. */
function merged(schema: Json, option: Json): Json {
  const properties = fieldsOf(schema.properties)
  const own = Object.entries(fieldsOf(option.properties))
  const required = [schema.required ?? [], option.required ?? []].flat()
  return {
    ...schema,
    ...option,
    ...(required.length > 0 && { required: [...new Set(required)] }),
    ...((schema.properties || own.length > 0) && {
      properties: {
        ...properties,
        ...Object.fromEntries(own.map(([name, more]) => [name, { ...fieldsOf(properties[name]), ...fieldsOf(more) }])),
      },
    }),
  }
}

/** The alternatives of a schema, each a schema of its own; none where it has no `anyOf` or `oneOf`. */
export function alternativesOf({ anyOf, oneOf, ...schema }: Json): Json[] {
  const options = [oneOf ?? anyOf ?? []].flat()
  return options.filter(isObject).map((option) => merged(schema, option))
}
