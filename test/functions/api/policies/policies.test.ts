import { beforeAll, describe, expect, it } from 'vitest'
import { handler as createGroup } from '#functions/api/groups/create-group.ts'
import { handler as deleteGroup } from '#functions/api/groups/delete-group.ts'
import { handler as createPolicy } from '#functions/api/policies/create-policy.ts'
import { handler as deletePolicy } from '#functions/api/policies/delete-policy.ts'
import { handler as getPolicy } from '#functions/api/policies/get-policy.ts'
import { handler as listPolicies } from '#functions/api/policies/list-policies.ts'
import { handler as updatePolicy } from '#functions/api/policies/update-policy.ts'
import { handler as listResources } from '#functions/api/resources/list-resources.ts'
import { policies } from '#shared/policies/policy.ts'
import { getRow } from '#shared/table/read.ts'
import { newAccessWorld } from '#test/support/access.ts'
import { newAccount } from '#test/support/account.ts'

type Fields = Record<string, unknown>
type World = Awaited<ReturnType<typeof newAccessWorld>>

let world: World
let internet: string
beforeAll(async () => {
  world = await newAccessWorld()
  internet = (await world.account.call(listResources, { query: { name: 'Internet' } })).body.data[0].id
})

let count = 0
const newGroup = async (): Promise<string> =>
  (await world.account.call(createGroup, { method: 'POST', body: { group: { name: `Group ${count++}` } } })).body.data
    .id
const newResource = async () => (await world.addResource({ name: `Resource ${count++}` })).id
const create = (policy: Fields) => world.account.call(createPolicy, { method: 'POST', body: { policy } })
const made = async (fields: Fields = {}) =>
  (await create({ group_id: await newGroup(), resource_id: await newResource(), ...fields })).body.data
const update = (id: string, policy: Fields) =>
  world.account.call(updatePolicy, { method: 'PATCH', params: { id }, body: { policy } })

const region = { property: 'remote_ip_location_region', operator: 'is_in', values: ['DE', 'PL'] }
const unknown = '0198a000-0000-7000-8000-000000000000'

describe('POST /policies', () => {
  it('creates a policy with its defaults, and exactly these fields', async () => {
    const group_id = await newGroup()
    const resource_id = await newResource()
    const answer = await create({ group_id: group_id.toUpperCase(), resource_id })
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
    expect((await world.account.call(getPolicy, { params: { id } })).body).toEqual(answer.body)
  })

  it.each<[Fields, Record<string, string[]>]>([
    [
      { group_id: undefined, resource_id: undefined },
      { group_id: ["can't be blank"], resource_id: ["can't be blank"] },
    ],
    [{ group_id: null }, { group_id: ["can't be blank"] }],
    [
      { group_id: 'x', resource_id: 7 },
      { group_id: ['is invalid'], resource_id: ['is invalid'] },
    ],
    [
      { group_id: unknown, resource_id: unknown },
      { group_id: ['does not exist'], resource_id: ['does not exist'] },
    ],
    [{ description: 'x'.repeat(1025) }, { description: ['should be at most 1024 character(s)'] }],
    [{ is_disabled: 'maybe' }, { is_disabled: ['is invalid'] }],
    [{ is_disabled: null }, { is_disabled: ["can't be blank"] }],
    [{ flow_log_uploads_enabled: '' }, { flow_log_uploads_enabled: ["can't be blank"] }],
    [{ conditions: null }, { conditions: ['is invalid'] }],
    [{ conditions: {} }, { conditions: ['is invalid'] }],
    [{ conditions: ['x'] }, { 'conditions.0': ['is invalid'] }],
    [{ conditions: [{ property: 'colour', values: ['x'] }] }, { 'conditions.0.property': ['is invalid'] }],
    [{ conditions: [{ ...region, operator: 'is' }] }, { 'conditions.0.operator': ['is invalid'] }],
    [{ conditions: [{ ...region, values: ['XX'] }] }, { 'conditions.0.values': ['has an invalid entry'] }],
    [{ conditions: [{ ...region, values: ['de'] }] }, { 'conditions.0.values': ['has an invalid entry'] }],
    [{ conditions: [{ ...region, values: [] }] }, { 'conditions.0.values': ['should have at least 1 item(s)'] }],
    [{ conditions: [{ ...region, values: undefined }] }, { 'conditions.0.values': ["can't be blank"] }],
    [
      { conditions: [{ ...region, values: ['DE', 'DE'] }] },
      { 'conditions.0.values': ['should not contain duplicates'] },
    ],
    [{ conditions: [region, region] }, { base: ['only one condition per property is allowed'] }],
    [
      { conditions: [region, { property: 'remote_ip', operator: 'is_in_cidr', values: ['10.0.0.0/33'] }] },
      { 'conditions.1.values': ['is invalid'] },
    ],
    [{ conditions: [{ property: 'remote_ip', values: ['10.0.0.1'] }] }, { 'conditions.0.operator': ['is invalid'] }],
    [
      { conditions: [{ property: 'auth_provider_id', operator: 'is_in', values: ['x'] }] },
      { 'conditions.0.values': ['is invalid'] },
    ],
    [
      { conditions: [{ property: 'client_verified', operator: 'is', values: ['true', 'false'] }] },
      { 'conditions.0.values': ['should have 1 item(s)'] },
    ],
    ...[
      ['M/09:00-17:00', 'timezone is required'],
      ['M/09:00-17:00/', 'timezone is required'],
      ['M', 'is invalid'],
      ['M/09:00-17:00/Mars/Base', 'timezone is unknown'],
      ['X/09:00-17:00/UTC', 'day is invalid'],
      ['M/9-25/UTC', 'time range is invalid'],
      ['M/17-9/UTC', 'start of the time range must not be after its end'],
    ].map(([value, message]): [Fields, Record<string, string[]>] => [
      {
        conditions: [{ property: 'current_utc_datetime', operator: 'is_in_day_of_week_time_ranges', values: [value] }],
      },
      { 'conditions.0.values': [message as string] },
    ]),
  ])('refuses %j', async (fields, errors) => {
    const before = (await world.account.call(listPolicies)).body.metadata.total
    const answer = await create({ group_id: await newGroup(), resource_id: await newResource(), ...fields })
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
    expect((await world.account.call(listPolicies)).body.metadata.total).toBe(before)
  })

  it('returns conditions in the order and spelling sent, defaults filled in', async () => {
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
    expect((await made({ conditions })).conditions).toEqual([
      conditions[0],
      { property: 'remote_ip_location_region', operator: 'is_in', values: ['DE'] },
      conditions[2],
      conditions[3],
    ])
  })

  it('has one policy for a group and a resource', async () => {
    const { group_id, resource_id } = await made()
    expect((await create({ group_id, resource_id })).body.errors).toEqual({
      base: ['a policy for this group and resource already exists'],
    })
    const rivals = { group_id: await newGroup(), resource_id }
    const answers = await Promise.all(Array.from({ length: 5 }, () => create(rivals)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422, 422])
  })

  it('never reports flows to the Internet', async () => {
    const policy = await made({ resource_id: internet, flow_log_uploads_enabled: true })
    expect(policy.flow_log_uploads_enabled).toBe(false)
    expect((await update(policy.id, { flow_log_uploads_enabled: true })).body.data.flow_log_uploads_enabled).toBe(false)
    const moved = await update(policy.id, { resource_id: await newResource() })
    expect(moved.body.data.flow_log_uploads_enabled).toBe(false)
    expect((await update(policy.id, { flow_log_uploads_enabled: true })).body.data.flow_log_uploads_enabled).toBe(true)
  })

  it('needs the feature for the Internet Resource, before validation', async () => {
    const without = await newAccount({ features: { internet_resource: false } })
    const id = (await without.call(listResources, { query: { name: 'Internet' } })).body.data[0].id
    const answer = await without.call(createPolicy, { method: 'POST', body: { policy: { resource_id: id } } })
    expect([answer.status, answer.body.code, answer.body.feature]).toEqual([
      403,
      'feature_not_enabled',
      'internet_resource',
    ])
  })
})

