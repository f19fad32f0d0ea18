import { zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, expect, it } from 'vitest'
import { hourMicros } from '#shared/core/clock.ts'
import { mayContain } from '#shared/logs/counters/bloom-filter.ts'
import { contentLimits, contentSize, decodeCounts, encodeCounts } from '#shared/logs/counters/count-content.ts'
import { mayBeInRest, valueCondition } from '#shared/logs/counters/flow-conditions.ts'
import { addSums, mergeCounts, type Sum, toSum, ValueCounts } from '#shared/logs/counters/value-counts.ts'

const { bytes } = contentLimits
afterEach(() => {
  contentLimits.bytes = bytes
})

const sum = fc.oneof(
  fc.nat({ max: 300 }),
  fc.maxSafeNat(),
  fc.bigInt({ min: 0n, max: 2n ** 70n }).map(toSum),
  fc.constantFrom<Sum>(127, 128, Number.MAX_SAFE_INTEGER, 2n ** 53n, 2n ** 64n - 1n),
)
const value = fc.oneof(fc.uuid(), fc.constantFrom('', 'tcp/443', 'udp/53', 'a', 'b', 'c'))
const flows = fc.array(fc.tuple(value, fc.constantFrom(0, 3), fc.nat({ max: 9 }), sum, sum), { minLength: 1 })
const hour = fc.tuple(fc.nat({ max: 5 }), flows, fc.constantFrom(1, 3, 1_000)).map(([number, all, limit]) => {
  const counts = new ValueCounts()
  for (const [own, position, ...sums] of all) counts.add(own, position, ...sums)
  return counts.toHour((480_000 + number) * hourMicros, limit)
})
const hours = fc.array(hour, { minLength: 1, maxLength: 12 })

const totals = (all: ReturnType<ValueCounts['toHour']>[]) =>
  all.reduce<Sum[]>(
    (total, { columns, rest }) =>
      total.map((before, i) => [...(columns[i] ?? []), rest?.sums[i] ?? 0].reduce(addSums, before)),
    [0, 0, 0, 0, 0, 0],
  )

it('decodes counters exactly, also in several items', () => {
  fc.assert(
    fc.property(hours, fc.constantFrom(100, 1_000, bytes), (all, limit) => {
      contentLimits.bytes = limit
      const plain = (one: (typeof all)[number]) => ({
        ...one,
        rest: one.rest && { ...one.rest, filters: one.rest.filters.map((filter) => [...filter]) },
      })
      expect(encodeCounts(all).flatMap(decodeCounts).map(plain)).toEqual(all.map(plain))
    }),
  )
})

it('merges counters of an hour without a change of sums', () => {
  fc.assert(
    fc.property(hours, fc.constantFrom(2, 1_000), (all, limit) => {
      const merged = mergeCounts(all, limit)
      expect(totals(merged)).toEqual(totals(all))
      expect(merged.map(({ hour: start }) => start)).toEqual([...new Set(all.map(({ hour: start }) => start))])
      for (const { hour: start, values: kept, rest } of merged) {
        expect(kept.length).toBeLessThanOrEqual(limit)
        const parts = all.filter((one) => one.hour === start)
        const others = parts.flatMap(({ values: own }) => own).filter((own) => !kept.includes(own))
        const isFound = (own: string) => rest?.filters.some((filter) => mayContain(filter, own)) ?? false
        expect(others.filter((own) => !isFound(own))).toEqual([])
      }
    }),
  )
})

it('keeps the values with the most flows', () => {
  const counts = new ValueCounts()
  for (const [i, flowCount] of [3, 9, 5, 9, 1].entries())
    counts.add(`value ${i}`, i % 2 ? 0 : 3, flowCount, 10, 2n ** 64n)
  const { values, columns, rest } = counts.toHour(0, 3)
  expect(values).toEqual(['value 1', 'value 2', 'value 3'])
  expect(columns[0]).toEqual([9, 0, 9])
  expect(rest?.sums).toEqual([0, 0, 0, 4, 20, 2n ** 65n])
})

it('refuses content of an unknown version', () => {
  expect(() => decodeCounts({ header: zstdCompressSync('{"version":9}'), bytes: [] })).toThrow(
    'These are not counters of flows.',
  )
})

it('divides the filters of an hour that do not fit into one item', () => {
  const parts = Array.from({ length: 6 }, (_, part) => {
    const counts = new ValueCounts()
    for (let i = 0; i < 300; i++) counts.add(`${part} ${i}`, 0, 1, i, i)
    return counts.toHour(480_000 * hourMicros, 1)
  })
  const all = mergeCounts(parts, 2)
  contentLimits.bytes = 1_500
  const contents = encodeCounts(all)
  expect(contents.length).toBeGreaterThan(1)
  for (const content of contents) expect(contentSize(content)).toBeLessThanOrEqual(contentLimits.bytes)
  const decoded = contents.flatMap(decodeCounts)
  expect(totals(decoded)).toEqual(totals(all))
  expect(decoded.flatMap(({ values }) => values)).toEqual(all.flatMap(({ values }) => values))
  const counted = decoded.flatMap(({ values }) => values)
  for (let i = 0; i < 6 * 300; i++) {
    const name = `${i % 6} ${Math.floor(i / 6)}`
    const isFound = decoded.some((one) => mayBeInRest(one, valueCondition([name], 'actor')))
    expect(isFound || counted.includes(name), name).toBe(true)
  }
})
