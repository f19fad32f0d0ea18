/** What the values of a setting look like. A context value is text from the command line, or any JSON of `cdk.json`. */
export type Kind<T> = {
  /** Completes "must be …", and says in the table of settings what can be chosen. */
  rule: string
  /** Undefined where the value breaks the rule. */
  read(value: unknown): T | undefined
}

export const integer = (least: number, most: number): Kind<number> => ({
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

/** A text that matches the whole pattern. */
export const text = (pattern: RegExp, rule: string): Kind<string> => ({
  rule,
  read: (value) => (typeof value === 'string' && pattern.test(value) ? value : undefined),
})

export const either = <A, B>(one: Kind<A>, other: Kind<B>): Kind<A | B> => ({
  rule: `${one.rule} or ${other.rule}`,
  read: (value) => one.read(value) ?? other.read(value),
})

/** A list of such texts: with blanks between them, or as a list. */
export const texts = (pattern: RegExp, rule: string, most: number): Kind<string[]> => ({
  rule: `up to ${most} of ${rule}, with blanks between them, or a list`,
  read: (value) => {
    const given: unknown[] = Array.isArray(value) ? value : String(value).split(/\s+/).filter(Boolean)
    const found = given.filter((one): one is string => typeof one === 'string' && pattern.test(one))
    return found.length === given.length && found.length <= most ? found : undefined
  },
})

/** `team=network,stage=live`, or the same as an object; all of them together have at most this many bytes. */
export const pairs = (most: number, bytes: number): Kind<Record<string, string>> => ({
  rule: `up to ${most} of name=value with commas between them, or an object; ${bytes} bytes`,
  read: (value) => {
    const entries: unknown[][] =
      typeof value === 'object' && value !== null
        ? Object.entries(value)
        : String(value)
            .split(',')
            .map((pair) => [
              pair.slice(0, Math.max(0, pair.indexOf('='))).trim(),
              pair.slice(pair.indexOf('=') + 1).trim(),
            ])
    // What AWS takes in the name and value of a tag.
    const fits = entries.every(
      ([name, text]) =>
        /^(?!aws:)[\p{L}\p{N} _.:/=+@-]{1,128}$/u.test(String(name)) &&
        /^[\p{L}\p{N} _.:/=+@-]{0,256}$/u.test(String(text)),
    )
    const size = Buffer.byteLength(entries.flat().join(''))
    return fits && entries.length <= most && size <= bytes
      ? (Object.fromEntries(entries) as Record<string, string>)
      : undefined
  },
})
