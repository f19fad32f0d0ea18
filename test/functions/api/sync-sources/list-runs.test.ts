import { afterEach, expect, it, vi } from 'vitest'
import { runsApi } from '#test/support/sync/directories.ts'
import { newSyncWorld } from '#test/support/sync/sync-runs.ts'
import { movableClock } from '#test/support/table/movable-clock.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

it('lists the runs of a directory, newest first, in pages, for 30 days (I4.1(4))', async () => {
  const world = await newSyncWorld()
  const ids = []
  for (let i = 0; i < 3; i++) ids.unshift((await world.run()).id)
  const list = async (query: Record<string, string> = {}) =>
    (await runsApi.idp.list(world.account, world.id, { query })).body
  const all = await list()
  expect([all.data.map(({ id }: { id: string }) => id), all.metadata.total]).toEqual([ids, 3])
  expect(Object.keys(all.data[0]).sort()).toEqual([
    'applied',
    'error',
    'finished_at',
    'id',
    'outcome',
    'phase',
    'planned',
    'rewinds',
    'seen',
    'skipped',
    'skipped_sample',
    'started_at',
  ])
  const first = await list({ limit: '2' })
  const second = await list({ limit: '2', page_cursor: first.metadata.next_page })
  expect([...first.data, ...second.data]).toEqual(all.data)
  movableClock().days(31)
  expect((await list()).data).toEqual([])
})

it('returns 404 for an unknown directory', async () => {
  const world = await newSyncWorld()
  const other = await newSyncWorld()
  expect((await runsApi.idp.list(world.account, other.id)).status).toBe(404)
})
