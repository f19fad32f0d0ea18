import { describe, expect, it, vi } from 'vitest'
import { evaluateConditions } from '#shared/domain/policies/conditions/conditions.ts'
import { PolicyFields } from '#shared/domain/policies/policy.ts'
import { conditionContext } from '#test/support/access/circumstances.ts'
import { mustBe } from '#test/support/form-messages.ts'
import { checkField, errorsOf } from '#test/support/operations/check-field.ts'

const checkConditions = (raw: unknown) => checkField('conditions', PolicyFields.entries.conditions, raw)

const nowhere = conditionContext({})
const micros = (iso: string) => Date.parse(iso) * 1000
const hours = (...values: string[]) => [
  { property: 'current_utc_datetime', operator: 'is_in_day_of_week_time_ranges', values },
]
const holds = (property: string, operator: string, values: string[], situation = {}) =>
  evaluateConditions([{ property, operator, values }], conditionContext(situation), micros('2026-01-05T12:00:00Z'))
    .conforms

describe('conditions (A17.3)', () => {
  it.each([
    ['remote_ip', 'is_in_cidr', ['10.0.0.0/8'], { ip: '10.1.2.3' }, true],
    ['remote_ip', 'is_in_cidr', ['10.0.0.0/8'], { ip: '::ffff:10.1.2.3' }, true],
    ['remote_ip', 'is_in_cidr', ['::ffff:10.1.2.3'], { ip: '10.1.2.3' }, true],
    ['remote_ip', 'is_not_in_cidr', ['::ffff:10.0.0.0/104'], { ip: '10.1.2.3' }, false],
    ['remote_ip', 'is_in_cidr', ['::ffff:10.0.0.0/104'], { ip: '::ffff:a01:203' }, true],
    ['remote_ip', 'is_in_cidr', ['::ffff:0:0/95'], { ip: '10.1.2.3' }, false],
    ['remote_ip', 'is_in_cidr', ['10.0.0.0/8'], { ip: '2001:db8::1' }, false],
    ['remote_ip', 'is_not_in_cidr', ['10.0.0.0/8'], { ip: '192.0.2.1' }, true],
    ['remote_ip', 'is_not_in_cidr', ['10.0.0.0/8'], {}, false],
    ['remote_ip_location_region', 'is_in', ['DE'], { region: 'DE' }, true],
    ['remote_ip_location_region', 'is_not_in', ['DE'], { region: 'FR' }, true],
    ['remote_ip_location_region', 'is_not_in', ['DE'], {}, false],
    ['auth_provider_id', 'is_in', ['a'], {}, false],
    ['auth_provider_id', 'is_not_in', ['a'], {}, true],
    ['client_verified', 'is', ['true'], {}, false],
    ['client_verified', 'is', ['false'], {}, true],
    ['client_verified', 'is', ['1'], { verifiedAt: '2026-01-01T00:00:00.000000Z' }, true],
  ] as const)('%s %s %j with %j: %s', (property, operator, values, context, expected) => {
    expect(holds(property, operator, [...values], context)).toBe(expected)
  })

  it('ends a time condition at the end of its merged range, in its zone', () => {
    const result = evaluateConditions(
      hours('M/09:00-12:00,12:00:01-17:00/Europe/Warsaw'),
      nowhere,
      micros('2026-01-05T09:30:00Z'),
    )
    expect(result).toEqual({ conforms: true, until: micros('2026-01-05T16:00:00Z') })
  })

  it('includes both bounds of a range, and nothing beyond', () => {
    const at = (iso: string) => evaluateConditions(hours('M/09:00-17:00/UTC'), nowhere, micros(iso)).conforms
    expect(['08:59:59', '09:00:00', '17:00:00', '17:00:01'].map((time) => at(`2026-01-05T${time}Z`))).toEqual([
      false,
      true,
      true,
      false,
    ])
    expect(at('2026-01-06T10:00:00Z')).toBe(false)
  })

  it('follows a clock change inside the range', () => {
    // Clocks in Warsaw change from 02:00 to 03:00 on 29 March 2026.
    const result = evaluateConditions(hours('U/01:00-05:00/Europe/Warsaw'), nowhere, micros('2026-03-29T00:30:00Z'))
    expect(result).toEqual({ conforms: true, until: micros('2026-03-29T03:00:00Z') })
  })
})

