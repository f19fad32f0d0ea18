import { describe, expect, it } from 'vitest'
import { handler as deleteClient } from '#functions/api/clients/delete-client.ts'
import { newPoolWorld } from '#test/support/accounts/pools.ts'
import { unknownId } from '#test/support/accounts/unknown-id.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'

const { world, pools, a, b } = await newPoolWorld()

describe('GET /resources/{resource_id}/pool_members (A19)', () => {
  it('lists the clients in their order', async () => {
    const pool = await pools.newPool([b.id, a.id])
    expect((await pools.list(pool)).body.data).toEqual(
      [a, b].map(({ id, name, last_seen_at }) => ({ id, device_id: id, name, last_seen_at })),
    )
    expect((await pools.list(pool)).body.metadata).toMatchObject({ total: 2, next_page: null, prev_page: null })
    expect((await pools.list(unknownId)).status).toBe(404)
  })

  it('lists entries in the form that a replacement accepts', async () => {
    const pool = await pools.newPool([b.id, a.id])
    const before = (await pools.list(pool)).body.data
    const answer = await pools.put(pool, before)
    expect([answer.status, answer.body.data.device_ids]).toEqual([200, [a.id, b.id].toSorted()])
    expect((await pools.list(pool)).body.data).toEqual(before)
  })

  it('removes a deleted client', async () => {
    const deletedClient = (await world.startSession({ svc_id: 'gone' })).body.data.client
    const pool = await pools.newPool([deletedClient.id])
    await world.account.call(deleteClient, { method: 'DELETE', params: { id: deletedClient.id } })
    expect((await pools.list(pool)).body).toMatchObject({ data: [], metadata: { total: 0 } })
    const changes = (await readCommits(world.account.id)).at(-1)?.changes.map(({ object }) => object)
    expect(changes).toEqual(['clients', 'static_device_pool_members'])
  })

  it('returns 404 for a resource that is not a pool (A19.3)', async () => {
    const { status, body } = await pools.list(world.resource.id)
    expect([status, body.code, body.detail]).toEqual([
      400,
      'not_a_device_pool',
      'This resource type has no pool members.',
    ])
  })

  it('pages in the order of the clients', async () => {
    const pool = await pools.newPool([b.id, a.id])
    const ids = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id)
    const first = await pools.list(pool, { limit: '1' })
    const second = await pools.list(pool, { limit: '1', page_cursor: first.body.metadata.next_page })
    expect([ids(first), ids(second), second.body.metadata.next_page]).toEqual([[a.id], [b.id], null])
  })
})
