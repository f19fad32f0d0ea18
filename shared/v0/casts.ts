import { isUuid } from '../core/ids.ts'
import { type FieldResult, field, type JsonSchema } from '../values/field.ts'
import { booleans } from '../values/fields.ts'
import { textPattern } from '../values/text.ts'
import { trimmed } from './messages.ts'

/** True for a string that can be stored, which must not contain U+0000 or lone surrogates. */
export const isText = (input: unknown): input is string =>
  typeof input === 'string' && !input.includes('\0') && input.isWellFormed()

const invalid = { message: 'is invalid' } as const

const textCast =
  (trim: boolean) =>
  (input: unknown): FieldResult<string | null> => {
    if (input === null || input === '') return { value: null }
    return isText(input) ? { value: trim ? trimmed(input) : input } : invalid
  }

const textOrNull = { type: ['string', 'null'], pattern: textPattern.any }

/** Cast to a string. Null and `""` become null (`/v0` contract, 7.2). A blank string is trimmed to `""`, which does not become null. */
export const TextCast = field<string | null>(textCast(false), textOrNull)
export const TrimmedCast = field<string | null>(textCast(true), textOrNull)

/**
 * True for a JSON number written as an integer. The parser converts other numbers to NaN, and integers with hundreds of digits to infinity.
 */
export const isInteger = (input: unknown): input is number =>
  Number.isInteger(input) || input === Number.POSITIVE_INFINITY || input === Number.NEGATIVE_INFINITY

/** Converts an integer, or a string that contains one. Returns null for other values. */
const integer = (input: unknown): number | null => {
  const value = typeof input === 'string' && /^[+-]?\d+$/.test(input) ? Number(input) : input
  // Adding 0 removes the sign of -0.
  return isInteger(value) ? value + 0 : null
}

export const IntegerCast = field<number | null>(
  (input) => {
    if (input === null || input === '') return { value: null }
    const value = integer(input)
    return value === null ? invalid : { value }
  },
  { type: ['integer', 'string', 'null'], pattern: '^([+-]?[0-9]+)?$' },
)

/** Cast to a boolean. `""` becomes the default, if there is one. */
export const booleanCast = (fallback?: boolean) =>
  field<boolean>(
    (input) => {
      const value = input === '' ? fallback : booleans.get(input)
      return value === undefined ? invalid : { value }
    },
    { type: ['boolean', 'string'], enum: [...booleans.keys(), ...(fallback === undefined ? [] : [''])] },
  )

/** Cast to an enum member. `""` becomes the default. */
export const enumCast = <const T extends string>(members: readonly T[], fallback: T | null = null) =>
  field<T | null>(
    (input) => {
      if (input === null) return { value: null }
      if (input === '') return { value: fallback }
      const member = members.find((candidate) => candidate === input)
      return member === undefined ? invalid : { value: member }
    },
    { type: ['string', 'null'], enum: [...members, '', null] },
  )

const uuidCast = (schema: JsonSchema) =>
  field<string | null>((input) => {
    if (input === null || input === '') return { value: null }
    return typeof input === 'string' && isUuid(input) ? { value: input.toLowerCase() } : invalid
  }, schema)

export const UuidCast = uuidCast({ type: ['string', 'null'], anyOf: [{ format: 'uuid' }, { const: '' }] })
/** Cast to a required UUID. A later check rejects null and `""`. */
export const FilledUuidCast = uuidCast({ type: 'string', format: 'uuid' })

/** JSON Schema of a comma-separated list, whose items are checked later. */
export const commaListSchema = {
  type: ['string', 'array'],
  pattern: textPattern.any,
  maxLength: 4096,
  items: { type: 'string', pattern: textPattern.filled },
}

/** Maximum number of items in an array. A longer list would exceed the maximum string length anyway. */
const maxItems = 2_048

/** Cast to a comma-separated list. Accepts a string, or an array of strings, which are joined. A blank list becomes null. */
export const CommaListCast = field<string | null>(
  (input) => {
    if (Array.isArray(input) && input.length > maxItems) return { message: `should have at most ${maxItems} item(s)` }
    const text = Array.isArray(input) && input.every((item) => typeof item === 'string') ? input.join(',') : input
    if (text === null) return { value: null }
    if (!isText(text)) return invalid
    return { value: trimmed(text) === '' ? null : text }
  },
  { ...commaListSchema, type: ['string', 'array', 'null'] },
)
