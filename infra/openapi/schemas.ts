import { readdir } from 'node:fs/promises'
import { toJsonSchema } from '@valibot/to-json-schema'
import type * as v from 'valibot'
import { fieldsOf, isObject } from '#shared/core/json/is-object.ts'
import type { FieldRules } from '#shared/values/field.ts'
import { fieldText } from './field-texts.ts'

export type Json = Record<string, unknown>

/** Converts valibot schemas to JSON Schema. Named schemas are stored in `components` and referenced. */
export class Schemas {
  readonly components: Record<string, Json> = {}
  readonly #names: Map<object, string>

  constructor(names: Map<object, string>) {
    this.#names = names
  }

  /** Converts a schema. Fields of an unnamed schema get their descriptions from the collection `owner`. */
  of(schema: v.GenericSchema, owner: string): Json {
    const name = this.#names.get(schema)
    if (name === undefined) return this.convert(schema, owner)
    if (!this.components[name]) {
      this.components[name] = {}
      this.components[name] = { title: name, ...this.convert(schema, collectionOf(name)) }
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  private convert(root: v.GenericSchema, owner: string): Json {
    const { $schema: _dialect, ...json } = toJsonSchema(root, {
      errorMode: 'ignore',
      overrideSchema: ({ valibotSchema, jsonSchema }) => {
        if (valibotSchema !== root && this.#names.has(valibotSchema))
          return this.of(valibotSchema as v.GenericSchema, owner)
        // Converts 64-bit counters to integers, which is their form in JSON.
        if ('type' in valibotSchema && valibotSchema.type === 'bigint') return { type: 'integer', format: 'int64' }
        return jsonSchema
      },
      overrideAction: ({ valibotAction: action, jsonSchema }) =>
        // Uses `maxLength`, which JSON Schema defines in code points too.
        isObject(action) && action.type === 'max_code_points'
          ? { ...jsonSchema, maxLength: Number(action.requirement) }
          : jsonSchema,
    })
    return simplify({ ...json }, owner)
  }
}

/** Collection of a named schema: `NewActorFields` → `actors`. */
function collectionOf(name: string): string {
  const words = name.replace(/^(New|Shown)|(Fields|Changes)$/g, '').replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_')
  return `${words.toLowerCase()}s`.replace(/ys$/, 'ies')
}

/** Simplifies a schema: applies field rules, and merges a nullable field into one schema with two types. */
export function simplify(node: Json, owner: string): Json {
  if (isObject(node.more)) {
    const { more, ...ownSchema } = node
    return { ...simplify(ownSchema, owner), ...more }
  }
  if (isObject(node.jsonSchema)) return simplify(node.jsonSchema, owner)
  const { properties, rules, ...rest } = node
  if (Array.isArray(node.anyOf) && node.type === undefined)
    return nullable(node.anyOf.filter(isObject).map((option) => simplify(option, owner)))
  if (Array.isArray(rest.required) && rest.required.length === 0) delete rest.required
  const result: Json = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, key === 'enum' ? value : tidyWithin(value, owner)]),
  )
  if (isObject(properties)) {
    result.properties = Object.fromEntries(
      Object.entries(properties).map(([name, value]) => [
        name,
        describeField(name, simplify(fieldsOf(value), owner), owner),
      ]),
    )
  }
  return isObject(rules) ? withRules(result, rules) : result
}

function tidyWithin(value: unknown, owner: string): unknown {
  if (isObject(value)) return simplify(value, owner)
  return Array.isArray(value) ? value.map((item) => (isObject(item) ? simplify(item, owner) : item)) : value
}

function withRules(schema: Json, { required = [], properties = {}, anyOf }: FieldRules): Json {
  const stated = fieldsOf(schema.properties)
  const narrowedProperties = Object.entries(properties).map(([name, more]) => [
    name,
    { ...fieldsOf(stated[name]), ...more },
  ])
  return {
    ...schema,
    required: [...new Set([schema.required ?? [], required].flat())],
    properties: { ...stated, ...Object.fromEntries(narrowedProperties) },
    ...(anyOf && { anyOf }),
  }
}

function nullable(options: Json[]): Json {
  const [first, second, ...more] = options
  if (!first || second?.type !== 'null' || more.length > 0 || typeof first.type !== 'string') return { anyOf: options }
  return { ...first, type: [first.type, 'null'], ...(Array.isArray(first.enum) && { enum: [...first.enum, null] }) }
}

/** Adds a field's description, format and example, unless its schema already has a description. */
export function describeField(name: string, schema: Json, owner: string): Json {
  if (schema.description) return schema
  const { description, example, format, integer } = fieldText(name, owner)
  const types = [schema.type].flat()
  const isText = types.includes('string') && !schema.enum && schema.const === undefined && !schema.format
  const fits = example !== undefined && acceptsExample(schema, example)
  return {
    ...schema,
    ...(integer &&
      types.includes('number') && { type: typeof schema.type === 'string' ? 'integer' : ['integer', 'null'] }),
    ...(isText && format && { format }),
    ...(description !== undefined && { description }),
    ...(!schema.examples && fits && { examples: [example] }),
  }
}

function acceptsExample(schema: Json, example: unknown): boolean {
  if (Array.isArray(schema.enum)) return schema.enum.includes(example)
  const type = example === null ? 'null' : Array.isArray(example) ? 'array' : typeof example
  const fitting = Number.isInteger(example) ? [type, 'integer'] : [type]
  return schema.const === undefined && [schema.type].flat().some((stated) => fitting.includes(String(stated)))
}

export type Parts = { schemas: Schemas; responses: Record<string, Json> }

/** Collects the object schemas exported by `shared`, with the names under which the document references them. */
export async function namedSchemas(): Promise<Map<object, string>> {
  const root = new URL('../../shared/', import.meta.url)
  const files = (await readdir(root, { recursive: true })).filter((file) => file.endsWith('.ts')).sort()
  const modules: Record<string, unknown>[] = await Promise.all(files.map((file) => import(new URL(file, root).href)))
  const names = new Map<object, string>()
  for (const [name, value] of modules.flatMap(Object.entries)) {
    if (!/^[A-Z]/.test(name) || !isObject(value) || names.has(value)) continue
    if (value.type !== 'object' && value.type !== 'variant') continue
    if ([...names.values()].includes(name)) throw new Error(`Two schemas are called ${name}.`)
    names.set(value, name)
  }
  return names
}
