import { beforeAll, describe, expect, it } from 'vitest'
import { newAccount } from '#test/support/accounts/account.ts'
import { policiesApi, resourcesApi } from '#test/support/accounts/collections.ts'
import { newPolicyWorld, type PolicyWorld, region } from '#test/support/accounts/policies.ts'
import { unknownId } from '#test/support/accounts/unknown-id.ts'
import { mustBe } from '#test/support/form-messages.ts'
import { withTitles } from '#test/support/run/titles.ts'

type Fields = Record<string, unknown>

let world: PolicyWorld
beforeAll(async () => {
  world = await newPolicyWorld()
})

describe('POST /policies (A16)', () => {
  it('creates a policy with its defaults, and exactly these fields', async () => {
    const group_id = await world.newGroup()
    const resource_id = await world.newResource()
    const answer = await world.create({ group_id: group_id.toUpperCase(), resource_id })
    const { id } = answer.body.data
    expect([answer.status, answer.headers.location]).toEqual([201, `/policies/${id}`])
    expect(answer.body.data).toEqual({
      id,
      group_id,
      resource_id,
      description: null,
      conditions: [],
      flow_log_uploads_enabled: true,
      is_disabled: false,
    })
    expect((await policiesApi.get(world.account, id)).body).toEqual(answer.body)
  })

  it.each(
    withTitles<[Fields, Record<string, string[]>]>([
      [
        { group_id: undefined, resource_id: undefined },
        { group_id: ["can't be blank"], resource_id: ["can't be blank"] },
      ],
      [{ group_id: null }, { group_id: ["can't be blank"] }],
      [
        { group_id: 'x', resource_id: 7 },
        { group_id: [mustBe.uuid], resource_id: [mustBe.uuid] },
      ],
      [
        { group_id: unknownId, resource_id: unknownId },
        { group_id: ['does not exist'], resource_id: ['does not exist'] },
      ],
      [{ description: 'x'.repeat(1025) }, { description: ['should be at most 1024 character(s)'] }],
      [{ is_disabled: 'maybe' }, { is_disabled: [mustBe.boolean] }],
      [{ is_disabled: null }, { is_disabled: ["can't be blank"] }],
      [{ flow_log_uploads_enabled: '' }, { flow_log_uploads_enabled: ["can't be blank"] }],
      [{ conditions: null }, { conditions: [mustBe.list] }],
      [{ conditions: {} }, { conditions: [mustBe.list] }],
      [{ conditions: ['x'] }, { 'conditions.0': [mustBe.object] }],
      [
        { conditions: [{ property: 'colour', values: ['x'] }] },
        { 'conditions.0.property': [mustBe.conditionProperty] },
      ],
      [
        { conditions: [{ ...region, operator: 'is' }] },
        { 'conditions.0.operator': [mustBe.oneOf('is_in', 'is_not_in')] },
      ],
      [{ conditions: [{ ...region, values: ['XX'] }] }, { 'conditions.0.values': [mustBe.region] }],
      [{ conditions: [{ ...region, values: ['de'] }] }, { 'conditions.0.values': [mustBe.region] }],
      [{ conditions: [{ ...region, values: [] }] }, { 'conditions.0.values': ['should have at least 1 item(s)'] }],
      [{ conditions: [{ ...region, values: undefined }] }, { 'conditions.0.values': ["can't be blank"] }],
      [
        { conditions: [{ ...region, values: ['DE', 'DE'] }] },
        { 'conditions.0.values': ['should not contain duplicates'] },
      ],
      [{ conditions: [region, region] }, { base: ['only one condition per property is allowed'] }],
      [
        { conditions: [region, { property: 'remote_ip', operator: 'is_in_cidr', values: ['10.0.0.0/33'] }] },
        { 'conditions.1.values': [mustBe.range] },
      ],
      [
        { conditions: [{ property: 'remote_ip', values: ['10.0.0.1'] }] },
        { 'conditions.0.operator': [mustBe.oneOf('is_in_cidr', 'is_not_in_cidr')] },
      ],
      [
        { conditions: [{ property: 'auth_provider_id', operator: 'is_in', values: ['x'] }] },
        { 'conditions.0.values': [mustBe.uuid] },
      ],
      [
        { conditions: [{ property: 'client_verified', operator: 'is', values: ['true', 'false'] }] },
        { 'conditions.0.values': ['should have 1 item(s)'] },
      ],
      ...[
        ['M/09:00-17:00', mustBe.timezone],
        ['M/09:00-17:00/', mustBe.timezone],
        ['M', mustBe.dayRanges],
        ['M/09:00-17:00/Mars/Base', mustBe.knownTimezone],
        ['X/09:00-17:00/UTC', mustBe.day],
        ['M/9-25/UTC', mustBe.timeRange],
        ['M/17-9/UTC', 'start of the time range must not be after its end'],
      ].map(([value, message]): [Fields, Record<string, string[]>] => [
        {
          conditions: [
            { property: 'current_utc_datetime', operator: 'is_in_day_of_week_time_ranges', values: [value] },
          ],
        },
        { 'conditions.0.values': [message as string] },
      ]),
    ]),
  )('refuses %s', async (_name, fields, errors) => {
    const before = (await policiesApi.list(world.account)).body.metadata.total
    const answer = await world.create({
      group_id: await world.newGroup(),
      resource_id: await world.newResource(),
      ...fields,
    })
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
    expect((await policiesApi.list(world.account)).body.metadata.total).toBe(before)
  })

  it('returns conditions in the order and spelling sent, with defaults', async () => {
    const conditions = [
      { property: 'client_verified', operator: 'is', values: ['1'] },
      { values: [' DE '] },
      { property: 'remote_ip', operator: 'is_not_in_cidr', values: ['2001:DB8::/32', '10.1.2.3'] },
      {
        property: 'current_utc_datetime',
        operator: 'is_in_day_of_week_time_ranges',
        values: ['M/9-17:30/Europe/Warsaw', 'T/true/UTC', 'W//UTC'],
      },
    ]
    expect((await world.createWithParents({ conditions })).conditions).toEqual([
      conditions[0],
      { property: 'remote_ip_location_region', operator: 'is_in', values: ['DE'] },
      conditions[2],
      conditions[3],
    ])
  })

  it('allows one policy for a group and a resource', async () => {
    const { group_id, resource_id } = await world.createWithParents()
    expect((await world.create({ group_id, resource_id })).body.errors).toEqual({
      base: ['a policy for this group and resource already exists'],
    })
    const rivals = { group_id: await world.newGroup(), resource_id }
    const answers = await Promise.all(Array.from({ length: 5 }, () => world.create(rivals)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422, 422])
  })

  it('never enables flow log uploads for the Internet Resource', async () => {
    const policy = await world.createWithParents({ resource_id: world.internet, flow_log_uploads_enabled: true })
    expect(policy.flow_log_uploads_enabled).toBe(false)
    expect((await world.update(policy.id, { flow_log_uploads_enabled: true })).body.data.flow_log_uploads_enabled).toBe(
      false,
    )
    const moved = await world.update(policy.id, { resource_id: await world.newResource() })
    expect(moved.body.data.flow_log_uploads_enabled).toBe(false)
    expect((await world.update(policy.id, { flow_log_uploads_enabled: true })).body.data.flow_log_uploads_enabled).toBe(
      true,
    )
  })

  it('requires the feature for the Internet Resource, before validation', async () => {
    const without = await newAccount({ features: { internet_resource: false } })
    const id = (await resourcesApi.list(without, { name: 'Internet' })).body.data[0].id
    const answer = await policiesApi.create(without, { resource_id: id })
    expect([answer.status, answer.body.code, answer.body.feature]).toEqual([
      403,
      'feature_not_enabled',
      'internet_resource',
    ])
  })
})
