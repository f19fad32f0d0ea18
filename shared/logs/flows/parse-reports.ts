import { isObject } from '../../core/json/is-object.ts'
import { shallowJson } from '../../core/json/shallow-json.ts'

type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown

const inexact = (count: unknown): boolean => typeof count === 'number' && count > Number.MAX_SAFE_INTEGER

/** True when a count was read that a double may not hold exactly. */
function hasInexact(records: unknown): boolean {
  if (!Array.isArray(records)) return false
  for (const record of records) {
    if (!isObject(record)) continue
    const { rx_packets, tx_packets, rx_bytes, tx_bytes } = record
    if (inexact(rx_packets) || inexact(tx_packets) || inexact(rx_bytes) || inexact(tx_bytes)) return true
  }
  return false
}

const number = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** The integer that a JSON number stands for, in any notation; null for a fraction. */
function exactInteger(source: string): bigint | null {
  const [, sign, whole = '', fraction = '', exponent = '0'] = number.exec(source) ?? []
  const digits = whole + fraction
  const zeros = Number(exponent) - fraction.length
  if (/^0*$/.test(digits)) return 0n
  // Far beyond 64 bits already; the exact value does not matter.
  if (digits.length + zeros > 400) return sign ? -(10n ** 400n) : 10n ** 400n
  const kept = zeros < 0 ? digits.slice(0, zeros) : digits + '0'.repeat(zeros)
  if (zeros < 0 && /[1-9]/.test(digits.slice(zeros))) return null
  return BigInt(`${sign}${kept || '0'}`)
}

const exact: Reviver = (_key, value, context) =>
  typeof value === 'number' && !Number.isSafeInteger(value) && context?.source !== undefined
    ? (exactInteger(context.source) ?? Number.NaN)
    : value

/** A body with reports, counts beyond 2^53 as bigint; parsed a second time only where there is one. @throws SyntaxError */
export function parseReports(text: string): unknown {
  const document = JSON.parse(text)
  return hasInexact(document?.flow_logs) ? JSON.parse(shallowJson(text), exact) : document
}
