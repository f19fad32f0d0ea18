import { afterEach, expect, it, vi } from 'vitest'
import { postureProvidersApi } from '#test/support/accounts/collections.ts'
import { inventoryRunsApi, newInventoryWorld } from '#test/support/sync/inventory-runs.ts'
import { mdmFields } from '#test/support/sync/posture-providers.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

it('reads and plans without changes, even for a disabled provider (I7.1)', async () => {
  const world = await newInventoryWorld(undefined, mdmFields({ is_disabled: true }))
  world.fleet.devices = [{ mdm_id: 'one' }]
  const { status, body } = await inventoryRunsApi.preview(world.account, world.id)
  expect(status).toBe(202)
  await world.step()
  expect(await world.last()).toMatchObject({
    id: body.data.id,
    outcome: 'previewed',
    planned: { devices: { insert: 1 } },
    applied: { devices: { insert: 0 } },
  })
  expect(await world.devices()).toEqual([])
  const provider = (await postureProvidersApi.get(world.account, world.id)).body.data
  expect(provider).toMatchObject({ synced_at: null, is_verified: false, is_disabled: true })
})
