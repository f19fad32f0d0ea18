import { afterEach, expect, it, vi } from 'vitest'
import { runsApi } from '#test/support/sync/directories.ts'
import { newSyncWorld } from '#test/support/sync/sync-runs.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

it('lists the changes of a run in their order, in pages forward and back (I4.1(5))', async () => {
  const world = await newSyncWorld()
  world.company.users = Array.from({ length: 4 }, (_, i) => ({ id: `u${i}`, email: `u${i}@example.com` }))
  world.company.groups = [{ id: 'g', name: 'All', members: ['u0', 'u1', 'u2'] }]
  const { id } = await world.run(true)
  const list = async (query: Record<string, string>) =>
    (await runsApi.idp.changes(world.account, world.id, id, { query })).body
  const all = await list({ limit: '100' })
  expect(all.data.map(({ object }: { object: string }) => object)).toEqual([
    ...Array(4).fill('users'),
    'groups',
    ...Array(3).fill('memberships'),
  ])
  expect(all.metadata).toMatchObject({ total: 8, next_page: null, prev_page: null })
  const first = await list({ limit: '3' })
  const second = await list({ limit: '3', page_cursor: first.metadata.next_page })
  const third = await list({ limit: '3', page_cursor: second.metadata.next_page })
  expect([...first.data, ...second.data, ...third.data]).toEqual(all.data)
  expect((await list({ limit: '3', page_cursor: third.metadata.prev_page })).data).toEqual(second.data)
  const unknown = await runsApi.idp.changes(world.account, world.id, crypto.randomUUID())
  expect(unknown.status).toBe(404)
})
