import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bloomFilter, mayContain } from '#shared/logs/counters/bloom-filter.ts'

const values = fc.uniqueArray(fc.oneof(fc.uuid(), fc.string()), { minLength: 1, maxLength: 300 })

it('contains each of its values', () => {
  fc.assert(
    fc.property(values, (all) => {
      const filter = bloomFilter(all)
      expect(all.filter((value) => !mayContain(filter, value))).toEqual([])
    }),
  )
})

it('contains about 1 % of other values', () => {
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 20_000 }), fc.nat(), (size, seed) => {
      const filter = bloomFilter(Array.from({ length: size }, (_, i) => `${seed} ${i}`))
      const others = Array.from({ length: 20_000 }, (_, i) => `other ${seed} ${i}`)
      const positives = others.filter((value) => mayContain(filter, value)).length
      expect(positives / others.length).toBeLessThan(0.02)
      expect(filter.length).toBeLessThanOrEqual(Math.max(8, Math.ceil(size * 1.2)))
    }),
    { numRuns: 20 },
  )
})

it('has a limited size', () => {
  const all = Array.from({ length: 250_000 }, (_, i) => `value ${i}`)
  const filter = bloomFilter(all)
  expect(filter.length).toBe(250_000)
  expect(all.every((value) => mayContain(filter, value))).toBe(true)
})
