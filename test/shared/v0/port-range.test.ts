import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { castPortRange, portsOf } from '#shared/v0/overlap.ts'

const port = fc.integer({ min: 1, max: 65_535 })
const spaces = fc.nat(3).map((count) => ' '.repeat(count))
const zeros = fc.nat(3).map((count) => '0'.repeat(count))
const normal = (low: number, high: number) => ({ value: low === high ? `${low}` : `${low} - ${high}` })
const ascending = fc.tuple(port, port).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)

describe('a port range', () => {
  it('has one normal form for all its notations', () => {
    fc.assert(
      fc.property(ascending, fc.array(spaces, { minLength: 4, maxLength: 4 }), zeros, ([low, high], s, zero) => {
        const forms = [
          `${s[0]}${zero}${low}${s[1]}-${s[2]}${zero}${high}${s[3]}`,
          [low, high],
          `${s[0]}[${s[1]}${low}${s[2]},${s[3]}${zero}${high}]`,
          `(${low - 1},${high}]`,
          `[${low}, ${high + 1})`,
          `(${zero}${low - 1}, ${high + 1})${s[0]}`,
        ]
        for (const form of forms) expect(castPortRange(form), String(form)).toEqual(normal(low, high))
      }),
    )
  })

  it('is read from its normal form with equal ports', () => {
    fc.assert(
      fc.property(ascending, ([low, high]) => {
        const { value } = normal(low, high)
        expect(castPortRange(value)).toEqual({ value })
        expect(portsOf(value)).toEqual({ low, high })
      }),
    )
  })

  it('is one port for a single number', () => {
    fc.assert(
      fc.property(port, (only) => {
        expect(castPortRange(`${only}`)).toEqual({ value: `${only}` })
      }),
    )
  })

  it('reports a descending range before one out of bounds, with any number of digits', () => {
    const number = fc.bigInt({ min: 0n, max: 10n ** 40n })
    fc.assert(
      fc.property(number, number, (low, high) => {
        const outside = low < 1n || high > 65_535n
        const message = low > high ? 'lower value cannot be higher than upper value' : 'port is not within valid range'
        const expected = low > high || outside ? { message } : normal(Number(low), Number(high))
        expect(castPortRange(`${low}-${high}`)).toEqual(expected)
      }),
    )
  })

  it('refuses other text', () => {
    const allowed = /^ *\d+( *- *\d+)? *$|^ *[[(] *\d+ *, *\d+ *[\])] *$/
    const text = fc.string({ unit: fc.constantFrom(...'0189 -,[]()x.+\t'), minLength: 1 })
    fc.assert(
      fc.property(text, (input) => {
        const result = castPortRange(input)
        const isBad = 'message' in result && result.message === 'bad format'
        expect(isBad, JSON.stringify(input)).toBe(!allowed.test(input))
      }),
    )
  })

  it('accepts text or a pair of integers', () => {
    const other = fc.oneof(fc.integer(), fc.double(), fc.boolean(), fc.object(), fc.array(fc.anything()))
    fc.assert(
      fc.property(other, (input) => {
        const pair = Array.isArray(input) && input.length === 2 && input.every(Number.isInteger)
        if (!pair) expect(castPortRange(input)).toEqual({ message: 'is invalid' })
      }),
    )
    for (const input of ['5\0', '\ud800']) expect(castPortRange(input)).toEqual({ message: 'is invalid' })
  })
})