describe('PATCH /policies/{id}', () => {
  it('keeps what is not sent, clears conditions with [], and replaces them with a list', async () => {
    const policy = await made({ conditions: [region], description: 'for all' })
    expect((await update(policy.id, {})).body.data).toEqual(policy)
    expect((await update(policy.id, { description: '' })).body.data).toEqual({ ...policy, description: null })
    expect((await update(policy.id, { conditions: [] })).body.data.conditions).toEqual([])
    expect((await update(policy.id, { conditions: [region] })).body.data.conditions).toEqual([region])
  })

  it('moves to another pair, unless that is taken', async () => {
    const first = await made()
    const second = await made({ group_id: first.group_id })
    expect((await update(second.id, { resource_id: first.resource_id })).body.errors).toEqual({
      base: ['a policy for this group and resource already exists'],
    })
    const resource_id = await newResource()
    expect((await update(second.id, { resource_id })).body.data.resource_id).toBe(resource_id)
    expect((await create({ group_id: first.group_id, resource_id: second.resource_id })).status).toBe(201)
  })

  it('refuses null and unknown ends', async () => {
    const { id } = await made()
    expect((await update(id, { group_id: null, resource_id: unknown })).body.errors).toEqual({
      group_id: ["can't be blank"],
      resource_id: ['does not exist'],
    })
  })

  it('of an orphan must name its group', async () => {
    const policy = await made()
    await world.account.call(deleteGroup, { method: 'DELETE', params: { id: policy.group_id } })
    const orphan = (await world.account.call(getPolicy, { params: { id: policy.id } })).body.data
    expect(orphan.group_id).toBeNull()
    expect((await update(policy.id, {})).status).toBe(200)
    expect((await update(policy.id, { description: 'x' })).body.errors).toEqual({ group_id: ["can't be blank"] })
    const group_id = await newGroup()
    expect((await update(policy.id, { group_id })).body.data.group_id).toBe(group_id)
    expect((await getRow(policies, world.account.id, policy.id))?.group_idp_id).toBeNull()
  })
})

describe('GET and DELETE', () => {
  it('filters by group and resource', async () => {
    const policy = await made()
    const ids = async (query: Record<string, string>) =>
      (await world.account.call(listPolicies, { query })).body.data.map(({ id }: { id: string }) => id)
    expect(await ids({ group_id: policy.group_id })).toEqual([policy.id])
    expect(await ids({ resource_id: policy.resource_id.toUpperCase() })).toEqual([policy.id])
    expect(await ids({ group_id: policy.group_id, resource_id: unknown })).toEqual([])
    expect((await world.account.call(listPolicies, { query: 'group_id=' })).body.code).toBe('invalid_filter')
  })

  it('deletes once', async () => {
    const policy = await made()
    const request = { method: 'DELETE', params: { id: policy.id } }
    expect((await world.account.call(deletePolicy, request)).body).toEqual({ data: policy })
    expect((await world.account.call(deletePolicy, request)).status).toBe(404)
  })
})
