import { isObject } from '#shared/core/json/is-object.ts'

/** Form of the values of a setting. A context value is text from the command line, or any JSON of `cdk.json`. */
export type Kind<T> = {
  /** Completes "must be …", and says in the table of settings what can be chosen. */
  rule: string
  read(value: unknown): T | undefined
}

export const integerSetting = (least: number, most: number): Kind<number> => ({
  rule: `an integer from ${least} to ${most}`,
  read: (value) => {
    const number = /^\d{1,15}$/.test(String(value)) ? Number(value) : Number.NaN
    return number >= least && number <= most ? number : undefined
  },
})

export const oneOf = <const T extends string | number>(...choices: T[]): Kind<T> => ({
  rule: choices.length === 1 ? String(choices[0]) : `one of ${choices.join(', ')}`,
  read: (value) => choices.find((choice) => String(choice) === String(value)),
})

export const flag: Kind<boolean> = {
  rule: 'true or false',
  read: (value) => (['true', 'false'].includes(String(value)) ? String(value) === 'true' : undefined),
}

export const textSetting = (pattern: RegExp, rule: string): Kind<string> => ({
  rule,
  read: (value) => (typeof value === 'string' && pattern.test(value) ? value : undefined),
})

export const either = <A, B>(one: Kind<A>, other: Kind<B>): Kind<A | B> => ({
  rule: `${one.rule} or ${other.rule}`,
  read: (value) => one.read(value) ?? other.read(value),
})

export const texts = (pattern: RegExp, rule: string, most: number): Kind<string[]> => ({
  rule: `up to ${most} of ${rule}, with blanks between them, or a list`,
  read: (value) => {
    const given: unknown[] = Array.isArray(value) ? value : String(value).split(/\s+/).filter(Boolean)
    const found = given.filter((one): one is string => typeof one === 'string' && pattern.test(one))
    return found.length === given.length && found.length <= most ? found : undefined
  },
})

/** Names and values of tags that AWS takes. */
const tagName = /^(?!aws:)[\p{L}\p{N} _.:/=+@-]{1,128}$/u
const tagValue = /^[\p{L}\p{N} _.:/=+@-]{0,256}$/u

/** `team=network,stage=live`, or an object of such; all of them together have at most this many bytes. */
export const pairs = (most: number, bytes: number): Kind<Record<string, string>> => ({
  rule: `up to ${most} of name=value with commas between them, or an object; ${bytes} bytes`,
  read: (value) => {
    const split = (pair: string) => [pair.slice(0, Math.max(0, pair.indexOf('='))), pair.slice(pair.indexOf('=') + 1)]
    const entries: unknown[][] = isObject(value)
      ? Object.entries(value)
      : String(value)
          .split(',')
          .map((pair) => split(pair).map((part) => part.trim()))
    const fits = entries.every(([name, text]) => tagName.test(String(name)) && tagValue.test(String(text)))
    const size = Buffer.byteLength(entries.flat().join(''))
    const isTaken = fits && entries.length <= most && size <= bytes
    return isTaken ? (Object.fromEntries(entries) as Record<string, string>) : undefined
  },
})

export type Setting<T> = {
  kind: Kind<T>
  fallback: T | null
  /** Description for the table in docs/settings.md. */
  what: string
  otherwise?: string
}

export const setting = <T>(kind: Kind<T>, fallback: NoInfer<T>, what: string): Setting<T> & { fallback: T } => ({
  kind,
  fallback,
  what,
})

export const optional = <T>(kind: Kind<T>, what: string, otherwise?: string): Setting<T> => ({
  kind,
  fallback: null,
  what,
  ...(otherwise && { otherwise }),
})

export const mailAddress = textSetting(/^[^@\s]+@[^@\s]+$/, 'an address like access@example.com')

export const url = textSetting(/^https?:\/\/[^\s/]+(\/\S*)?$/, 'an address like https://access.example.com')

export const urlWithPlaces = (rule: string) => textSetting(/^https?:\/\/[^\s?#]+$/, rule)

export const urlOfTenant = textSetting(
  /^https?:\/\/[^\s?#]*\{tenant_id\}[^\s?#{}]*$/,
  'an address with {tenant_id} in it',
)

export const secretArn = textSetting(
  /^arn:[^:]+:secretsmanager:[^:]+:\d{12}:secret:[^:]+-\w{6}$/,
  'the whole ARN of a secret, with its six last characters',
)

export const bucketName = textSetting(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'the name of a bucket')
