import { afterEach, expect, it, vi } from 'vitest'
import { inventoryRunsApi, newInventoryWorld } from '#test/support/sync/inventory-runs.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

it('lists the changes of a run, for an updated device only the changed fields (I7.1)', async () => {
  const world = await newInventoryWorld()
  const { fleet, account } = world
  fleet.devices = ['one', 'two', 'three'].map((mdm_id) => ({ mdm_id, model: 'M1', is_encrypted: true }))
  await world.run()
  fleet.devices = [
    { mdm_id: 'one', model: 'M1', is_encrypted: true },
    { mdm_id: 'two', device_name: 'Two', model: 'M2' },
    { mdm_id: 'four', device_name: 'Four' },
  ]
  const { id } = await world.run(true)
  expect((await inventoryRunsApi.changes(account, world.id, id)).body.data).toMatchObject([
    {
      change: 'update',
      object: 'devices',
      name: 'Two',
      before: { mdm_id: 'two', device_name: null, model: 'M1', is_encrypted: true },
      after: { mdm_id: 'two', device_name: 'Two', model: 'M2', is_encrypted: null },
    },
    { change: 'insert', object: 'devices', name: 'Four', before: null, after: { mdm_id: 'four', device_name: 'Four' } },
    { change: 'delete', object: 'devices', name: 'three', before: { mdm_id: 'three', model: 'M1' }, after: null },
  ])
  expect((await inventoryRunsApi.changes(account, world.id, crypto.randomUUID())).status).toBe(404)
})
