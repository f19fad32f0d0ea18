import { toUtc } from '../core/clock.ts'
import { isUuid } from '../core/ids.ts'
import { isOutsideUrl } from '../outside/outside-url.ts'
import { checkEmail, emailForm } from './email.ts'
import { type Checked, field, type JsonSchema } from './field.ts'
import { isLonger } from './is-longer.ts'
import { textPattern } from './text-pattern.ts'

type TextRule = {
  max: number
  trim?: boolean
}

const isText = (input: unknown): input is string =>
  typeof input === 'string' && !input.includes('\0') && input.isWellFormed()

function blank(input: unknown): boolean {
  return input === null || input === undefined || (typeof input === 'string' && input.trim() === '')
}

function checkText(input: unknown, { max, trim = true }: TextRule): Checked<string> {
  if (blank(input)) return { message: "can't be blank" }
  if (!isText(input)) return { message: 'is invalid' }
  const value = trim ? input.trim() : input
  return isLonger(value, max) ? { message: `should be at most ${max} character(s)` } : { value }
}

/** Required text of 1 to `max` characters. */
export const Text = (max: number, { trim = true } = {}) =>
  field<string>((input) => checkText(input, { max, trim }), {
    type: 'string',
    minLength: 1,
    maxLength: max,
    pattern: textPattern.filled,
  })

/** A secret that another service made: kept as it was sent, because an outer blank can be a part of it. */
export const SecretText = (max: number) => Text(max, { trim: false })

/** Text that blank clears to null (A6.2). */
export const NullableText = (max: number) =>
  field<string | null>((input) => (blank(input) ? { value: null } : checkText(input, { max })), {
    type: ['string', 'null'],
    maxLength: max,
    pattern: textPattern.any,
  })

const booleans = new Map<unknown, boolean>([
  [true, true],
  ['true', true],
  ['1', true],
  [false, false],
  ['false', false],
  ['0', false],
])

export const mustBeBoolean = 'must be true or false'

/** A boolean, also as text (A6.3). */
export const Bool = field<boolean>(
  (input) => {
    if (blank(input)) return { message: "can't be blank" }
    const value = booleans.get(input)
    return value === undefined ? { message: mustBeBoolean } : { value }
  },
  { type: ['boolean', 'string'], enum: [...booleans.keys()] },
)

export const mustBeUuid = 'must be a UUID'

const uuidRule = (input: unknown): Checked<string> => {
  if (blank(input)) return { message: "can't be blank" }
  return typeof input === 'string' && isUuid(input.trim())
    ? { value: input.trim().toLowerCase() }
    : { message: mustBeUuid }
}

export const Uuid = field<string>(uuidRule, { type: 'string', format: 'uuid' })

const mustBeTimestamp = 'must be an RFC 3339 timestamp since 1970, for example 2026-03-01T12:00:00Z'

/** A timestamp with an offset, given back in UTC with microseconds. */
export const Timestamp = field<string>(
  (input) => {
    if (blank(input)) return { message: "can't be blank" }
    const utc = typeof input === 'string' ? toUtc(input.trim()) : null
    return utc === null || utc < '1970' ? { message: mustBeTimestamp } : { value: utc }
  },
  { type: 'string', format: 'date-time', pattern: '^(19[7-9]|[2-9][0-9]{2})' },
)

/** The message for a value that is none of a few. */
export const mustBeOneOf = (members: readonly string[]): string => `must be one of ${members.join(', ')}`

export const OneOf = <const T extends string>(members: readonly T[]) =>
  field<T>(
    (input) => {
      if (blank(input)) return { message: "can't be blank" }
      const member = members.find((candidate) => candidate === input)
      return member === undefined ? { message: mustBeOneOf(members) } : { value: member }
    },
    { type: 'string', enum: members } satisfies JsonSchema,
  )

type IntegerRule = {
  min: number
  max: number
  /** The value that null stands for; without it null is blank. */
  fallback?: number
}

