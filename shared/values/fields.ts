import { parseTimestamp, timestamp } from '../clock.ts'
import { isUuid } from '../ids.ts'
import { type Checked, field, type JsonSchema } from './field.ts'

type TextRule = {
  max: number
  /** Blank text is null, where the field has a null (A6.2). */
  nullable?: boolean
  trim?: boolean
}

const isText = (input: unknown): input is string =>
  typeof input === 'string' && !input.includes('\0') && input.isWellFormed()

function blank(input: unknown): boolean {
  return input === null || input === undefined || (typeof input === 'string' && input.trim() === '')
}

function checkText(input: unknown, { max, nullable, trim = true }: TextRule): Checked<string | null> {
  if (blank(input)) return nullable ? { value: null } : { message: "can't be blank" }
  if (!isText(input)) return { message: 'is invalid' }
  const value = trim ? input.trim() : input
  return [...value].length > max ? { message: `should be at most ${max} character(s)` } : { value }
}

/** Required text of 1 to `max` characters. */
export const Text = (max: number, { trim = true } = {}) =>
  field<string>((input) => checkText(input, { max, trim }) as Checked<string>, {
    type: 'string',
    minLength: 1,
    maxLength: max,
  })

/** Text that blank clears to null. */
export const NullableText = (max: number) =>
  field<string | null>((input) => checkText(input, { max, nullable: true }), {
    type: ['string', 'null'],
    maxLength: max,
  })

const booleans = new Map<unknown, boolean>([
  [true, true],
  ['true', true],
  ['1', true],
  [false, false],
  ['false', false],
  ['0', false],
])

/** A boolean, also as text (A6.3). */
export const Bool = field<boolean>(
  (input) => {
    if (blank(input)) return { message: "can't be blank" }
    const value = booleans.get(input)
    return value === undefined ? { message: 'is invalid' } : { value }
  },
  { type: 'boolean' },
)

const uuidRule = (input: unknown): Checked<string> => {
  if (blank(input)) return { message: "can't be blank" }
  return typeof input === 'string' && isUuid(input.trim())
    ? { value: input.trim().toLowerCase() }
    : { message: 'is invalid' }
}

export const Uuid = field<string>(uuidRule, { type: 'string', format: 'uuid' })

/** A timestamp with an offset, given back in UTC with microseconds. */
export const Timestamp = field<string>(
  (input) => {
    if (blank(input)) return { message: "can't be blank" }
    const micros = typeof input === 'string' ? parseTimestamp(input.trim()) : null
    return micros === null || micros < 0 ? { message: 'is invalid' } : { value: timestamp(micros) }
  },
  { type: 'string', format: 'date-time' },
)

export const OneOf = <const T extends string>(members: readonly T[]) =>
  field<T>(
    (input) => {
      if (blank(input)) return { message: "can't be blank" }
      const member = members.find((candidate) => candidate === input)
      return member === undefined ? { message: 'is invalid' } : { value: member }
    },
    { type: 'string', enum: members } satisfies JsonSchema,
  )
