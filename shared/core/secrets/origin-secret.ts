/**
 * Secret words that CloudFront sends before, during and after a rotation. All are accepted, so that every function knows a new word before
 * CloudFront uses it.
 */
export type OriginSecret = { previous?: string; current: string; next?: string }

/** Parses the origin secret. @throws Error for any other text, without quoting it */
export function parseOriginSecret(text: string): OriginSecret {
  try {
    const words = JSON.parse(text)
    if (words.current) return words
  } catch {
    // Drops the error, because the message of `JSON.parse` quotes the text.
  }
  throw new Error('The origin secret has no current value.')
}

/** Returns the words that prove that a request came through the CDN. For CDNs other than CloudFront, the words are separated by spaces. */
export function acceptedWords(text: string): string[] {
  const words = text.trimStart().startsWith('{') ? Object.values(parseOriginSecret(text)) : text.split(/\s+/)
  return words.filter((word) => word !== '')
}
