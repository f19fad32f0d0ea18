import { afterEach, describe, expect, it, vi } from 'vitest'
import { directoryKinds } from '#shared/domain/directories/directory.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { directoriesApi, runsApi } from '#test/support/sync/directories.ts'
import { newSyncWorld } from '#test/support/sync/sync-runs.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

describe.each(directoryKinds)('POST /%s_directories/{id}/sync (I4.1)', (kind) => {
  it("begins a run, one at a time, which is listed and shown in the directory's fields", async () => {
    const world = await newSyncWorld(kind)
    world.company.users = [{ id: 'one', email: 'one@example.com' }]
    world.company.groups = [{ id: 'g', members: ['one'] }]
    const { status, body } = await runsApi[kind].sync(world.account, world.id)
    expect([status, body.data]).toMatchObject([202, { phase: 'read', outcome: null, finished_at: null }])
    const second = await runsApi[kind].sync(world.account, world.id)
    expect([second.status, second.body.code]).toEqual([409, 'sync_running'])
    await world.step()
    const runs = (await runsApi[kind].list(world.account, world.id)).body
    expect(runs.data).toMatchObject([{ id: body.data.id, outcome: 'applied', applied: { users: { insert: 1 } } }])
    const directory = (await directoriesApi[kind].get(world.account, world.id)).body.data
    expect(directory.synced_at).toBe(body.data.started_at)
  })
})

it('refuses a directory that is disabled, unknown, or in an account without the feature', async () => {
  const account = await newAccount()
  const { id } = await directoriesApi.idp.createAndGet(account)
  await directoriesApi.idp.update(account, id, { is_disabled: true })
  const disabled = await runsApi.idp.sync(account, id)
  expect([disabled.status, disabled.body.code]).toEqual([409, 'sync_disabled'])
  expect((await runsApi.suite.sync(account, id)).status).toBe(404)
})
