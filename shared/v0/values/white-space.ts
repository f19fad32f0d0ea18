const isWhiteSpace = (character: string | undefined): boolean => /^\p{White_Space}$/u.test(character ?? '')

/** Without Unicode white space at its ends (`/v0` contract, 19.2); JavaScript's own `trim` takes U+FEFF and leaves U+0085. */
export function trimmed(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isWhiteSpace(text[start])) start++
  while (end > start && isWhiteSpace(text[end - 1])) end--
  return text.slice(start, end)
}
