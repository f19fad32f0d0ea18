/**
 * The secret by which CloudFront proves itself, as the rotation keeps it: what was sent before the last rotation, what
 * is sent now, and what will be sent after the next one. All three are accepted, so no rotation waits for anybody to learn
 * a word before it is used.
 */
export type OriginSecret = { previous?: string; current: string; next?: string }

/** Reads what the rotation keeps. @throws Error when it is of another form; its text is not told */
export function parseOriginSecret(text: string): OriginSecret {
  try {
    const words = JSON.parse(text)
    if (words.current) return words
  } catch {
    // What JSON.parse says of a text quotes it.
  }
  throw new Error('The origin secret names no current word.')
}

/**
 * Every word that proves a request: those of an `OriginSecret`, or for another CDN those of a text with spaces between them.
 */
export function acceptedWords(text: string): string[] {
  const words = text.trimStart().startsWith('{') ? Object.values(parseOriginSecret(text)) : text.split(/\s+/)
  return words.filter((word) => word !== '')
}
