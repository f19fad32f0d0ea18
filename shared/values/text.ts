/** Patterns of text without U+0000. White space has the same meaning in every dialect of JSON Schema. */
export const textPattern = {
  any: '^[^\\u0000]*$',
  filled: '^[^\\u0000]*[^\\s\\u0085\\u0000][^\\u0000]*$',
  emptyOrFilled: '^([^\\u0000]*[^\\s\\u0085\\u0000][^\\u0000]*)?$',
}

const maxShown = 255

/** Truncates submitted text to 255 characters with an ellipsis, for use in a message. */
export function excerpt(text: string): string {
  if (text.length <= maxShown) return text
  const characters = [...text.slice(0, 2 * maxShown + 2)]
  return characters.length <= maxShown ? text : `${characters.slice(0, maxShown - 1).join('')}…`
}

/** True for text of more than `max` Unicode code points. */
export function isLonger(text: string, max: number): boolean {
  if (text.length <= max) return false
  return text.length > 2 * max || [...text].length > max
}

/**
 * Folds ASCII letters of emails and domains to lower case. Unicode folding would equate other characters, such as the Kelvin sign with `k`.
 */
export const foldAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
