import fc from 'fast-check'
import { expect, it } from 'vitest'
import { maxJsonBytes, responseBytes, takeFitting } from '#shared/core/json/response-size.ts'

it('counts a quote and a backslash twice, because the body is inside a JSON string', () => {
  const value = { text: 'a "quoted" \\ word' }
  expect(responseBytes(value)).toBe(
    Buffer.byteLength(JSON.stringify({ body: JSON.stringify(value) })) - '{"body":}'.length,
  )
})

it('is an upper bound for any response', () => {
  const text = fc.string({ unit: fc.constantFrom('x', '"', '\\', 'ß', '\u0001', '\ud800', '€') })
  const number = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.bigInt())
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      text,
      number,
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value')),
      fc.dictionary(text, tie('value')),
    ),
  }))
  fc.assert(
    fc.property(value, (any) => {
      expect(maxJsonBytes(any)).toBeGreaterThanOrEqual(responseBytes(any))
    }),
  )
})

it('uses a custom size function for items that may not fit', async () => {
  const counted: number[] = []
  const bytesOf = (item: number) => {
    counted.push(item)
    return 100
  }
  const render = () => 'x'.repeat(100)
  expect((await takeFitting([1, 2, 3, 4], { maxBytes: 350, render, bytesOf })).items).toEqual([1, 2, 3])
  expect(counted).toEqual([1, 2, 3, 4])
  counted.length = 0
  expect((await takeFitting([1, 2, 3, 4], { maxBytes: 3_500, render, bytesOf })).more).toBe(false)
  expect(counted).toEqual([])
})

it.each(['x', '"', 'ß', '\u0001'])(
  'stops before the item that would exceed the maximum, with texts of %j',
  async (character) => {
    const texts = Array.from({ length: 60 }, () => character.repeat(100))
    const { items } = await takeFitting(texts, { maxBytes: 5_000 })
    expect(items.reduce((sum, item) => sum + responseBytes(item), 0)).toBeLessThanOrEqual(5_000)
    expect([...items, texts[0]].reduce((sum, item) => sum + responseBytes(item), 0)).toBeGreaterThan(5_000)
  },
)

it('returns items that fit together, and none after the first that does not', async () => {
  const made: number[] = []
  function* items() {
    for (let i = 1; ; i++) {
      made.push(i)
      yield 'x'.repeat(1_000)
    }
  }
  expect((await takeFitting(items(), { maxBytes: 5_100 })).items).toHaveLength(5)
  expect(made).toHaveLength(6)
})

it('returns the requested number, and whether there are more', async () => {
  expect(await takeFitting([1, 2, 3], { limit: 2 })).toEqual({ items: [1, 2], more: true })
  expect(await takeFitting([1, 2], { limit: 2 })).toEqual({ items: [1, 2], more: false })
  expect(await takeFitting([], { limit: 2 })).toEqual({ items: [], more: false })
})

it('returns at least one item of any size', async () => {
  expect(await takeFitting(['x'.repeat(100), 'y'], { maxBytes: 10 })).toEqual({ items: ['x'.repeat(100)], more: true })
})
