import type { Checked } from '../../values/field.ts'
import { isInteger, isText } from '../values/casts.ts'

type PortRange = { low: bigint; high: bigint }

const plain = /^ *(\d+)(?: *- *(\d+))? *$/
const interval = /^ *([[(]) *(\d+) *, *(\d+) *([\])]) *$/

function parseText(text: string): PortRange | null {
  const [, first, second] = plain.exec(text) ?? []
  if (first !== undefined) return { low: BigInt(first), high: BigInt(second ?? first) }
  const [, open, low = '', high = '', close] = interval.exec(text) ?? []
  if (open === undefined) return null
  return { low: BigInt(low) + (open === '(' ? 1n : 0n), high: BigInt(high) - (close === ')' ? 1n : 0n) }
}

const largest = Number.MAX_VALUE
const exact = (value: number): bigint => BigInt(Math.max(-largest, Math.min(value, largest)))

function parsePair(input: unknown): PortRange | null {
  if (!Array.isArray(input) || input.length !== 2) return null
  const [low, high] = input
  return isInteger(low) && isInteger(high) ? { low: exact(low), high: exact(high) } : null
}

/** `<low> - <high>`, or a single port (`/v0` contract, 11.3). */
const formatPortRange = ({ low, high }: PortRange): string => (low === high ? `${low}` : `${low} - ${high}`)

/** A port range in any of its forms as its normal form; the first failure is its only message. */
export function castPortRange(input: unknown): Checked<string | null> {
  if (input === null || input === '') return { value: null }
  const range = isText(input) ? parseText(input) : parsePair(input)
  if (range === null) return { message: isText(input) ? 'bad format' : 'is invalid' }
  if (range.low > range.high) return { message: 'lower value cannot be higher than upper value' }
  if (range.low < 1n || range.high > 65_535n) return { message: 'port is not within valid range' }
  return { value: formatPortRange(range) }
}

/** The ports of a normal form. */
export function portsOf(range: string): { low: number; high: number } {
  const [low = '', high = low] = range.split(' - ')
  return { low: Number(low), high: Number(high) }
}
