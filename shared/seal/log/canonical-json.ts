/**
 * JSON in its canonical form (RFC 8785): names in the order of their UTF-16 code units, no white space, numbers and
 * texts as ECMAScript writes them. A member that is undefined is absent, as in `JSON.stringify`.
 * @throws RangeError for values without such a form: NaN, infinite numbers, and half of a surrogate pair
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return canonicalText(value)
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new RangeError(`${value} has no canonical form.`)
    return JSON.stringify(value)
  }
  if (Array.isArray(value)) {
    let text = '['
    for (let i = 0; i < value.length; i++) text += (i > 0 ? ',' : '') + canonicalJson(value[i] ?? null)
    return `${text}]`
  }
  if (typeof value === 'object') return canonicalObject(value as Record<string, unknown>)
  throw new RangeError(`A ${typeof value} has no canonical form.`)
}

function canonicalObject(object: Record<string, unknown>): string {
  let text = '{'
  for (const name of Object.keys(object).sort()) {
    const value = object[name]
    if (value === undefined) continue
    text += `${text === '{' ? '' : ','}${canonicalText(name)}:${canonicalJson(value)}`
  }
  return `${text}}`
}

/** Texts that JSON does not escape: visible characters of ASCII but quotes and backslashes. */
const plain = /^[ !#-[\]-~]*$/

function canonicalText(text: string): string {
  if (plain.test(text)) return `"${text}"`
  if (!text.isWellFormed()) throw new RangeError('A text with half of a surrogate pair has no canonical form.')
  return JSON.stringify(text)
}
