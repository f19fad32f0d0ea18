/** Minimum length of a masked secret. A shorter secret could match ordinary words. */
const minLength = 8

const escaped = (char: string): string => char.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

const hex = (value: number, digits: number): string =>
  value
    .toString(16)
    .padStart(digits, '0')
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)

const controls = new Map([...'\b\f\n\r\t'].map((char, i) => [char, `\\\\${'bfnrt'[i]}`]))

/** Returns a pattern for all spellings of a character: plain, in JSON, in a URL and in a form. */
function spellings(char: string): string {
  const units = Array.from({ length: char.length }, (_, i) => `\\\\u${hex(char.charCodeAt(i), 4)}`)
  const bytes = [...Buffer.from(char)].map((byte) => `%${hex(byte, 2)}`)
  const forms = [
    `\\\\?${escaped(char)}`,
    bytes.join(''),
    units.join(''),
    controls.get(char),
    char === ' ' ? '\\+' : undefined,
  ]
  return `(?:${forms.filter((form) => form !== undefined).join('|')})`
}

/** Returns a pattern for a secret in base64 after `offset` other bytes. Omits digits that also depend on neighbouring bytes. */
function base64At(secret: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)])
  const digits = bytes.toString('base64').replace(/=+$/, '')
  const ownDigits = digits.slice(Math.ceil((offset * 8) / 6), bytes.length % 3 === 0 ? undefined : -1)
  return [...ownDigits]
    .map((digit) => (digit === '+' ? '(?:[+-]|%2[bB])' : digit === '/' ? '(?:\\\\?/|_|%2[fF])' : digit))
    .join('')
}

const patternOf = (secret: string): string =>
  [
    [...secret].map(spellings).join(''),
    // Includes form-encoded credentials in base64, which HTTP Basic sends (RFC 6749, 2.3.1).
    ...[secret, new URLSearchParams({ v: secret }).toString().slice(2)].flatMap((text) =>
      [0, 1, 2].map((offset) => base64At(text, offset)),
    ),
  ].join('|')

/** Maximum length of an encoded character: four percent-encoded bytes, or two JSON escapes. */
const maxSpelling = 12

/** Returns the first `max` characters of a provider's text. Masks secrets in every encoding. */
export function maskSecrets(text: string, secrets: readonly string[], max: number): string {
  const long = secrets.filter(({ length }) => length >= minLength)
  if (long.length === 0) return text.slice(0, max)
  // Searches far enough to find the end of every secret that begins within the first `max` characters.
  const part = text.slice(0, max + maxSpelling * Math.max(...long.map(({ length }) => length)))
  let masked = ''
  let at = 0
  for (const { index, 0: found } of part.matchAll(new RegExp(long.map(patternOf).join('|'), 'g'))) {
    if (index >= max) break
    masked += `${part.slice(at, index)}[secret]`
    at = index + found.length
  }
  return at < max ? masked + part.slice(at, max) : masked
}
