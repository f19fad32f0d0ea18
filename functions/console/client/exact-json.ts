/** Counters of 64 bits. No other member of an answer has these names. */
const isCounter = /^[rt]x_(?:bytes|packets)$/
const written = /"([rt]x_(?:bytes|packets))":\s*(\d+)/g
const quoted = /"([rt]x_(?:bytes|packets))": "(\d+)"/g

/** Parses an answer. Its counters become bigint, because numbers of JavaScript are exact only to 53 bits (K4.3). */
export function parseExact<T>(text: string): T {
  const safe = text.replace(written, '"$1":"$2"')
  if (safe === text) return JSON.parse(text)
  return JSON.parse(safe, (name, value) => (typeof value === 'string' && isCounter.test(name) ? BigInt(value) : value))
}

/** Writes a value as indented JSON, with counters as numbers, so that it equals the answer that it was parsed from. */
export const writeExact = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part), 2).replace(quoted, '"$1": $2')
