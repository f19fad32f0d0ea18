/** Serializes a value for a test title. Shortens long strings and lists to their beginning and length. */
const abbreviate = (value: unknown): string =>
  JSON.stringify(value, (_key, part) => {
    if (typeof part === 'string' && part.length > 60) return `${part.slice(0, 20)}… (${part.length})`
    if (Array.isArray(part) && part.length > 10) return [...part.slice(0, 2), `… (${part.length})`]
    return part
  }) ?? 'undefined'

/** Prepends a column to test cases: a short title built from all values of the case. */
export const withTitles = <const T extends readonly unknown[]>(cases: readonly T[]): [name: string, ...T][] =>
  cases.map((one) => [one.map(abbreviate).join(' → '), ...one])
