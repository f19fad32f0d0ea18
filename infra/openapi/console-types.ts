import { fieldsOf, isObject } from '#shared/core/json/is-object.ts'
import type { Json } from './schemas.ts'

/** Maximum number of alternatives that a type lists. A longer enumeration, such as that of countries, becomes `string`. */
const maxAlternatives = 30

/** Prefixes of the paths that the console never calls: the legacy API and the operations of devices. */
const otherPaths = /^\/(v0|client|gateway|ingestion)\//

const literal = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : String(value))

const nameOf = (reference: unknown): string => String(reference).replace(/^.*\//, '')

const quoted = (name: string): string => (/^\w+$/.test(name) ? name : `'${name}'`)

/** Converts JSON Schema to TypeScript. Collects the names of referenced schemas in `used`. */
function typeOf(schema: Json, used: Set<string>): string {
  if (schema.$ref !== undefined) {
    used.add(nameOf(schema.$ref))
    return `ApiSchemas['${nameOf(schema.$ref)}']`
  }
  if (schema.const !== undefined) return literal(schema.const)
  if (Array.isArray(schema.enum))
    return schema.enum.length > maxAlternatives ? 'string' : [...new Set(schema.enum.map(literal))].join(' | ')
  const alternatives = [schema.anyOf ?? schema.oneOf ?? []].flat().filter(isObject)
  if (schema.type === undefined && alternatives.length > 0)
    return [...new Set(alternatives.map((one) => typeOf(one, used)))].join(' | ')
  return [schema.type ?? 'unknown']
    .flat()
    .map((type) => typeNamed(String(type), schema, used))
    .join(' | ')
}

function typeNamed(type: string, schema: Json, used: Set<string>): string {
  switch (type) {
    case 'array':
      return `Array<${typeOf(fieldsOf(schema.items), used)}>`
    case 'object':
      return objectType(schema, used)
    case 'integer':
      return 'number'
    default:
      return type
  }
}

function objectType({ properties, required = [] }: Json, used: Set<string>): string {
  const members = Object.entries(fieldsOf(properties)).map(([name, value]) => {
    const isRequired = Array.isArray(required) && required.includes(name)
    return `${quoted(name)}${isRequired ? '' : '?'}: ${typeOf(fieldsOf(value), used)}`
  })
  return members.length > 0 ? `{ ${members.join('; ')} }` : 'Record<string, unknown>'
}

const contentOf = (message: unknown): Json =>
  fieldsOf(fieldsOf(fieldsOf(fieldsOf(message).content)['application/json']).schema)

function operationType(operation: Json, used: Set<string>): string {
  const parameters = [operation.parameters ?? []].flat().filter(isObject)
  const membersIn = (place: string) =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, schema, required }) => {
        const type = place === 'path' ? 'string' : typeOf(fieldsOf(schema), used)
        return `${name}${required ? '' : '?'}: ${type}`
      })
  const objectOf = (members: string[]) => (members.length > 0 ? `{ ${members.join('; ')} }` : 'Record<never, never>')
  const responses = fieldsOf(operation.responses)
  const success = responses['200'] ?? responses['201'] ?? responses['202']
  const body = contentOf(operation.requestBody)
  return `{
    path: ${objectOf(membersIn('path'))}
    query: ${objectOf(membersIn('query'))}
    body: ${Object.keys(body).length > 0 ? typeOf(body, used) : 'undefined'}
    answer: ${Object.keys(contentOf(success)).length > 0 ? typeOf(contentOf(success), used) : 'undefined'}
  }`
}

/** Writes the TypeScript types of the operations in the OpenAPI document that the web console can call (K2.5). */
export function consoleTypes(document: Json): string {
  const used = new Set<string>()
  const operations = Object.entries(fieldsOf(document.paths))
    .filter(([path]) => !otherPaths.test(path))
    .flatMap(([path, item]) =>
      Object.entries(fieldsOf(item)).map(
        ([method, operation]) => `  '${method.toUpperCase()} ${path}': ${operationType(fieldsOf(operation), used)}`,
      ),
    )
  const all = fieldsOf(fieldsOf(document.components).schemas)
  const schemas = new Map<string, string>()
  // Visits the names that are added during the iteration too.
  for (const name of used) schemas.set(name, typeOf(fieldsOf(all[name]), used))
  const sorted = [...schemas].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, type]) => `  ${name}: ${type}`)
  return `/* Generated from docs/openapi.json by \`npm run fix\`. */

type ApiSchemas = {
${sorted.join('\n')}
}

export type Operations = {
${operations.join('\n')}
}

export type CalledRoute = keyof Operations
`
}
