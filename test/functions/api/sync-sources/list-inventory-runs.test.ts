import { afterEach, expect, it, vi } from 'vitest'
import { newAccount } from '#test/support/accounts/account.ts'
import { inventoryRunsApi, newInventoryWorld } from '#test/support/sync/inventory-runs.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

it('lists the runs of a posture provider, newest first, only to its account (I7.1)', async () => {
  const world = await newInventoryWorld()
  const ids = [(await world.run()).id, (await world.run()).id].reverse()
  const { data, metadata } = (await inventoryRunsApi.list(world.account, world.id)).body
  expect([data.map(({ id }: { id: string }) => id), metadata.total]).toEqual([ids, 2])
  expect(Object.keys(data[0].planned)).toEqual(['devices'])
  expect((await inventoryRunsApi.list(await newAccount(), world.id)).status).toBe(404)
})
