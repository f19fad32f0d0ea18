import { describe, expect, it } from 'vitest'
import { isAffected } from '#functions/console/client/affected.ts'
import { fromInput, toInput } from '#functions/console/parts/time.tsx'
import { type AccessRow, graphOf, linesBetween, onPathsOf } from '#functions/console/screens/access/graph.ts'
import { type EvaluatedPolicy, widenedConditions } from '#functions/console/screens/access/repairs.ts'
import { weeksOf } from '#functions/console/screens/policies/week.ts'

const condition = (property: string, operator: string, ...values: string[]) => ({ property, operator, values })

describe('the graph of access', () => {
  const grant = (id: string, group_id: string, conditions = [] as ReturnType<typeof condition>[]) => ({
    id,
    group_id,
    conditions,
    expires_at: null,
  })
  const country = condition('remote_ip_location_region', 'is_in', 'PL')
  const time = condition('current_utc_datetime', 'is_in_day_of_week_time_ranges', 'M/true/UTC')
  const rows: AccessRow[] = [
    { id: 'wiki', name: 'Wiki', type: 'dns', address: 'wiki', site_id: 'berlin', policies: [grant('p1', 'staff')] },
    {
      id: 'ledger',
      name: 'Ledger',
      type: 'dns',
      address: 'ledger',
      site_id: 'warsaw',
      policies: [grant('p2', 'staff', [country]), grant('p3', 'admins', [time])],
    },
  ]
  const graph = graphOf({ layer: 'actors', id: 'uma', name: 'Uma', note: '' }, rows, (_, id) => id)
  const everything = { actors: 50, groups: 50, policies: 50, resources: 50, sites: 50 }

  it('has each object once, and "if" for conditions that the list does not test', () => {
    expect(graph.nodes.groups.map(({ id }) => id)).toEqual(['admins', 'staff'])
    expect(graph.nodes.policies.map(({ id, name }) => [id, name])).toEqual([
      ['p3', 'At this time'],
      ['p2', 'if the country is one of Poland (PL)'],
      ['p1', 'Without conditions'],
    ])
    expect(graph.nodes.sites.map(({ id }) => id)).toEqual(['warsaw', 'berlin'])
  })

  it('highlights the paths of a node, and no other', () => {
    expect([...(onPathsOf(graph, 'sites berlin') ?? [])]).toEqual([
      'actors uma',
      'groups staff',
      'policies p1',
      'resources wiki',
      'sites berlin',
    ])
    expect(onPathsOf(graph, null)).toBeUndefined()
    const lines = linesBetween(graph, ['groups', 'policies'], 'sites berlin', everything)
    expect(lines).toEqual([
      { from: 0, to: 0, isOnPath: false },
      { from: 1, to: 1, isOnPath: false },
      { from: 1, to: 2, isOnPath: true },
    ])
  })

  it('ends the lines of folded nodes at their count', () => {
    const lines = linesBetween(graph, ['groups', 'policies'], null, { ...everything, policies: 1 })
    expect(lines.map(({ from, to }) => [from, to])).toEqual([
      [0, 0],
      [1, 1],
    ])
  })
})

describe('widened conditions', () => {
  const widen = (passed: boolean, one: ReturnType<typeof condition>, known = {}) =>
    widenedConditions({ conditions: [{ ...one, passed, until: null }] } as EvaluatedPolicy, known)
  const region = { remote_ip_location_region: 'DE' }

  it.each([
    ['keep what is met', true, condition('remote_ip_location_region', 'is_in', 'PL'), ['PL']],
    ['gain a required value', false, condition('remote_ip_location_region', 'is_in', 'PL'), ['PL', 'DE']],
    ['lose an excluded value', false, condition('remote_ip_location_region', 'is_not_in', 'DE', 'FR'), ['FR']],
    ['end with the last excluded value', false, condition('remote_ip_location_region', 'is_not_in', 'DE'), undefined],
    ['end where nothing is known', false, condition('client_verified', 'is', 'true'), undefined],
    ['end where a range excludes', false, condition('remote_ip', 'is_not_in_cidr', '10.0.0.0/8'), undefined],
  ])('%s', (_, passed, one, values) =>
    expect(widen(passed, one, { ...region, remote_ip: '10.0.0.1' })).toEqual(values ? [{ ...one, values }] : []),
  )
})

it('converts the values of a time condition to spans by zone', () => {
  expect(weeksOf(['M/09:00-17:30,20-21/Europe/Warsaw', 'U/true/Europe/Warsaw', 'T/8:15-8:15/UTC'])).toEqual([
    {
      zone: 'Europe/Warsaw',
      spans: [
        { day: 0, from: 540, to: 1050 },
        { day: 0, from: 1200, to: 1260 },
        { day: 6, from: 0, to: 1440 },
      ],
    },
    { zone: 'UTC', spans: [{ day: 1, from: 495, to: 496 }] },
  ])
})

it.each([
  ['GET /groups', 'groups', true],
  ['GET /groups/{group_id}/memberships', 'memberships', true],
  ['GET /access/actors/{id}/resources', 'memberships', true],
  ['GET /resources/{resource_id}/pool_members', 'static_device_pool_members', true],
  ['GET /clients', 'groups', false],
  ['GET /logs/histogram', 'groups', false],
  ['GET /logs', 'groups', false],
  ['GET /access/actors/{id}/resources', 'api_tokens', false],
])('%s after a change of %s is refetched: %s', (route, object, expected) =>
  expect(isAffected(route, object)).toBe(expected),
)

it('refetches the log of changes, and no other one', () => {
  expect(isAffected('GET /logs', 'groups', { type: 'change' })).toBe(true)
  expect(isAffected('GET /logs', 'groups', { type: 'flow' })).toBe(false)
})

it('converts times between timestamps and inputs', () => {
  expect(toInput('2027-03-01T08:30:59Z', 'utc')).toBe('2027-03-01T08:30')
  expect(fromInput('2027-03-01T08:30', 'utc')).toBe('2027-03-01T08:30:00.000Z')
  const time = '2027-03-01T08:30:00.000Z'
  expect(fromInput(toInput(time, 'local'), 'local')).toBe(time)
  expect([toInput('', 'utc'), toInput('never', 'utc'), fromInput('', 'utc')]).toEqual(['', '', ''])
})
