import fc from 'fast-check'
import { expect, it } from 'vitest'
import { spellAll } from '#shared/table/attribute-values.ts'
import { PassingQueryCommand, QueryCommand } from '#shared/table/commands.ts'
import { readItems } from '#shared/table/item-reader.ts'
import { arbitraryItem, itemWithoutSets } from '#test/support/operations/arbitrary-items.ts'

type Values = Record<string, unknown>

const input = { TableName: 't' }
const passing = (text: string) => new PassingQueryCommand(input).read(text)
const whole = (text: string) => new QueryCommand(input).read(text)

/** An answer as the table spells it, names in the order of the values. */
const answerOf = (items: Values[], rest: object = { Count: items.length, LastEvaluatedKey: { pk: { S: 'a' } } }) =>
  JSON.stringify({ ConsumedCapacity: { TableName: 't' }, Items: items.map(spellAll), ...rest })

it('reads what passes by as it reads everything else, and in the same order', () => {
  fc.assert(
    fc.property(fc.array(arbitraryItem, { maxLength: 4 }), (items) => {
      const text = answerOf(items)
      expect(passing(text)).toEqual(whole(text))
      expect(JSON.stringify(passing(text), asText)).toBe(JSON.stringify(whole(text), asText))
    }),
  )
})

const asText = (_name: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)

it('reads items of many attributes, of the same ones and of others, in any order', () => {
  const names = Array.from({ length: 30 }, (_, i) => `field_${i}`)
  const item = fc
    .shuffledSubarray(names, { minLength: 18, maxLength: 20 })
    .map((some) => Object.fromEntries(some.map((name, i) => [name, i])))
  fc.assert(
    fc.property(fc.array(item, { maxLength: 5 }), (items) => {
      const text = answerOf([...items, ...items])
      expect(JSON.stringify(passing(text))).toBe(JSON.stringify(whole(text)))
    }),
  )
})

it('takes the short way for all but sets', () => {
  fc.assert(
    fc.property(fc.array(itemWithoutSets, { maxLength: 4 }), (items) => {
      expect(readItems(answerOf(items))?.items).toHaveLength(items.length)
    }),
  )
  expect(readItems(answerOf([{ names: new Set(['a']) }]))).toBeNull()
})

it.each([
  ['an attribute of the same name', answerOf([{ Items: ['x'], a: '"Items":[' }, { Items: { Items: [] } }])],
  ['members behind the items', answerOf([{ a: 1 }], { Count: 1, ScannedCount: 7 })],
  ['escaped texts', answerOf([{ 'a"\\': '\\', b: '\\"', c: 'é\u0000\ud800', d: '\\\\"' }, { e: '"' }])],
  ['names that JavaScript has another use for', answerOf(JSON.parse('[{"__proto__":{"x":1},"constructor":"c"}]'))],
  ['no items', answerOf([])],
  ['an answer that only counts', '{"Count":7}'],
  ['white space between', JSON.stringify(JSON.parse(answerOf([{ a: [1, { b: null }] }])), null, 1)],
  ['escapes that are not needed', answerOf([{ a: 'x/y' }]).replace('/', '\\/')],
])('reads %s', (_what, text) => {
  expect(passing(text)).toEqual(whole(text))
})

it.each([
  ['broken off in a text', (text: string) => text.slice(0, text.indexOf('long'))],
  ['broken off between items', (text: string) => text.slice(0, text.indexOf(',{'))],
  ['without a comma', (text: string) => text.replace('},{', '}{')],
  ['without a brace', (text: string) => text.replace('}},{', '},{')],
])('refuses an answer that is %s as JSON does', (_what, broken) => {
  const text = broken(answerOf([{ a: 'a long text', b: true }, { c: 1 }]))
  expect(() => whole(text)).toThrow(SyntaxError)
  expect(() => passing(text)).toThrow(SyntaxError)
})

it('refuses a type that is not known', () => {
  const text = '{"Items":[{"a":{"X":"y"}}]}'
  expect(() => whole(text)).toThrow('types X')
  expect(() => passing(text)).toThrow('types X')
})
