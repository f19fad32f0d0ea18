import { fieldsOf, isObject } from '#shared/core/json/is-object.ts'
import type { Json } from './schemas.ts'

const byFormat: Record<string, unknown> = {
  uuid: '01932c7e-8a4b-7c3d-9f21-5b6a7c8d9e0f',
  'date-time': '2026-03-01T12:00:00.000000Z',
  uri: 'https://idp.example.com',
  email: 'ada@example.com',
  hostname: 'example.com',
  ipv4: '100.64.0.7',
  ipv6: 'fd00:2021:1111::7',
}

const byType: Record<string, unknown> = { string: 'text', integer: 1, number: 52.5, boolean: true }

export function exampleOf(schema: Json, components: Record<string, Json>): unknown {
  if (typeof schema.$ref === 'string')
    return exampleOf(components[schema.$ref.split('/').at(-1) ?? ''] ?? {}, components)
  if (Array.isArray(schema.examples)) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const [option] = alternativesOf(schema)
  if (option) return exampleOf(option, components)
  const [type] = [schema.type].flat()
  if (type === 'object' || schema.properties) {
    const properties = Object.entries(fieldsOf(schema.properties))
    return Object.fromEntries(properties.map(([name, value]) => [name, exampleOf(fieldsOf(value), components)]))
  }
  if (type === 'null') return null
  if (type === 'array') return schema.items ? [exampleOf(fieldsOf(schema.items), components)] : []
  return byFormat[String(schema.format)] ?? schema.minimum ?? byType[String(type)] ?? {}
}

function mergeAlternative(schema: Json, option: Json): Json {
  const properties = fieldsOf(schema.properties)
  const ownProperties = Object.entries(fieldsOf(option.properties))
  const narrowedProperties = ownProperties.map(([name, more]) => [
    name,
    { ...fieldsOf(properties[name]), ...fieldsOf(more) },
  ])
  const required = [schema.required ?? [], option.required ?? []].flat()
  const all = { ...properties, ...Object.fromEntries(narrowedProperties) }
  return {
    ...schema,
    ...option,
    ...(required.length > 0 && { required: [...new Set(required)] }),
    ...((schema.properties || ownProperties.length > 0) && { properties: all }),
  }
}

/** Lists the alternatives of a schema, each merged with the rest of the schema; empty without `anyOf` or `oneOf`. */
export function alternativesOf({ anyOf, oneOf, ...schema }: Json): Json[] {
  const options = [oneOf ?? anyOf ?? []].flat()
  return options.filter(isObject).map((option) => mergeAlternative(schema, option))
}
