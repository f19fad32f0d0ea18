import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseTimestamp, timestamp, toUtc } from '#shared/core/clock.ts'

/** Compares timestamps with those of `Date`, with millisecond precision and for the years 0 to 9999 (A2.5, A6.3). */

const two = (number: number) => String(number).padStart(2, '0')
const [first, last] = [Date.parse('0000-01-02T00:00:00Z'), Date.parse('9999-12-30T23:59:59Z')]
const second = fc.integer({ min: first / 1000, max: last / 1000 })
const fraction = fc.stringMatching(/^\d{0,9}$/)
const offset = fc.oneof(
  fc.constantFrom('Z', 'z', '+00:00', '-00:00'),
  fc.tuple(fc.constantFrom('+', '-'), fc.nat(23), fc.nat(59)).map(([sign, h, m]) => `${sign}${two(h)}:${two(m)}`),
)
const written = fc.tuple(second, fraction, offset).map(([at, digits, zone]) => {
  const local = new Date(at * 1000).toISOString().slice(0, 19)
  return { text: `${local}${digits && `.${digits}`}${zone}`, whole: `${local}${zone.toUpperCase()}`, digits }
})

it('name the same instant in UTC with six digits, truncated, in every year', () => {
  fc.assert(
    fc.property(written, ({ text, whole, digits }) => {
      const utc = new Date(Date.parse(whole)).toISOString().slice(0, 19)
      expect(toUtc(text)).toBe(`${utc}.${digits.slice(0, 6).padEnd(6, '0')}Z`)
      expect(Math.floor((parseTimestamp(text) as number) / 1_000_000)).toBe(Date.parse(whole) / 1000)
    }),
  )
})

it('convert to microseconds and back up to the year 2255', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), (micros) => {
      expect(parseTimestamp(timestamp(micros))).toBe(micros)
      expect(toUtc(timestamp(micros))).toBe(timestamp(micros))
    }),
  )
})

it('are numbers with a text of their own in the years 0 to 9999', () => {
  const seconds = fc.integer({ min: first / 1_000, max: last / 1_000 })
  fc.assert(
    fc.property(seconds, fc.nat(999_999), (at, rest) => {
      const micros = at * 1_000_000 + rest
      expect(timestamp(micros)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
      expect(parseTimestamp(timestamp(micros))).toBe(micros)
    }),
  )
})

it('are formatted in any order of days', () => {
  const texts = ['2026-11-22T23:59:59.999999Z', '2026-11-23T00:00:00.000000Z', '1970-01-01T00:00:00.000001Z']
  const times = [...texts, ...texts.toReversed(), ...texts]
  expect(times.map((text) => timestamp(parseTimestamp(text) as number))).toEqual(times)
})

it('sort like their texts', () => {
  const micros = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })
  fc.assert(
    fc.property(micros, micros, (a, b) => {
      expect(Math.sign(a - b)).toBe(timestamp(a) < timestamp(b) ? -1 : timestamp(a) > timestamp(b) ? 1 : 0)
    }),
  )
})

it.each(['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.123456Z', '2300-01-01T00:00:00.000001Z'])(
  'are exact for distant years: %s',
  (text) => {
    expect(toUtc(text)).toBe(text)
  },
)

it('end with the year 9999', () => {
  expect(toUtc('9999-12-31T23:59:59-00:01')).toBeNull()
  expect(toUtc('0000-01-01T00:00:00+00:01')).toBeNull()
  expect(timestamp(parseTimestamp('9999-12-31T23:59:59.999999Z') as number)).toBe('9999-12-31T23:59:59.999999Z')
})

it('refuse other text', () => {
  const near = fc.stringMatching(
    /^\d{4}-[01]\d-[0-3]\d[Tt ][012]\d:[0-5]\d(:[0-5]\d)?(\.\d*)?(Z|[+-][01]\d:?[0-5]\d)?$/,
  )
  fc.assert(
    fc.property(near, (text) => {
      const utc = toUtc(text)
      fc.pre(utc !== null)
      const [, seconds = '', zone = ''] = /^(.{19})(?:\.\d+)?(.*)$/.exec(text) ?? []
      expect(Date.parse(`${seconds}${zone}`.toUpperCase())).toBe(Date.parse(`${utc.slice(0, 19)}Z`))
    }),
    { numRuns: 2000 },
  )
})
