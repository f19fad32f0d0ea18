import fc from 'fast-check'
import * as v from 'valibot'
import { expect, it } from 'vitest'
import { Client } from '#shared/domain/clients/client.ts'
import { Policy } from '#shared/domain/policies/policy.ts'
import { list } from '#shared/http/envelope.ts'
import { shownAs } from '#shared/http/shown.ts'

const Row = v.object({
  id: v.string(),
  kind: v.picklist(['one', 'two']),
  note: v.nullable(v.string()),
  or_none: v.nullable(v.string(), 'none'),
  count: v.number(),
  whole: v.pipe(v.number(), v.integer()),
  on: v.boolean(),
  any: v.union([v.string(), v.number()]),
  parts: v.array(v.object({ at: v.nullable(v.number()) })),
  more: v.object({ left_out: v.optional(v.string()) }),
})

const anything = fc.oneof(
  fc.string(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.constant(undefined),
  fc.object(),
)
/** Mostly what a field can be, sometimes anything else. */
const or = <T>(right: fc.Arbitrary<T>) => fc.oneof({ weight: 40, arbitrary: right }, { weight: 1, arbitrary: anything })
const row = fc.record(
  {
    id: or(fc.string()),
    kind: or(fc.constantFrom('one', 'two')),
    note: or(fc.option(fc.string())),
    or_none: or(fc.option(fc.string())),
    count: or(fc.double({ noNaN: true })),
    whole: or(fc.integer()),
    on: or(fc.boolean()),
    any: or(fc.oneof(fc.string(), fc.integer())),
    parts: or(fc.array(fc.record({ at: or(fc.option(fc.integer())), secret: fc.string() }))),
    more: or(fc.record({ left_out: fc.string(), secret: fc.string() }, { requiredKeys: [] })),
    secret: fc.string(),
  },
  { requiredKeys: ['id', 'kind', 'note', 'or_none', 'count', 'whole', 'on', 'any', 'parts'] },
)

type Outcome = { shown: unknown } | { issues: unknown }
function outcomeOf(parse: () => unknown): Outcome {
  try {
    return { shown: parse() }
  } catch (error) {
    if (error instanceof v.ValiError) return { issues: error.issues }
    throw error
  }
}

it('shows of any value what valibot makes of it, in the same order, and refuses what it refuses', () => {
  const schema = v.object({ data: v.array(Row), metadata: v.object({ total: v.number() }) })
  fc.assert(
    fc.property(fc.array(row, { maxLength: 3 }), or(fc.record({ total: fc.integer() })), (data, metadata) => {
      const value = { data, metadata, secret: 'kept' }
      const ours = outcomeOf(() => shownAs(schema, value))
      const theirs = outcomeOf(() => v.parse(schema, value))
      expect(ours).toEqual(theirs)
      expect(JSON.stringify(ours)).toBe(JSON.stringify(theirs))
    }),
  )
})

it.each([
  ['a row that lacks a field', { data: [{ id: 'a' }], metadata: null }, list(Client)],
  ['no list', { data: {}, metadata: null }, list(Client)],
  ['nothing', undefined, list(Policy)],
])('refuses %s', (_what, value, schema) => {
  expect(() => shownAs<v.GenericSchema>(schema, value)).toThrow(v.ValiError)
})

it('shows nothing where an answer has no body', () => {
  expect(shownAs(v.void(), undefined)).toBeUndefined()
})

it('leaves what it is given as it is', () => {
  const value = Object.freeze({ data: Object.freeze([Object.freeze({ at: 1, secret: 'x' })]) })
  const schema = v.object({ data: v.array(v.object({ at: v.number() })) })
  expect(shownAs(schema, value)).toEqual({ data: [{ at: 1 }] })
})
