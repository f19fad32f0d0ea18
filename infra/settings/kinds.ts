import { isObject } from '#shared/core/json/is-object.ts'

/** Allowed values of a setting. A value from the command line is a string. A value from `cdk.json` is any JSON. */
export type Kind<T> = {
  /** Completes the sentence "must be …" of an error message, and lists the allowed values in docs/settings.md. */
  rule: string
  /** Returns the parsed value; undefined if it is not allowed. */
  read(value: unknown): T | undefined
}

export const integerSetting = (min: number, max: number): Kind<number> => ({
  rule: `an integer from ${min} to ${max}`,
  read: (value) => {
    const number = /^\d{1,15}$/.test(String(value)) ? Number(value) : Number.NaN
    return number >= min && number <= max ? number : undefined
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

export const either = <A, B>(first: Kind<A>, second: Kind<B>): Kind<A | B> => ({
  rule: `${first.rule} or ${second.rule}`,
  read: (value) => first.read(value) ?? second.read(value),
})

export const texts = (pattern: RegExp, rule: string, max: number): Kind<string[]> => ({
  rule: `at most ${max} ${rule}, separated by spaces, or a JSON list`,
  read: (value) => {
    const items: unknown[] = Array.isArray(value) ? value : String(value).split(/\s+/).filter(Boolean)
    const matches = items.filter((item): item is string => typeof item === 'string' && pattern.test(item))
    return matches.length === items.length && matches.length <= max ? matches : undefined
  },
})

const tagName = /^(?!aws:)[\p{L}\p{N} _.:/=+@-]{1,128}$/u
const tagValue = /^[\p{L}\p{N} _.:/=+@-]{0,256}$/u

/** Allows pairs such as `team=network,stage=live` or an object: at most `max` pairs, with at most `bytes` bytes in total. */
export const pairs = (max: number, bytes: number): Kind<Record<string, string>> => ({
  rule: `at most ${max} name=value pairs separated by commas, or a JSON object, with ${bytes} bytes in total`,
  read: (value) => {
    const split = (pair: string) => [pair.slice(0, Math.max(0, pair.indexOf('='))), pair.slice(pair.indexOf('=') + 1)]
    const entries: unknown[][] = isObject(value)
      ? Object.entries(value)
      : String(value)
          .split(',')
          .map((pair) => split(pair).map((part) => part.trim()))
    const fits = entries.every(([name, text]) => tagName.test(String(name)) && tagValue.test(String(text)))
    const size = Buffer.byteLength(entries.flat().join(''))
    const isAllowed = fits && entries.length <= max && size <= bytes
    return isAllowed ? (Object.fromEntries(entries) as Record<string, string>) : undefined
  },
})

export type Setting<T> = {
  kind: Kind<T>
  fallback: T | null
  /** Description in the table in docs/settings.md. */
  description: string
  /** Description of a derived default in the table in docs/settings.md. */
  otherwise?: string
}

export const setting = <T>(kind: Kind<T>, fallback: NoInfer<T>, description: string): Setting<T> & { fallback: T } => ({
  kind,
  fallback,
  description,
})

export const optional = <T>(kind: Kind<T>, description: string, otherwise?: string): Setting<T> => ({
  kind,
  fallback: null,
  description,
  ...(otherwise && { otherwise }),
})

export const mailAddress = textSetting(/^[^@\s]+@[^@\s]+$/, 'an email address like access@example.com')

export const url = textSetting(/^https?:\/\/[^\s/]+(\/\S*)?$/, 'a URL like https://access.example.com')

export const urlTemplate = (rule: string) => textSetting(/^https?:\/\/[^\s?#]+$/, rule)

export const tenantUrl = textSetting(/^https?:\/\/[^\s?#]*\{tenant_id\}[^\s?#{}]*$/, 'a URL that contains {tenant_id}')

export const secretArn = textSetting(
  /^arn:[^:]+:secretsmanager:[^:]+:\d{12}:secret:[^:]+-\w{6}$/,
  'the full ARN of a secret, including its six-character suffix',
)

export const bucketName = textSetting(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'the name of an S3 bucket')
