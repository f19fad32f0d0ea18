import { beforeAll, describe, expect, it } from 'vitest'
import { authorizationsOf } from '#shared/commit/revoke.ts'
import { policiesApi } from '#test/support/accounts/collections.ts'
import { newPolicyWorld, type PolicyWorld } from '#test/support/accounts/policies.ts'

let world: PolicyWorld
beforeAll(async () => {
  world = await newPolicyWorld()
})

describe('DELETE /policies/{id} (A16)', () => {
  it('deletes once, then returns 404', async () => {
    const policy = await world.createWithParents()
    expect((await policiesApi.remove(world.account, policy.id)).body).toEqual({ data: policy })
    expect((await policiesApi.remove(world.account, policy.id)).status).toBe(404)
  })

  it('frees its pair of group and resource', async () => {
    const { id, group_id, resource_id } = await world.createWithParents()
    expect((await world.create({ group_id, resource_id })).status).toBe(422)
    await policiesApi.remove(world.account, id)
    expect((await world.create({ group_id, resource_id })).status).toBe(201)
  })

  it('ends the authorizations created by it (A29)', async () => {
    const ownWorld = await newPolicyWorld()
    await ownWorld.addGateway()
    await ownWorld.startSession()
    const authorization = await ownWorld.ask({ resource_id: ownWorld.resource.id })
    expect(authorization.status).toBe(201)
    const by = { by: 'policy', id: ownWorld.policy.id } as const
    expect(await authorizationsOf(ownWorld.account.id, by)).toHaveLength(1)
    await policiesApi.remove(ownWorld.account, ownWorld.policy.id)
    expect(await authorizationsOf(ownWorld.account.id, by)).toEqual([])
    expect((await ownWorld.ask({ resource_id: ownWorld.resource.id })).status).toBe(404)
  })
})
