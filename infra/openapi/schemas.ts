import { toJsonSchema } from '@valibot/to-json-schema'
import type * as v from 'valibot'
import { fieldsOf, isObject } from '#shared/core/json/is-object.ts'
import type { FieldRules } from '#shared/values/field.ts'
import { fieldText } from './field-texts.ts'

export type Json = Record<string, unknown>

/** JSON Schemas of valibot schemas; a named one is put into `components` once and referred to. */
export class Schemas {
  readonly components: Record<string, Json> = {}
  private readonly names: Map<object, string>

  constructor(names: Map<object, string>) {
    this.names = names
  }

  /** The schema; fields of one without a name have the meaning that they have for the `owner`, a collection. */
  of(schema: v.GenericSchema, owner: string): Json {
    const name = this.names.get(schema)
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
        if (valibotSchema !== root && this.names.has(valibotSchema))
          return this.of(valibotSchema as v.GenericSchema, owner)
        // 64-bit counters are integers on the wire.
        if ('type' in valibotSchema && valibotSchema.type === 'bigint') return { type: 'integer', format: 'int64' }
        return jsonSchema
      },
    })
    return tidy({ ...json }, owner)
  }
}

/** The collection that a named schema shows or takes objects of: `NewActorFields` → `actors`. */
function collectionOf(name: string): string {
  const words = name.replace(/^(New|Shown)|(Fields|Changes)$/g, '').replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_')
  return `${words.toLowerCase()}s`.replace(/ys$/, 'ies')
}

/** Fields with a rule of their own document themselves; a field that can be null is one schema of two types. */
export function tidy(node: Json, owner: string): Json {
  if (isObject(node.jsonSchema)) return tidy(node.jsonSchema, owner)
  const { properties, rules, ...rest } = node
  if (Array.isArray(node.anyOf) && node.type === undefined)
    return nullable(node.anyOf.filter(isObject).map((option) => tidy(option, owner)))
  if (Array.isArray(rest.required) && rest.required.length === 0) delete rest.required
  const result: Json = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, key === 'enum' ? value : tidyWithin(value, owner)]),
  )
  if (isObject(properties)) {
    result.properties = Object.fromEntries(
      Object.entries(properties).map(([name, value]) => [name, described(name, tidy(fieldsOf(value), owner), owner)]),
    )
  }
  return isObject(rules) ? withRules(result, rules) : result
}

function tidyWithin(value: unknown, owner: string): unknown {
  if (isObject(value)) return tidy(value, owner)
  return Array.isArray(value) ? value.map((item) => (isObject(item) ? tidy(item, owner) : item)) : value
}

/** An object schema with the rules between its properties. */
function withRules(schema: Json, { required = [], properties = {}, anyOf }: FieldRules): Json {
  const known = fieldsOf(schema.properties)
  const narrowed = Object.entries(properties).map(([name, more]) => [name, { ...fieldsOf(known[name]), ...more }])
  return {
    ...schema,
    required: [...new Set([schema.required ?? [], required].flat())],
    properties: { ...known, ...Object.fromEntries(narrowed) },
    ...(anyOf && { anyOf }),
  }
}

function nullable(options: Json[]): Json {
  const [first, second, ...more] = options
  if (!first || second?.type !== 'null' || more.length > 0 || typeof first.type !== 'string') return { anyOf: options }
  return { ...first, type: [first.type, 'null'], ...(Array.isArray(first.enum) && { enum: [...first.enum, null] }) }
}

/** Says what a field means, in what form it comes, and gives an example, where the field does not say so itself. */
export function described(name: string, schema: Json, owner: string): Json {
  if (schema.description) return schema
  const { description, example, format, integer } = fieldText(name, owner)
  const types = [schema.type].flat()
  const isText = types.includes('string') && !schema.enum && schema.const === undefined && !schema.format
  const fits = example !== undefined && takes(schema, example)
  return {
    ...schema,
    ...(integer &&
      types.includes('number') && { type: typeof schema.type === 'string' ? 'integer' : ['integer', 'null'] }),
    ...(isText && format && { format }),
    ...(description !== undefined && { description }),
    ...(!schema.examples && fits && { examples: [example] }),
  }
}

/** True for an example of the schema's type that is one of its members. */
function takes(schema: Json, example: unknown): boolean {
  if (Array.isArray(schema.enum)) return schema.enum.includes(example)
  const types = [schema.type].flat()
  return (
    schema.const === undefined &&
    (types.includes(typeOf(example)) || (Number.isInteger(example) && types.includes('integer')))
  )
}

const typeOf = (value: unknown): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value
}
