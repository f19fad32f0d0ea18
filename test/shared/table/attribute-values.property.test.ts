import { marshall, unmarshall } from '@aws-sdk/util-dynamodb'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readAll, spellAll } from '#shared/table/attribute-values.ts'
import { arbitraryItem } from '#test/support/operations/arbitrary-items.ts'

/** What the SDK writes into a request: bytes as base64. */
const asJson = (attributes: object) =>
  JSON.parse(
    JSON.stringify(attributes, (_key, one) => (one instanceof Uint8Array ? Buffer.from(one).toString('base64') : one)),
  )

it('spells items as the SDK does', () => {
  fc.assert(
    fc.property(arbitraryItem, (values) => {
      const ours = JSON.parse(JSON.stringify(spellAll(values)))
      expect(ours).toEqual(asJson(marshall(values, { removeUndefinedValues: true })))
    }),
  )
})

it('reads what it has spelled, as the SDK would', () => {
  fc.assert(
    fc.property(arbitraryItem, (values) => {
      const read = readAll(JSON.parse(JSON.stringify(spellAll(values))))
      expect(read).toEqual(unmarshall(marshall(values, { removeUndefinedValues: true })))
    }),
  )
})

it('takes a part of a buffer for that part', () => {
  const bytes = Buffer.from('a longer text').subarray(2, 8)
  expect(readAll({ text: JSON.parse(JSON.stringify(spellAll({ bytes }).bytes)) }).text).toEqual(new Uint8Array(bytes))
})

it('keeps keys that JavaScript has another use for', () => {
  const values = JSON.parse('{"a":{"__proto__":{"x":1},"constructor":"c"}}')
  const read = readAll(JSON.parse(JSON.stringify(spellAll(values))))
  expect(JSON.stringify(read)).toBe(JSON.stringify(values))
})

it.each([
  ['a number that is not kept exactly', 2 ** 53 + 2],
  ['no number', Number.NaN],
  ['an endless number', Number.POSITIVE_INFINITY],
  ['an object of a class', new Date()],
  ['a function', () => 1],
  ['an empty set', new Set()],
  ['a mixed set', new Set([1, 'a'])],
])('refuses %s', (_what, wrong) => {
  expect(() => spellAll({ wrong })).toThrow()
})
