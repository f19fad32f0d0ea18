import fc from 'fast-check'
import { expect, it } from 'vitest'
import { shallowJson } from '#shared/core/json/shallow-json.ts'

const same = (_key: string, value: unknown) => value
const nested = (depth: number, inner = '') => '['.repeat(depth) + inner + ']'.repeat(depth)

it('keeps text that is not deeply nested', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 20 }), (text) => {
      expect(shallowJson(text)).toBe(text)
    }),
  )
  expect(shallowJson(nested(100))).toBe(nested(100))
})

it('empties deeply nested values, and keeps everything else', () => {
  fc.assert(
    fc.property(fc.json(), fc.string(), fc.integer({ min: 100, max: 20_000 }), (inner, text, depth) => {
      const [before, after] = [JSON.stringify(text), JSON.stringify({ text })]
      const deep = shallowJson(`{"a":${before},"b":${nested(depth, inner)},"c":${after},"d":${nested(depth)}}`)
      const list = JSON.parse(nested(100))
      expect(JSON.parse(deep, same)).toEqual({ a: text, b: list, c: { text }, d: list })
    }),
  )
})

it('refuses text that is not JSON', () => {
  for (const text of [nested(200, 'x'), `${nested(200)}]`, '['.repeat(200), `[${nested(200)},"${'['.repeat(200)}]`])
    expect(() => JSON.parse(shallowJson(text), same)).toThrow(SyntaxError)
})
