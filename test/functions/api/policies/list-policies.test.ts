import { beforeAll, describe, expect, it } from 'vitest'
import { groupsApi, policiesApi } from '#test/support/accounts/collections.ts'
import { newPolicyWorld, type PolicyWorld } from '#test/support/accounts/policies.ts'
import { unknownId } from '#test/support/accounts/unknown-id.ts'

let world: PolicyWorld
beforeAll(async () => {
  world = await newPolicyWorld()
})

describe('GET /policies (A7)', () => {
  it('lists policies by insertion, with the fields of GET /policies/{id}', async () => {
    const ownWorld = await newPolicyWorld()
    const made = [
      await ownWorld.createWithParents(),
      await ownWorld.createWithParents({ is_disabled: true, description: 'Off' }),
    ]
    const { data, metadata } = (await policiesApi.list(ownWorld.account)).body
    expect(data.slice(-2)).toEqual(made)
    expect(metadata).toEqual({ limit: 50, next_page: null, prev_page: null, total: 3, count: 3 })
  })

  it('filters by group and resource', async () => {
    const policy = await world.createWithParents()
    const ids = async (query: Record<string, string>) =>
      (await policiesApi.list(world.account, query)).body.data.map(({ id }: { id: string }) => id)
    expect(await ids({ group_id: policy.group_id })).toEqual([policy.id])
    expect(await ids({ resource_id: policy.resource_id.toUpperCase() })).toEqual([policy.id])
    expect(await ids({ group_id: policy.group_id, resource_id: unknownId })).toEqual([])
    expect((await policiesApi.list(world.account, 'group_id=')).body.code).toBe('invalid_filter')
  })

  it('filters by state, and by whether the group was deleted (K11.G13)', async () => {
    const ownWorld = await newPolicyWorld()
    const off = await ownWorld.createWithParents({ is_disabled: true })
    const orphan = await ownWorld.createWithParents()
    await groupsApi.remove(ownWorld.account, orphan.group_id)
    const ids = async (query: Record<string, string>) =>
      (await policiesApi.list(ownWorld.account, query)).body.data.map(({ id }: { id: string }) => id)
    expect(await ids({ is_disabled: 'true' })).toEqual([off.id])
    expect(await ids({ orphaned: 'true' })).toEqual([orphan.id])
    expect(await ids({ orphaned: 'true', is_disabled: 'true' })).toEqual([])
    expect((await ids({ orphaned: 'false' })).includes(orphan.id)).toBe(false)
    expect(await ids({ resource_id: orphan.resource_id, is_disabled: 'false' })).toEqual([orphan.id])
  })

  it.each(['orphaned=', 'is_disabled=0', 'group_id=', 'resource_id=x', 'group_id=a&group_id=b', 'resource_id[]=x'])(
    'refuses ?%s',
    async (query) => {
      const { status, body } = await policiesApi.list(world.account, query)
      const detail = `Invalid value for filter ${/^[a-z_]+/.exec(query)?.[0]}.`
      expect([status, body.code, body.detail]).toEqual([400, 'invalid_filter', detail])
    },
  )
})
