import { beforeAll, describe, expect, it } from 'vitest'
import { handler as deleteClient } from '#functions/api/clients/delete-client.ts'
import { handler as editPoolMembers } from '#functions/api/pool-members/edit-pool-members.ts'
import { handler as listPoolMembers } from '#functions/api/pool-members/list-pool-members.ts'
import { handler as replacePoolMembers } from '#functions/api/pool-members/replace-pool-members.ts'
import { handler as provision } from '#functions/tasks/provision-account.ts'
import { newAccessWorld } from '#test/support/access.ts'
import { commitsOf } from '#test/support/commit-stream.ts'

let world: Awaited<ReturnType<typeof newAccessWorld>>
let a: { id: string; name: string; last_seen_at: string }
let b: typeof a
const unknown = '0198a000-0000-7000-8000-000000000000'

beforeAll(async () => {
  world = await newAccessWorld()
  a = (await world.startSession({ svc_id: 'a' })).body.data.client
  b = (await world.startSession({ svc_id: 'b' })).body.data.client
})

const newPool = async (device_ids: string[] = []): Promise<string> => {
  const resource = { name: 'Laptops', device_ids }
  const made = await provision({ operation: 'create_static_device_pool', account_id: world.account.id, resource })
  return (made as { data: { resource: { id: string } } }).data.resource.id
}
const put = (resource_id: string, pool_members: unknown) =>
  world.account.call(replacePoolMembers, { method: 'PUT', params: { resource_id }, body: { pool_members } })
const patch = (resource_id: string, pool_members: unknown) =>
  world.account.call(editPoolMembers, { method: 'PATCH', params: { resource_id }, body: { pool_members } })
const list = (resource_id: string) => world.account.call(listPoolMembers, { params: { resource_id } })
const entries = (...ids: unknown[]) => ids.map((device_id) => ({ device_id }))

describe('PUT /resources/{resource_id}/pool_members', () => {
  it('replaces the set and answers it sorted, without duplicates', async () => {
    const pool = await newPool()
    expect((await put(pool, entries(b.id, a.id, b.id.toUpperCase()))).body).toEqual({
      data: { device_ids: [a.id, b.id].sort() },
    })
    expect((await put(pool, entries(b.id))).body.data.device_ids).toEqual([b.id])
    expect((await put(pool, [])).body.data.device_ids).toEqual([])
  })

  it.each<[unknown, string[]]>([
    [[{}], ['entry 0 is missing device_id']],
    [['x', { device_id: 7 }, { device_id: '' }], [0, 1, 2].map((i) => `entry ${i} is missing device_id`)],
    [entries('x', 'y'), ['x is not a valid device id', 'y is not a valid device id']],
    [entries(unknown), [`${unknown} does not exist`]],
    [entries(...Array.from({ length: 10_001 }, () => unknown)), ['should have at most 10000 item(s)']],
  ])('refuses %#, and leaves the pool', async (members, messages) => {
    const pool = await newPool([a.id])
    const answer = await put(pool, members)
    expect([answer.status, answer.body.errors]).toEqual([422, { pool_members: messages }])
    expect((await list(pool)).body.data.map(({ id }: { id: string }) => id)).toEqual([a.id])
  })

  it('does not know a gateway as a client', async () => {
    const gateway = await world.addGateway()
    expect((await put(await newPool(), entries(gateway.id))).body.errors).toEqual({
      pool_members: [`${gateway.id} does not exist`],
    })
  })
})

describe('PATCH /resources/{resource_id}/pool_members', () => {
  it('adds and removes; removal comes first', async () => {
    const pool = await newPool([a.id])
    expect((await patch(pool, { add: [b.id], remove: [a.id, unknown] })).body.data.device_ids).toEqual([b.id])
    expect((await patch(pool, { add: [b.id], remove: [b.id] })).body.data.device_ids).toEqual([b.id])
    expect((await patch(pool, {})).body.data.device_ids).toEqual([b.id])
  })

  it.each<[unknown, Record<string, string[]>]>([
    [{ add: 'x' }, { add: ['has an invalid entry'] }],
    [
      { add: [7], remove: null },
      { add: ['has an invalid entry'], remove: ['has an invalid entry'] },
    ],
    [{ add: ['x'], remove: ['y'] }, { pool_members: ['x is not a valid device id', 'y is not a valid device id'] }],
    [{ add: [unknown] }, { pool_members: [`${unknown} does not exist`] }],
  ])('refuses %#', async (members, errors) => {
    const answer = await patch(await newPool(), members)
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
  })
})

it('tells shape, resource, type and entries in this order (A19.3)', async () => {
  expect((await put(unknown, {})).body.code).toBe('bad_request')
  expect((await patch(unknown, [])).body.code).toBe('bad_request')
  expect((await put(unknown, entries('x'))).body.code).toBe('not_found')
  for (const answer of [await put(world.resource.id, entries('x')), await list(world.resource.id)]) {
    expect([answer.status, answer.body.code, answer.body.detail]).toEqual([
      400,
      'not_a_device_pool',
      'This resource type has no pool members.',
    ])
  }
})

describe('GET /resources/{resource_id}/pool_members', () => {
  it('lists the clients in their order', async () => {
    const pool = await newPool([b.id, a.id])
    expect((await list(pool)).body.data).toEqual(
      [a, b].map(({ id, name, last_seen_at }) => ({ id, name, last_seen_at })),
    )
    expect((await list(pool)).body.metadata).toMatchObject({ total: 2, next_page: null, prev_page: null })
    expect((await list(unknown)).status).toBe(404)
  })

  it('loses a client that is deleted', async () => {
    const gone = (await world.startSession({ svc_id: 'gone' })).body.data.client
    const pool = await newPool([gone.id])
    await world.account.call(deleteClient, { method: 'DELETE', params: { id: gone.id } })
    expect((await list(pool)).body).toMatchObject({ data: [], metadata: { total: 0 } })
    const changes = (await commitsOf(world.account.id)).at(-1)?.changes.map(({ object }) => object)
    expect(changes).toEqual(['clients', 'static_device_pool_members'])
  })
})
