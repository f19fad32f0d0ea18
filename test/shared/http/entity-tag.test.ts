import { expect, it } from 'vitest'
import { tagOf } from '#shared/http/entity-tag.ts'

const policy = (conditions: unknown) => ({ data: { id: '1', name: 'A', conditions } })

it('a tag does not depend on the order of keys at any depth', () => {
  const one = policy([{ property: 'x', more: { a: 1, b: { c: 2, d: 3 } } }])
  const other = { data: Object.fromEntries(Object.entries(one.data).reverse()) }
  expect(tagOf(policy([{ more: { b: { d: 3, c: 2 }, a: 1 }, property: 'x' }]))).toEqual(tagOf(one))
  expect(tagOf(other)).toEqual(tagOf(one))
})

it('a tag depends on any nested value, the order of lists, and exact integers', () => {
  const bodies = [
    { a: { b: 1 } },
    { a: { b: 2 } },
    { a: [1, 2] },
    { a: [2, 1] },
    { a: 2n ** 64n },
    { a: 2n ** 64n + 1n },
  ]
  expect(new Set(bodies.map((body) => tagOf(policy(body))?.stored)).size).toBe(bodies.length)
})
