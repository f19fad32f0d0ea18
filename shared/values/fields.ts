import * as v from 'valibot'
import { toUtc } from '../core/clock.ts'
import { isOutsideUrl } from '../outside/public-address.ts'
import { checkEmail, emailForm, hostName } from './email.ts'
import { documented, field } from './field.ts'
import { textPattern } from './text.ts'

const blankMessage = "can't be blank"

const isBlank = (input: unknown): boolean =>
  input === null || input === undefined || (typeof input === 'string' && input.trim() === '')

/** Text with more than white space. `message` reports a value of another type. */
export const FilledText = (message: string) =>
  v.pipe(
    v.string(({ input }) => (isBlank(input) ? blankMessage : message)),
    v.check((text) => !isBlank(text), blankMessage),
  )

const StorableText = v.pipe(
  FilledText('is invalid'),
  v.check((text) => !text.includes('\0') && text.isWellFormed(), 'is invalid'),
)

/** Text that DynamoDB can store, without leading and trailing white space. */
export const TrimmedText = v.pipe(StorableText, v.trim())

const maxCharacters = (max: number) =>
  v.maxCodePoints<string, number, string>(max, `should be at most ${max} character(s)`)

export const Text = (max: number) =>
  v.pipe(TrimmedText, v.minLength(1), maxCharacters(max), v.metadata({ pattern: textPattern.filled }))

/** Text as submitted, in which leading and trailing white space is significant. */
export const RawText = (max: number) =>
  v.pipe(StorableText, v.minLength(1), maxCharacters(max), v.metadata({ pattern: textPattern.filled }))

/** Converts null and blank text to null (A6.2). */
// biome-ignore lint/suspicious/noExplicitAny: a schema of any input
export const orNull = <T>(inner: v.GenericSchema<any, T>) =>
  v.pipe(
    v.unknown(),
    v.transform((input) => (isBlank(input) ? null : input)),
    v.nullable(inner),
  )

export const NullableText = (max: number) =>
  orNull(v.pipe(TrimmedText, maxCharacters(max), v.metadata({ pattern: textPattern.any })))

export const booleans = new Map<unknown, boolean>([
  [true, true],
  ['true', true],
  ['1', true],
  [false, false],
  ['false', false],
  ['0', false],
])

export const mustBeBoolean = 'must be true or false'

/** Boolean, or its text form (A6.3). */
export const Bool = field<boolean>(
  (input) => {
    if (isBlank(input)) return { message: blankMessage }
    const value = booleans.get(input)
    return value === undefined ? { message: mustBeBoolean } : { value }
  },
  { type: ['boolean', 'string'], enum: [...booleans.keys()] },
)

export const mustBeUuid = 'must be a UUID'

export const Uuid = v.pipe(FilledText(mustBeUuid), v.trim(), v.uuid(mustBeUuid), v.toLowerCase())

const mustBeTimestamp = 'must be an RFC 3339 timestamp since 1970, for example 2026-03-01T12:00:00Z'

/** Timestamp with an offset, normalized to UTC with microseconds. */
export const Timestamp = v.pipe(
  FilledText(mustBeTimestamp),
  v.transform((text) => toUtc(text.trim()) ?? ''),
  v.check((utc) => utc >= '1970', mustBeTimestamp),
  v.metadata({ format: 'date-time', pattern: '^(19[7-9]|[2-9][0-9]{2})' }),
)

export const mustBeOneOf = (members: readonly string[]): string => `must be one of ${members.join(', ')}`

export const OneOf = <const T extends string>(members: readonly T[]) =>
  v.pipe(FilledText(mustBeOneOf(members)), v.picklist(members, mustBeOneOf(members)))

type IntegerRule = {
  min: number
  max: number
  /** Value for null. Without a fallback, null is rejected as blank. */
  fallback?: number
}

/** JSON integer, or a string of digits (A6.3). */
export const Integer = ({ min, max, fallback }: IntegerRule) =>
  field<number>(
    (input) => {
      if (isBlank(input)) return fallback === undefined ? { message: blankMessage } : { value: fallback }
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

/** Absolute HTTPS URL of an external service. On a single machine, `isOutsideUrl` can also allow local HTTP URLs (I1.2). */
export const OutsideUrl = v.pipe(
  TrimmedText,
  maxCharacters(2048),
  v.check(isOutsideUrl, 'must be an https URL, for example https://idp.example.com'),
  v.metadata({ format: 'uri', pattern: '^https://' }),
)

const hostNamePattern = '^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$'

export const HostName = v.pipe(
  TrimmedText,
  maxCharacters(253),
  v.regex(new RegExp(hostNamePattern), 'must be a host name, for example idp.example.com'),
  v.toLowerCase(),
)

export const NullableHostName = documented(orNull(HostName), { pattern: `(${hostNamePattern})|^\\s*$` })

const guid = '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$'

/** Tenant of the cloud directory: a GUID or a domain name, in lower case. */
export const TenantId = v.pipe(
  TrimmedText,
  maxCharacters(253),
  v.regex(new RegExp(`(${guid})|(${hostNamePattern})`), 'should be the GUID or a domain name of a tenant'),
  v.toLowerCase(),
)

export const Subdomain = v.pipe(
  TrimmedText,
  maxCharacters(63),
  v.regex(/^[a-z0-9-]{1,63}$/, 'must be 1 to 63 of the characters a-z, 0-9 and -'),
)

export const EmailAddress = v.pipe(
  FilledText('is invalid'),
  v.check((text) => !text.includes('\0'), 'is invalid'),
  v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
    const result = checkEmail(dataset.value.trim())
    if ('email' in result) return result.email
    addIssue(result)
    return NEVER
  }),
  v.metadata(emailForm),
)

const maxDomains = 100

/** Domains that a provider or directory vouches for, in lower case and punycode. Null stands for all domains. */
export const EmailDomains = field<string[] | null>(
  (input) => {
    if (input === null) return { value: null }
    if (!Array.isArray(input)) return { message: 'must be a list' }
    if (input.length === 0) return { message: 'should have at least 1 item(s)' }
    if (input.length > maxDomains) return { message: `should have at most ${maxDomains} item(s)` }
    const domains = input.map((text) => (typeof text === 'string' ? hostName(text.trim()) : null))
    const faults = domains.flatMap((domain, i) =>
      domain === null ? [{ path: [i], message: 'is not a domain name' }] : [],
    )
    if (faults.length > 0) return { faults }
    return { value: [...new Set(domains.filter((domain) => domain !== null))] }
  },
  {
    type: ['array', 'null'],
    minItems: 1,
    maxItems: maxDomains,
    // Documents only ASCII names. Names in other scripts are also accepted, but no pattern can describe them.
    items: { type: 'string', maxLength: 253, pattern: hostNamePattern },
  },
)