describe('validation (A17.1, A17.2)', () => {
  const messages = (value: string) => errorsOf(checkConditions(hours(value)))?.['conditions.0.values'] ?? null
  it.each([
    ['M/09:00-17:00/Europe/Warsaw', null],
    ['M/true/UTC', null],
    ['M//UTC', null],
    ['F/9-17,18:30-19/UTC', null],
    ['M/09:00-17:00', [mustBe.timezone]],
    ['M/09:00-17:00/', [mustBe.timezone]],
    ['M', [mustBe.dayRanges]],
    ['M/09:00-17:00/Mars/Base', [mustBe.knownTimezone]],
    ['X/09:00-17:00/UTC', [mustBe.day]],
    ['M/25:00-26:00/UTC', [mustBe.timeRange]],
    ['M/17:00-09:00/UTC', ['start of the time range must not be after its end']],
  ])('%s', (value, expected) => {
    expect(messages(value)).toEqual(expected)
  })

  it('reports the rule of every other field', () => {
    const blank = "can't be blank"
    const check = (raw: unknown) => {
      const checked = checkConditions(raw)
      return 'errors' in checked ? checked.errors : null
    }
    expect(check([{ values: ['DE'] }])).toBeNull()
    expect(check([{ property: 'x', values: ['DE'] }])).toEqual({ 'conditions.0.property': [mustBe.conditionProperty] })
    expect(check([{ property: 'remote_ip', values: ['10.0.0.1'] }])).toEqual({
      'conditions.0.operator': [mustBe.oneOf('is_in_cidr', 'is_not_in_cidr')],
    })
    expect(check([{ values: [] }])).toEqual({ 'conditions.0.values': ['should have at least 1 item(s)'] })
    expect(check([{ values: ['de'] }])).toEqual({ 'conditions.0.values': [mustBe.region] })
    expect(check([{ values: ['DE', 'DE'] }])).toEqual({ 'conditions.0.values': ['should not contain duplicates'] })
    expect(check([{ property: 'client_verified', operator: 'is', values: ['true', '1'] }])).toEqual({
      'conditions.0.values': ['should have 1 item(s)'],
    })
    expect(check([{ values: ['DE'] }, { values: ['FR'] }])).toEqual({
      base: ['only one condition per property is allowed'],
    })
    expect(check([7])).toEqual({ 'conditions.0': [mustBe.object] })
    const many = Array.from({ length: 1_001 }, (_, i) => `10.0.${i >> 8}.${i & 255}`)
    const addresses = (values: unknown) => check([{ property: 'remote_ip', operator: 'is_in_cidr', values }])
    expect(addresses(many.slice(1))).toBeNull()
    expect(addresses(many)).toEqual({ 'conditions.0.values': ['should have at most 1000 item(s)'] })
    for (const values of [undefined, null]) expect(addresses(values)).toEqual({ 'conditions.0.values': [blank] })
    for (const values of ['10.0.0.1', {}]) expect(addresses(values)).toEqual({ 'conditions.0.values': [mustBe.list] })
    for (const values of [[''], [' '], [7], [null], ['10.0.0.0/33'], ['::/129'], ['010.0.0.1']]) {
      expect(addresses(values), JSON.stringify(values)).toEqual({ 'conditions.0.values': [mustBe.range] })
    }
    for (const values of [['10.1.2.3/8'], ['2001:DB8::1/32', '::1', '0.0.0.0/0']]) expect(addresses(values)).toBeNull()
    const verified = (values: unknown) => check([{ property: 'client_verified', operator: 'is', values }])
    for (const value of ['true', 'false', '1', '0']) expect(verified([value])).toBeNull()
    expect(verified(['yes'])).toEqual({ 'conditions.0.values': [mustBe.oneOf('true', 'false', '1', '0')] })
    expect(verified([])).toEqual({ 'conditions.0.values': ['should have 1 item(s)'] })
    expect(check([{ property: 'client_verified', values: ['1'] }])).toEqual({
      'conditions.0.operator': [mustBe.oneOf('is')],
    })
    const provider = (values: unknown) => check([{ property: 'auth_provider_id', operator: 'is_not_in', values }])
    expect(provider(['0198a000-0000-7000-8000-000000000000'])).toBeNull()
    expect(provider(['0198a000'])).toEqual({ 'conditions.0.values': [mustBe.uuid] })
  })
})

it('creates one formatter per time zone for any number of evaluations', () => {
  const conditions = hours('M/9-17/Europe/Lisbon')
  evaluateConditions(conditions, nowhere, micros('2026-01-05T12:00:00Z'))
  const made = vi.spyOn(Intl, 'DateTimeFormat')
  evaluateConditions(conditions, nowhere, micros('2026-01-05T13:00:00Z'))
  expect(made).not.toHaveBeenCalled()
  made.mockRestore()
})
