/** JSON for the title of a test: long texts and lists cut to their beginning and their length. */
const brief = (value: unknown): string =>
  JSON.stringify(value, (_key, part) => {
    if (typeof part === 'string' && part.length > 60) return `${part.slice(0, 20)}… (${part.length})`
    if (Array.isArray(part) && part.length > 10) return [...part.slice(0, 2), `… (${part.length})`]
    return part
  }) ?? 'undefined'

/** Cases with a first column that names them by all the others. */
export const named = <const T extends readonly unknown[]>(cases: readonly T[]): [name: string, ...T][] =>
  cases.map((one) => [one.map(brief).join(' → '), ...one])
