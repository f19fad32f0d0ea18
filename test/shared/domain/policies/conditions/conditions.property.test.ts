import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Condition } from '#shared/domain/policies/conditions/conditions.ts'
import { PolicyFields } from '#shared/domain/policies/policy.ts'
import { mustBe } from '#test/support/form-messages.ts'
import { checkField, errorsOf } from '#test/support/operations/check-field.ts'

const checkConditions = (raw: unknown) => checkField('conditions', PolicyFields.entries.conditions, raw)

/** Generators of valid values for the conditions on each property (A17.1). */
const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'))
const forms: Record<string, { operators: string[]; value: fc.Arbitrary<string>; max: number }> = {
  remote_ip_location_region: {
    operators: ['is_in', 'is_not_in'],
    value: fc.constantFrom('DE', 'PL', 'US', 'ZW', 'AD'),
    max: 5,
  },
  remote_ip: {
    operators: ['is_in_cidr', 'is_not_in_cidr'],
    value: fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.tuple(fc.ipV4(), fc.nat(32)).map((parts) => parts.join('/')),
      fc.tuple(fc.ipV6(), fc.nat(128)).map((parts) => parts.join('/')),
    ),
    max: 20,
  },
  auth_provider_id: {
    operators: ['is_in', 'is_not_in'],
    value: fc.tuple(fc.uuid(), fc.boolean()).map(([id, upper]) => (upper ? id.toUpperCase() : id)),
    max: 20,
  },
  current_utc_datetime: {
    operators: ['is_in_day_of_week_time_ranges'],
    value: fc
      .tuple(fc.constantFrom(...'MTWRFSU'), fc.constantFrom('', 'true', '9-17', '0:00-23:59:59'), zone)
      .map((parts) => parts.join('/')),
    max: 20,
  },
  client_verified: { operators: ['is'], value: fc.constantFrom('true', 'false', '1', '0'), max: 1 },
}

const blanks = fc.constantFrom('', ' ', '\t ')
const condition = fc
  .constantFrom(...Object.entries(forms))
  .chain(([property, { operators, value, max }]) =>
    fc.record({
      property: fc.constant(property),
      operator: fc.constantFrom(...operators),
      values: fc.uniqueArray(value, { minLength: 1, maxLength: max }),
    }),
  )
const conditions = fc.uniqueArray(condition, { selector: ({ property }) => property })

it('are returned in the order and spelling sent, without surrounding spaces', () => {
  fc.assert(
    fc.property(conditions, blanks, (list, blank) => {
      const sent = list.map((one) => ({ ...one, values: one.values.map((value) => `${blank}${value}${blank}`) }))
      expect(checkConditions(sent)).toEqual({ conditions: list })
      expect(checkConditions(list)).toEqual({ conditions: list })
    }),
  )
})

it('have defaults for an absent property or operator', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.constantFrom('DE', 'PL', 'FR'), { minLength: 1 }), (values) => {
      const region = { property: 'remote_ip_location_region', operator: 'is_in', values }
      expect(checkConditions([{ values }])).toEqual({ conditions: [region] })
      expect(checkConditions([{ property: region.property, values }])).toEqual({ conditions: [region] })
    }),
  )
})

it('refuse an operator or a value of another property, with its position', () => {
  const position = fc.nat(3)
  fc.assert(
    fc.property(conditions, condition, position, (list, wrong, at) => {
      const otherConditions = list.filter(({ property }) => property !== wrong.property)
      const index = Math.min(at, otherConditions.length)
      const checkWith = (changed: Partial<Condition>) =>
        checkConditions(otherConditions.toSpliced(index, 0, { ...wrong, ...changed }))
      const others = Object.values(forms).flatMap(({ operators }) => operators)
      const known = forms[wrong.property]?.operators ?? []
      for (const operator of [...others, 'equals'].filter((name) => !known.includes(name))) {
        expect(checkWith({ operator })).toEqual({
          errors: { [`conditions.${index}.operator`]: [mustBe.oneOf(...known)] },
        })
      }
      const foreign = checkWith({ values: [`${randomUUID()}/x`] })
      expect(Object.keys((foreign as { errors: object }).errors)).toEqual([`conditions.${index}.values`])
    }),
  )
})

it('allow each property once, with any operators', () => {
  fc.assert(
    fc.property(condition, condition, (one, other) => {
      const result = checkConditions([one, other])
      const expected =
        one.property === other.property ? { base: ['only one condition per property is allowed'] } : undefined
      expect((result as { errors?: object }).errors).toEqual(expected)
    }),
  )
})

it('return conditions or messages with positions for any value', () => {
  const odd = fc.record(
    { property: fc.anything(), operator: fc.anything(), values: fc.oneof(fc.anything(), fc.array(fc.anything())) },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.array(fc.oneof(fc.anything(), odd, condition))), (value) => {
      const errors = errorsOf(checkConditions(value))
      fc.pre(errors !== undefined)
      for (const [field, messages] of Object.entries(errors ?? {})) {
        expect(field).toMatch(/^(base|conditions(\.\d+(\.(property|operator|values))?)?)$/)
        expect(new Set(messages).size).toBe(messages.length)
      }
    }),
    { numRuns: 1000 },
  )
})
