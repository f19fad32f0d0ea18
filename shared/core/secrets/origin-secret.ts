/** Words of CloudFront around a rotation. All are accepted, so every function knows a word before it is used. */
export type OriginSecret = { previous?: string; current: string; next?: string }

/** Parses the origin secret. @throws Error for any other text, without quoting it */
export function parseOriginSecret(text: string): OriginSecret {
  try {
    const words = JSON.parse(text)
    if (words.current) return words
  } catch {
    // The message of JSON.parse quotes the text.
  }
  throw new Error('The origin secret has no current word.')
}

/** Words that prove a request came through the CDN: those of an `OriginSecret`, or space-separated words for another CDN. */
export function acceptedWords(text: string): string[] {
  const words = text.trimStart().startsWith('{') ? Object.values(parseOriginSecret(text)) : text.split(/\s+/)
  return words.filter((word) => word !== '')
}
