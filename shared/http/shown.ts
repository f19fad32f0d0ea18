import * as v from 'valibot'
import { blankOf } from '../core/json/blank-of.ts'
import { isObject } from '../core/json/is-object.ts'

/** What a schema makes of a value, or `unsure` where the value is not plainly what the schema says. */
type Reader = (value: unknown) => unknown
const unsure = Symbol('unsure')

/** The schemas that most of an answer is made of. */
type Plain =
  | v.StringSchema<undefined>
  | v.NumberSchema<undefined>
  | v.BooleanSchema<undefined>
  | v.PicklistSchema<readonly unknown[] & v.PicklistOptions, undefined>
  | v.NullableSchema<v.GenericSchema, unknown>
  | v.ArraySchema<v.GenericSchema, undefined>
  | v.ObjectSchema<v.ObjectEntries, undefined>

const known = new WeakMap<v.GenericSchema, Reader>()

function readerOf(schema: v.GenericSchema): Reader {
  const reader = known.get(schema) ?? newReader(schema)
  known.set(schema, reader)
  return reader
}

function newReader(schema: v.GenericSchema): Reader {
  if ('pipe' in schema) return byValibot(schema)
  const plain = schema as Plain
  switch (plain.type) {
    case 'string':
      return (value) => (typeof value === 'string' ? value : unsure)
    case 'boolean':
      return (value) => (typeof value === 'boolean' ? value : unsure)
    case 'number':
      return (value) => (Number.isFinite(value) ? value : unsure)
    case 'picklist': {
      const options = new Set<unknown>(plain.options)
      return (value) => (options.has(value) ? value : unsure)
    }
    case 'nullable':
      return plain.default === undefined ? orNull(readerOf(plain.wrapped)) : byValibot(schema)
    case 'array':
      return eachOf(readerOf(plain.item))
    case 'object':
      return fieldsOf(plain.entries) ?? byValibot(schema)
    default:
      return byValibot(schema)
  }
}

const byValibot =
  (schema: v.GenericSchema): Reader =>
  (value) => {
    const { success, output } = v.safeParse(schema, value)
    return success ? output : unsure
  }

const orNull =
  (reader: Reader): Reader =>
  (value) =>
    value === null ? null : reader(value)

const eachOf =
  (reader: Reader): Reader =>
  (value) => {
    if (!Array.isArray(value)) return unsure
    const list: unknown[] = []
    for (const one of value) {
      const shown = reader(one)
      if (shown === unsure) return unsure
      list.push(shown)
    }
    return list
  }

/** Null where a field can be left out. */
function fieldsOf(entries: v.ObjectEntries): Reader | null {
  const fields = Object.entries(entries)
  if (fields.some(([, { type }]) => /optional|nullish|undefinedable/.test(type))) return null
  const names = fields.map(([name]) => name)
  const readers = fields.map(([, schema]) => readerOf(schema))
  const blank = blankOf(names)
  return (value) => {
    if (!isObject(value)) return unsure
    const shown = { ...blank }
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string
      const field = value[name]
      const one = field === undefined ? unsure : readers[i]?.(field)
      if (one === unsure) return unsure
      shown[name] = one
    }
    return shown
  }
}

/**
 * What an answer shows of a value: the same as `v.parse`, which is asked of what is not plainly as the schema says. It walks a
 * schema anew for each row of a list, and this walks it once.
 * @throws ValiError where the value is not what the schema says
 */
export function shownAs<S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> {
  const shown = readerOf(schema)(value)
  return shown === unsure ? v.parse(schema, value) : shown
}
