import fc from 'fast-check'
import { expect, it } from 'vitest'
import { countJsonValues } from '#shared/core/json/json-values.ts'

const valuesOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum: number, member) => sum + valuesOf(member), 1)
    : 1

const counted = (text: string) => countJsonValues(Buffer.from(text))

it('counts at least the number of values, and at most one more per list and object', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), fc.boolean(), (text, spaced) => {
      const value = JSON.parse(text)
      const found = counted(spaced ? JSON.stringify(value, null, 2) : text)
      expect(found).toBeGreaterThanOrEqual(valuesOf(value))
      expect(found).toBeLessThanOrEqual(2 * valuesOf(value))
    }),
  )
})

it('ignores quotes, brackets and commas inside strings', () => {
  expect(counted(JSON.stringify({ a: '",[{', 'b",': '\\\\"}' }))).toBe(3)
})

it('counts in malformed JSON', () => {
  for (const [text, values] of [
    ['', 1],
    [']]]]', 1],
    ['"', 1],
    ['"\\', 1],
    ['{"a', 2],
    [',,,', 4],
  ] as const)
    expect(counted(text)).toBe(values)
})
