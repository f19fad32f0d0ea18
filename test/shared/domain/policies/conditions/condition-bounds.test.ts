import { expect, it } from 'vitest'
import { PolicyFields } from '#shared/domain/policies/policy.ts'
import { mustBe } from '#test/support/form-messages.ts'
import { checkField, errorsOf as errorsIn } from '#test/support/operations/check-field.ts'

const ranges = (count: number) => Array.from({ length: count }, () => '1-2').join(',')
const timed = (...values: unknown[]) => ({
  property: 'current_utc_datetime',
  operator: 'is_in_day_of_week_time_ranges',
  values,
})
const errorsOf = (...conditions: unknown[]) =>
  errorsIn(checkField('conditions', PolicyFields.entries.conditions, conditions))

it('refuses more than five conditions without reading them (A17.1(4))', () => {
  const many = Array.from({ length: 6 }, () => ({ property: 'colour' }))
  expect(errorsOf(...many)).toEqual({ conditions: ['should have at most 5 item(s)'] })
  expect(Object.keys(errorsOf(...many.slice(1)) ?? {})).toContain('conditions.4.property')
})

it('accepts a hundred time ranges, in a value of 4,000 characters', () => {
  expect(errorsOf(timed(`M/${ranges(100)}/UTC`))).toBeUndefined()
  expect(errorsOf(timed(`M/${ranges(101)}/UTC`))).toEqual({ 'conditions.0.values': ['has too many time ranges'] })
  const long = (length: number) => `M/9:00:00.${'1'.repeat(length - 20)}-17:00/UTC`
  expect(long(4_000)).toHaveLength(4_000)
  expect(errorsOf(timed(long(4_000)))).toBeUndefined()
  expect(errorsOf(timed(long(4_001)))).toEqual({ 'conditions.0.values': ['should be at most 4000 character(s)'] })
})

it('refuses a value that is too long or has too many ranges without parsing it', () => {
  expect(errorsOf(timed('x'.repeat(4_001)))).toEqual({ 'conditions.0.values': ['should be at most 4000 character(s)'] })
  expect(errorsOf(timed(','.repeat(100)))).toEqual({ 'conditions.0.values': ['has too many time ranges'] })
  const address = { property: 'remote_ip', operator: 'is_in_cidr', values: [','.repeat(100)] }
  expect(errorsOf(address)).toEqual({ 'conditions.0.values': [mustBe.range] })
})

it('refuses a condition with more than a thousand keys', () => {
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, i]))
  expect(errorsOf({ values: ['DE'], ...keys(999) })).toBeUndefined()
  expect(errorsOf({ values: ['DE'], ...keys(1_000) })).toEqual({ 'conditions.0': ['should have at most 1000 key(s)'] })
})