/** A JSON integer or a string of digits (A6.3). */
export const Integer = ({ min, max, fallback }: IntegerRule) =>
  field<number>(
    (input) => {
      if (blank(input)) return fallback === undefined ? { message: "can't be blank" } : { value: fallback }
      const value = typeof input === 'string' && /^-?\d{1,15}$/.test(input.trim()) ? Number(input) : input
      if (typeof value !== 'number' || !Number.isSafeInteger(value)) return { message: 'must be an integer' }
      if (value < min) return { message: `must be greater than or equal to ${min}` }
      return value > max ? { message: `must be less than or equal to ${max}` } : { value }
    },
    {
      type: ['integer', 'string', ...(fallback === undefined ? [] : ['null'])],
      minimum: min,
      maximum: max,
      pattern: fallback === undefined ? '^-?[0-9]{1,15}$' : '^(-?[0-9]{1,15})?$',
      ...(fallback !== undefined && { default: fallback }),
    },
  )

/** Required text of at most `max` characters with a form of its own, and the message that names the form. */
const Formed = (max: number, message: string, form: JsonSchema, read: (text: string) => string | null) =>
  field<string>(
    (input) => {
      const checked = checkText(input, { max })
      if (!('value' in checked)) return checked
      const value = read(checked.value)
      return value === null ? { message } : { value }
    },
    { type: 'string', maxLength: max, ...form },
  )

/** An absolute address of an outside service, as it was sent: https, but for one machine that is told otherwise (I1.2). */
export const OutsideUrl = Formed(
  2048,
  'must be an https URL, for example https://idp.example.com',
  { format: 'uri', pattern: '^https://' },
  (text) => (isOutsideUrl(text) ? text : null),
)

/** A host name of two labels or more. */
export const hostNamePattern =
  '^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$'
const hostNameForm = new RegExp(hostNamePattern)
const mustBeHostName = 'must be a host name, for example idp.example.com'

/** In lower case. */
export const HostName = Formed(253, mustBeHostName, { pattern: hostNamePattern }, (text) =>
  hostNameForm.test(text) ? text.toLowerCase() : null,
)

/** The same, which blank clears to null (A6.2). */
export const NullableHostName = field<string | null>(
  (input) => {
    if (blank(input)) return { value: null }
    const checked = checkText(input, { max: 253 })
    if (!('value' in checked)) return checked
    return hostNameForm.test(checked.value) ? { value: checked.value.toLowerCase() } : { message: mustBeHostName }
  },
  { type: ['string', 'null'], maxLength: 253, pattern: `(${hostNamePattern})|^\\s*$` },
)

const guid = '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$'
const tenantForm = new RegExp(`(${guid})|(${hostNamePattern})`)

/** A tenant of the cloud directory: its GUID or one of its domain names, in lower case. */
export const TenantId = field<string>(
  (input) => {
    const checked = checkText(input, { max: 253 })
    if (!('value' in checked)) return checked
    return tenantForm.test(checked.value)
      ? { value: checked.value.toLowerCase() }
      : { message: 'should be the GUID or a domain name of a tenant' }
  },
  { type: 'string', maxLength: 253, pattern: `(${guid})|(${hostNamePattern})` },
)

/** The part of a host name that a vendor gives its customer. */
export const Subdomain = Formed(
  63,
  'must be 1 to 63 of the characters a-z, 0-9 and -',
  { pattern: '^[a-z0-9-]{1,63}$' },
  (text) => (/^[a-z0-9-]{1,63}$/.test(text) ? text : null),
)

export const EmailAddress = field<string>(
  (input) => {
    if (blank(input)) return { message: "can't be blank" }
    if (!isText(input)) return { message: 'is invalid' }
    const checked = checkEmail(input.trim())
    return 'email' in checked ? { value: checked.email } : checked
  },
  { type: 'string', ...emailForm },
)
