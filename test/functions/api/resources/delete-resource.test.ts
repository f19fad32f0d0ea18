import { beforeAll, describe, expect, it } from 'vitest'
import { newAccessWorld } from '#test/support/access/access.ts'
import { groupsApi, policiesApi, resourcesApi } from '#test/support/accounts/collections.ts'
import { newPool } from '#test/support/accounts/pools.ts'
import { newResourceWorld, type ResourceWorld } from '#test/support/accounts/resources.ts'

let world: ResourceWorld
beforeAll(async () => {
  world = await newResourceWorld()
})

describe('DELETE /resources/{id} (A18)', () => {
  it('returns the deleted resource, then 404', async () => {
    const resource = await world.createDns()
    expect((await resourcesApi.remove(world.account, resource.id)).body.data).toEqual(resource)
    expect((await resourcesApi.remove(world.account, resource.id)).status).toBe(404)
    expect((await world.get(resource.id)).status).toBe(404)
  })

  it('deletes a pool', async () => {
    expect((await resourcesApi.remove(world.account, await newPool(world.account))).status).toBe(200)
  })

  it('refuses to delete the Internet Resource', async () => {
    const answer = await resourcesApi.remove(world.account, world.internetResource)
    expect([answer.status, answer.body.code]).toEqual([403, 'internet_resource'])
  })

  it('deletes its policies (A29)', async () => {
    const ownWorld = await newAccessWorld()
    expect((await resourcesApi.remove(ownWorld.account, ownWorld.resource.id)).status).toBe(200)
    expect((await policiesApi.get(ownWorld.account, ownWorld.policy.id)).status).toBe(404)
    expect((await groupsApi.get(ownWorld.account, ownWorld.group.id)).status).toBe(200)
  })
})
