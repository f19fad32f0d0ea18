import { afterEach, expect, it, vi } from 'vitest'
import { directoriesApi, runsApi } from '#test/support/sync/directories.ts'
import { newSyncWorld } from '#test/support/sync/sync-runs.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

it('reads and plans without changes, even for a disabled directory (I4.1(5))', async () => {
  const world = await newSyncWorld()
  await directoriesApi.idp.update(world.account, world.id, { is_disabled: true })
  world.company.users = [{ id: 'one', email: 'one@example.com', name: 'One' }]
  const before = await world.state()
  const { status, body } = await runsApi.idp.preview(world.account, world.id)
  expect(status).toBe(202)
  await world.step()
  const [run] = (await runsApi.idp.list(world.account, world.id)).body.data
  expect(run).toMatchObject({
    id: body.data.id,
    outcome: 'previewed',
    planned: { users: { insert: 1 } },
    applied: { users: { insert: 0 } },
  })
  expect(await world.state()).toEqual(before)
  const changes = (await runsApi.idp.changes(world.account, world.id, run.id)).body.data
  expect(changes).toMatchObject([
    { change: 'insert', object: 'users', name: 'One', before: null, after: { idp_id: 'one' } },
  ])
  expect((await directoriesApi.idp.get(world.account, world.id)).body.data).toMatchObject({
    synced_at: null,
    is_disabled: true,
  })
})
