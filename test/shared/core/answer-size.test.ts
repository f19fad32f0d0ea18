import { expect, it } from 'vitest'
import { answerBytes, fitting } from '#shared/core/answer-size.ts'

it('counts a quote and a backslash twice, as the body travels inside a JSON string', () => {
  const value = { text: 'a "quoted" \\ word' }
  expect(answerBytes(value)).toBe(
    Buffer.byteLength(JSON.stringify({ body: JSON.stringify(value) })) - '{"body":}'.length,
  )
})

it('keeps all items that fit together', () => {
  expect(fitting([1, 2, 3])).toEqual([1, 2, 3])
  expect(fitting([])).toEqual([])
})

it.each(['x', '"', 'ß', '\u0001'])(
  'ends before the item that would exceed the bytes, with texts of %j',
  (character) => {
    const items = Array.from({ length: 60 }, () => character.repeat(100))
    const kept = fitting(items, 5_000)
    expect(kept.reduce((sum, item) => sum + answerBytes(item), 0)).toBeLessThanOrEqual(5_000)
    expect([...kept, items[0]].reduce((sum, item) => sum + answerBytes(item), 0)).toBeGreaterThan(5_000)
  },
)

it('keeps one item however large it is', () => {
  expect(fitting(['x'.repeat(10_000), 'y'], 5_000)).toEqual(['x'.repeat(10_000)])
})
