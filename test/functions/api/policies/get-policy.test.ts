import { beforeAll, describe, expect, it } from 'vitest'
import { groupsApi, policiesApi } from '#test/support/accounts/collections.ts'
import { newPolicyWorld, type PolicyWorld, region } from '#test/support/accounts/policies.ts'

let world: PolicyWorld
beforeAll(async () => {
  world = await newPolicyWorld()
})

describe('GET /policies/{id} (A16.1)', () => {
  it('shows exactly its fields, with conditions in the order sent', async () => {
    const conditions = [{ property: 'client_verified', operator: 'is', values: ['true'] }, region]
    const policy = await world.createWithParents({ conditions, description: 'For the office' })
    const { status, body } = await policiesApi.get(world.account, policy.id.toUpperCase())
    expect([status, body.data]).toEqual([
      200,
      {
        id: policy.id,
        group_id: policy.group_id,
        resource_id: policy.resource_id,
        description: 'For the office',
        conditions,
        flow_log_uploads_enabled: true,
        is_disabled: false,
      },
    ])
  })

  it('shows a policy whose group was deleted with a null group', async () => {
    const policy = await world.createWithParents()
    await groupsApi.remove(world.account, policy.group_id)
    expect((await policiesApi.get(world.account, policy.id)).body.data).toEqual({ ...policy, group_id: null })
  })
})
