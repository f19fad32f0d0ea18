import { describe, expect, it } from 'vitest'
import { devices, newPoolWorld } from '#test/support/accounts/pools.ts'
import { unknownId } from '#test/support/accounts/unknown-id.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'

const { world, pools, a, b } = await newPoolWorld()

describe('PUT /resources/{resource_id}/pool_members (A19)', () => {
  it('replaces the set and returns it sorted, without duplicates', async () => {
    const pool = await pools.newPool()
    expect((await pools.put(pool, devices(b.id, a.id, b.id.toUpperCase()))).body).toEqual({
      data: { device_ids: [a.id, b.id].sort() },
    })
    expect((await pools.put(pool, devices(b.id))).body.data.device_ids).toEqual([b.id])
    expect((await pools.put(pool, [])).body.data.device_ids).toEqual([])
  })

  it.each<[unknown, string[]]>([
    [[{}], ['entry 0 is missing device_id']],
    [['x', { device_id: 7 }, { device_id: '' }], [0, 1, 2].map((i) => `entry ${i} is missing device_id`)],
    [devices('x', 'y'), ['x is not a valid device id', 'y is not a valid device id']],
    [devices(unknownId), [`${unknownId} does not exist`]],
    [devices(...Array.from({ length: 10_001 }, () => unknownId)), ['should have at most 10000 item(s)']],
  ])('refuses %#, and keeps the pool', async (members, messages) => {
    const pool = await pools.newPool([a.id])
    const answer = await pools.put(pool, members)
    expect([answer.status, answer.body.errors]).toEqual([422, { pool_members: messages }])
    expect((await pools.list(pool)).body.data.map(({ id }: { id: string }) => id)).toEqual([a.id])
  })

  it('refuses a gateway as a client', async () => {
    const gateway = await world.addGateway()
    expect((await pools.put(await pools.newPool(), devices(gateway.id))).body.errors).toEqual({
      pool_members: [`${gateway.id} does not exist`],
    })
  })

  it('checks shape, resource, type and entries in this order (A19.3)', async () => {
    expect((await pools.put(unknownId, {})).body.code).toBe('bad_request')
    expect((await pools.put(unknownId, devices('x'))).body.code).toBe('not_found')
    const { status, body } = await pools.put(world.resource.id, devices('x'))
    expect([status, body.code, body.detail]).toEqual([
      400,
      'not_a_device_pool',
      'This resource type has no pool members.',
    ])
    expect((await pools.put(await pools.newPool(), devices('x'))).status).toBe(422)
  })

  it('keeps the memberships of remaining clients', async () => {
    const pool = await pools.newPool([a.id])
    await pools.put(pool, devices(a.id, b.id))
    const changes = (await readCommits(world.account.id))
      .at(-1)
      ?.changes.map(({ object, operation }) => [operation, object])
    expect(changes).toEqual([['insert', 'static_device_pool_members']])
    const commits = (await readCommits(world.account.id)).length
    await pools.put(pool, devices(b.id, a.id))
    expect((await readCommits(world.account.id)).length).toBe(commits)
  })
})
