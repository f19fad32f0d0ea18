import { beforeAll, describe, expect, it } from 'vitest'
import { handler as deleteGroup } from '#functions/api/groups/delete-group.ts'
import { handler as provision } from '#functions/tasks/provision-account.ts'
import { policies } from '#shared/domain/policies/policy.ts'
import { getRow } from '#shared/table/read.ts'
import { policiesApi } from '#test/support/accounts/collections.ts'
import { newPolicyWorld, type PolicyWorld, region } from '#test/support/accounts/policies.ts'
import { unknownId } from '#test/support/accounts/unknown-id.ts'
import { mustBe } from '#test/support/form-messages.ts'
import { withTitles } from '#test/support/run/titles.ts'

type Fields = Record<string, unknown>

let world: PolicyWorld
beforeAll(async () => {
  world = await newPolicyWorld()
})

describe('PATCH /policies/{id} (A16)', () => {
  it('keeps absent fields, clears conditions with [], and replaces them with a list', async () => {
    const policy = await world.createWithParents({ conditions: [region], description: 'for all' })
    expect((await world.update(policy.id, {})).body.data).toEqual(policy)
    expect((await world.update(policy.id, { description: '' })).body.data).toEqual({ ...policy, description: null })
    expect((await world.update(policy.id, { conditions: [] })).body.data.conditions).toEqual([])
    expect((await world.update(policy.id, { conditions: [region] })).body.data.conditions).toEqual([region])
  })

  it('moves to another pair of group and resource, unless that is taken', async () => {
    const first = await world.createWithParents()
    const second = await world.createWithParents({ group_id: first.group_id })
    expect((await world.update(second.id, { resource_id: first.resource_id })).body.errors).toEqual({
      base: ['a policy for this group and resource already exists'],
    })
    const resource_id = await world.newResource()
    expect((await world.update(second.id, { resource_id })).body.data.resource_id).toBe(resource_id)
    expect((await world.create({ group_id: first.group_id, resource_id: second.resource_id })).status).toBe(201)
  })

  it('refuses null and unknown groups and resources', async () => {
    const { id } = await world.createWithParents()
    expect((await world.update(id, { group_id: null, resource_id: unknownId })).body.errors).toEqual({
      group_id: ["can't be blank"],
      resource_id: ['does not exist'],
    })
  })

  it('requires the group of a policy without one', async () => {
    const policy = await world.createWithParents()
    await world.account.call(deleteGroup, { method: 'DELETE', params: { id: policy.group_id } })
    const orphan = (await policiesApi.get(world.account, policy.id)).body.data
    expect(orphan.group_id).toBeNull()
    expect((await world.update(policy.id, {})).status).toBe(200)
    expect((await world.update(policy.id, { description: 'x' })).body.errors).toEqual({ group_id: ["can't be blank"] })
    const group_id = await world.newGroup()
    expect((await world.update(policy.id, { group_id })).body.data.group_id).toBe(group_id)
    expect((await getRow(policies, world.account.id, policy.id))?.group_idp_id).toBeNull()
  })

  it.each(
    withTitles<[Fields, Record<string, string[]>]>([
      [{ description: 'x'.repeat(1025) }, { description: ['should be at most 1024 character(s)'] }],
      [{ is_disabled: null }, { is_disabled: ["can't be blank"] }],
      [{ conditions: null }, { conditions: [mustBe.list] }],
      [
        { conditions: [region, { property: 'colour', values: [] }] },
        { 'conditions.1.property': [mustBe.conditionProperty] },
      ],
      [{ conditions: [region, region] }, { base: ['only one condition per property is allowed'] }],
      [
        { group_id: 'x', resource_id: 7 },
        { group_id: [mustBe.uuid], resource_id: [mustBe.uuid] },
      ],
    ]),
  )('refuses %s, and keeps the policy', async (_name, fields, errors) => {
    const policy = await world.createWithParents({ conditions: [region] })
    const answer = await world.update(policy.id, fields)
    expect([answer.status, answer.body.errors]).toMatchObject([422, errors])
    expect((await policiesApi.get(world.account, policy.id)).body.data).toEqual(policy)
  })

  it('requires the feature for the Internet Resource, before validation', async () => {
    const policy = await world.createWithParents()
    const features = async (internet_resource: boolean) =>
      provision({
        operation: 'update_account',
        account_id: world.account.id,
        account: { features: { internet_resource } },
      })
    await features(false)
    const refused = await world.update(policy.id, { resource_id: world.internet, is_disabled: 'maybe' })
    expect([refused.status, refused.body.code]).toEqual([403, 'feature_not_enabled'])
    expect((await world.update(policy.id, { description: 'Still mine' })).status).toBe(200)
    await features(true)
    expect((await world.update(policy.id, { resource_id: world.internet })).status).toBe(200)
  })
})
