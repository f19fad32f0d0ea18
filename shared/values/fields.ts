import { toUtc } from '../core/clock.ts'
import { isUuid } from '../core/ids.ts'
import { checkEmail } from './email.ts'
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
    const utc = typeof input === 'string' ? toUtc(input.trim()) : null
    return utc === null || utc < '1970' ? { message: 'is invalid' } : { value: utc }
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

type IntegerRule = {
  min: number
  max: number
  /** What null stands for; without it null is blank. */
  fallback?: number
}

/** A JSON integer or a string of digits (A6.3). */
export const Integer = ({ min, max, fallback }: IntegerRule) =>
  field<number>(
    (input) => {
      if (blank(input)) return fallback === undefined ? { message: "can't be blank" } : { value: fallback }
      const value = typeof input === 'string' && /^-?\d{1,15}$/.test(input.trim()) ? Number(input) : input
      if (typeof value !== 'number' || !Number.isSafeInteger(value)) return { message: 'is invalid' }
      if (value < min) return { message: `must be greater than or equal to ${min}` }
      return value > max ? { message: `must be less than or equal to ${max}` } : { value }
    },
    { type: 'integer', minimum: min, maximum: max },
  )

/** Required text of at most `max` characters with a form of its own. */
const Formed = (max: number, format: string, read: (text: string) => string | null) =>
  field<string>(
    (input) => {
      const checked = checkText(input, { max })
      if (!('value' in checked)) return checked
      const value = read(checked.value as string)
      return value === null ? { message: 'is invalid' } : { value }
    },
    { type: 'string', format, maxLength: max },
  )

/** An absolute https address, as it was sent. */
export const HttpsUrl = Formed(2048, 'uri', (text) => {
  const url = URL.canParse(text) ? new URL(text) : null
  return url?.protocol === 'https:' && url.hostname !== '' && !url.username && !url.password ? text : null
})

/** A host name of two labels or more, in lower case. */
export const HostName = Formed(253, 'hostname', (text) =>
  /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/i.test(text)
    ? text.toLowerCase()
    : null,
)

/** The part of a host name that a vendor gives its customer. */
export const Subdomain = Formed(63, 'hostname', (text) => (/^[a-z0-9-]{1,63}$/.test(text) ? text : null))

export const EmailAddress = field<string>(
  (input) => {
    if (blank(input)) return { message: "can't be blank" }
    if (!isText(input)) return { message: 'is invalid' }
    const checked = checkEmail(input.trim())
    return 'email' in checked ? { value: checked.email } : checked
  },
  { type: 'string', format: 'email', maxLength: 160 },
)
