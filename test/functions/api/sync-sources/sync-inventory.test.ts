import { afterEach, expect, it, vi } from 'vitest'
import { newAccount } from '#test/support/accounts/account.ts'
import { postureProvidersApi } from '#test/support/accounts/collections.ts'
import { inventoryRunsApi, newInventoryWorld } from '#test/support/sync/inventory-runs.ts'
import { mdmFields } from '#test/support/sync/posture-providers.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

it('begins a run, one at a time, which verifies the provider and is shown in its fields (I7.1, I7.4)', async () => {
  const world = await newInventoryWorld()
  world.fleet.devices = [{ mdm_id: 'one' }]
  const { status, body } = await inventoryRunsApi.sync(world.account, world.id)
  expect([status, body.data]).toMatchObject([202, { phase: 'read', outcome: null, seen: { devices: 0 } }])
  const second = await inventoryRunsApi.sync(world.account, world.id)
  expect([second.status, second.body.code]).toEqual([409, 'sync_running'])
  await world.step()
  expect(await world.last()).toMatchObject({ id: body.data.id, outcome: 'applied' })
  const provider = (await postureProvidersApi.get(world.account, world.id)).body.data
  expect(provider).toMatchObject({ synced_at: body.data.started_at, is_verified: true })
})

it('refuses a disabled or unknown provider', async () => {
  const account = await newAccount()
  const { id } = (await postureProvidersApi.create(account, mdmFields({ is_disabled: true }))).body.data
  const disabled = await inventoryRunsApi.sync(account, id)
  expect([disabled.status, disabled.body.code]).toEqual([409, 'sync_disabled'])
  expect((await inventoryRunsApi.sync(await newAccount(), id)).status).toBe(404)
})
