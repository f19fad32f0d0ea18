import { describe, expect, it } from 'vitest'
import { newPoolWorld } from '#test/support/accounts/pools.ts'
import { unknownId } from '#test/support/accounts/unknown-id.ts'

const { world, pools, a, b } = await newPoolWorld()

describe('PATCH /resources/{resource_id}/pool_members (A19)', () => {
  it('removes first, then adds', async () => {
    const pool = await pools.newPool([a.id])
    expect((await pools.patch(pool, { add: [b.id], remove: [a.id, unknownId] })).body.data.device_ids).toEqual([b.id])
    expect((await pools.patch(pool, { add: [b.id], remove: [b.id] })).body.data.device_ids).toEqual([b.id])
    expect((await pools.patch(pool, {})).body.data.device_ids).toEqual([b.id])
  })

  it.each<[unknown, Record<string, string[]>]>([
    [{ add: 'x' }, { add: ['must be a list of client ids'] }],
    [
      { add: [7], remove: null },
      { add: ['must be a list of client ids'], remove: ['must be a list of client ids'] },
    ],
    [{ add: ['x'], remove: ['y'] }, { pool_members: ['x is not a valid device id', 'y is not a valid device id'] }],
    [{ add: [unknownId] }, { pool_members: [`${unknownId} does not exist`] }],
  ])('refuses %#', async (members, errors) => {
    const answer = await pools.patch(await pools.newPool(), members)
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
  })

  it('checks shape, resource, type and entries in this order (A19.3)', async () => {
    expect((await pools.patch(unknownId, [])).body.code).toBe('bad_request')
    expect((await pools.patch(unknownId, { add: ['x'] })).body.code).toBe('not_found')
    const { status, body } = await pools.patch(world.resource.id, { add: ['x'] })
    expect([status, body.code, body.detail]).toEqual([
      400,
      'not_a_device_pool',
      'This resource type has no pool members.',
    ])
    expect((await pools.patch(await pools.newPool(), { add: ['x'] })).status).toBe(422)
  })

  it('refuses a gateway as a client, and keeps the pool', async () => {
    const gateway = await world.addGateway()
    const pool = await pools.newPool([a.id])
    expect((await pools.patch(pool, { add: [b.id, gateway.id], remove: [a.id] })).body.errors).toEqual({
      pool_members: [`${gateway.id} does not exist`],
    })
    expect((await pools.list(pool)).body.data.map(({ id }: { id: string }) => id)).toEqual([a.id])
  })
})
