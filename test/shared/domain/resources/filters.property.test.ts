import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Filters } from '#shared/domain/resources/resource.ts'
import { checkField, errorsOf } from '#test/support/operations/check-field.ts'

const port = fc.integer({ min: 1, max: 65_535 })
const range = fc.tuple(port, port).map(([a, b]) => ({ first: Math.min(a, b), last: Math.max(a, b) }))
type Range = { first: number; last: number }

const checkFilters = (raw: unknown) => checkField('filters', Filters, raw)
const checked = (ports: unknown[]) => checkFilters([{ protocol: 'tcp', ports }])
const text = ({ first, last }: Range) => (first === last ? String(first) : `${first} - ${last}`)

function overlap(ranges: Range[]): boolean {
  const used = new Uint8Array(65_536)
  return ranges.some(({ first, last }) => {
    const overlaps = used.subarray(first, last + 1).includes(1)
    used.fill(1, first, last + 1)
    return overlaps
  })
}

it('accepts ranges without a common port, in their order, and refuses others', () => {
  fc.assert(
    fc.property(fc.array(range, { maxLength: 5 }), (ranges) => {
      const result = checked(ranges.map(text))
      if (overlap(ranges)) expect(result).toEqual({ errors: { 'filters.0.ports': ['ports must not overlap'] } })
      else expect(result).toEqual({ filters: [{ protocol: 'tcp', ports: ranges.map(text) }] })
    }),
  )
})

it('reads a range with any spaces around its dash, and its own output', () => {
  const blanks = fc.stringMatching(/^ {0,3}$/)
  fc.assert(
    fc.property(range, blanks, blanks, (ports, before, after) => {
      const body = { filters: [{ protocol: 'tcp', ports: [text(ports)] }] }
      expect(checked([`${ports.first}${before}-${after}${ports.last}`])).toEqual(body)
      expect(checked([text(ports)])).toEqual(body)
    }),
  )
})

it('accepts exactly the integers from 1 to 65535 as ports', () => {
  fc.assert(
    fc.property(fc.integer({ min: -70_000, max: 140_000 }), (number) => {
      const valid = number >= 1 && number <= 65_535
      const result = checked([number])
      expect(result).toEqual(checked([String(number)]))
      expect('filters' in result).toBe(valid)
    }),
  )
})

it('refuses a descending range', () => {
  fc.assert(
    fc.property(range, ({ first, last }) => {
      fc.pre(first < last)
      expect(checked([`${last}-${first}`])).toEqual({
        errors: { 'filters.0.ports': ['lower port cannot exceed upper port'] },
      })
    }),
  )
})

it('returns filters or messages for any value', () => {
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.array(fc.anything())), (value) => {
      const errors = errorsOf(checkFilters(value)) ?? {}
      for (const field of Object.keys(errors)) expect(field).toMatch(/^filters(\.\d+(\.(protocol|ports))?)?$/)
    }),
  )
})
