/**
 * Serializes a value to canonical JSON (RFC 8785): members sorted by UTF-16 code units, no white space, numbers and strings as in
 * ECMAScript. Undefined members are omitted. A bigint becomes a decimal string, because RFC 8785 numbers have 53 bits.
 * @throws RangeError for a value without a canonical form: NaN, an infinite number, or a lone surrogate
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return canonicalText(value)
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'bigint') return `"${value}"`
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

/** Matches strings that need no escaping in JSON: printable ASCII except quotes and backslashes. */
const plain = /^[ !#-[\]-~]*$/

function canonicalText(text: string): string {
  if (plain.test(text)) return `"${text}"`
  if (!text.isWellFormed()) throw new RangeError('A text with an unpaired surrogate has no canonical form.')
  return JSON.stringify(text)
}
