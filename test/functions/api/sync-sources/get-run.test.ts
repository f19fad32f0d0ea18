import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { withScopes } from '#test/support/accounts/api-tokens.ts'
import { handlerOf } from '#test/support/operations/operations.ts'
import { runsApi } from '#test/support/sync/directories.ts'
import { inventoryRunsApi, newInventoryWorld } from '#test/support/sync/inventory-runs.ts'
import { newSyncWorld } from '#test/support/sync/sync-runs.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { movableClock } from '#test/support/table/movable-clock.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const ofIdp = await handlerOf('GET /idp_directories/{id}/runs/{run_id}')
const ofTenant = await handlerOf('GET /tenant_directories/{id}/runs/{run_id}')
const ofInventory = await handlerOf('GET /mdm_posture_providers/{id}/runs/{run_id}')

describe('GET /{kind}_directories/{id}/runs/{run_id}', () => {
  it('shows a run as the list does, finished or in progress (K11.G12)', async () => {
    const world = await newSyncWorld()
    const { id: run_id } = await world.run()
    const get = (run_id: string) => world.account.call(ofIdp, { params: { id: world.id, run_id } })
    const list = async () => (await runsApi.idp.list(world.account, world.id)).body.data
    expect((await get(run_id)).body.data).toEqual((await list())[0])
    const { id: open } = await world.begin()
    const shown = await get(open)
    expect(shown.body.data).toEqual((await list())[0])
    expect(shown.body.data).toMatchObject({ id: open, finished_at: null })
    for (const id of [run_id, open]) expect((await measure(() => get(id))).reads).toBeLessThanOrEqual(8)
  })

  it('returns 404 for an unknown run, a run of another source, and a source of another kind', async () => {
    const world = await newSyncWorld()
    const other = await newSyncWorld('idp', world.account)
    const stranger = await newSyncWorld()
    const { id: run_id } = await world.begin()
    const status = async (id: string, run: string, { account } = world, handler = ofIdp) =>
      (await account.call(handler, { params: { id, run_id: run } })).status
    expect(await status(world.id, run_id.toUpperCase())).toBe(200)
    expect(await status(world.id, randomUUID())).toBe(404)
    expect(await status(other.id, run_id)).toBe(404)
    expect(await status(world.id, run_id, stranger)).toBe(404)
    expect(await status(world.id, run_id, world, ofTenant)).toBe(404)
    expect(await status(world.id, 'x')).toBe(400)
    const wrong = { ...world, account: await withScopes(world.account, 'actors:read', 'mdm:read') }
    expect(await status(world.id, run_id, wrong)).toBe(403)
  })
})

it('GET /mdm_posture_providers/{id}/runs/{run_id} shows a run of an inventory with mdm:read (K11.G12)', async () => {
  const world = await newInventoryWorld()
  const { id: run_id } = await world.run()
  const params = { id: world.id, run_id }
  const reader = await withScopes(world.account, 'mdm:read')
  const { body } = await reader.call(ofInventory, { params })
  expect([body.data]).toEqual((await inventoryRunsApi.list(world.account, world.id)).body.data)
  const wrong = await withScopes(world.account, 'directories:read')
  expect((await wrong.call(ofInventory, { params })).body.required_scope).toBe('mdm:read')
  expect((await measure(() => reader.call(ofInventory, { params }))).reads).toBeLessThanOrEqual(8)
})

it('returns 404 for a run of more than 30 days ago (I4.1(4))', async () => {
  const world = await newSyncWorld()
  const { id: run_id } = await world.run()
  const get = () => world.account.call(ofIdp, { params: { id: world.id, run_id } })
  expect((await get()).status).toBe(200)
  movableClock().days(31)
  expect((await get()).status).toBe(404)
})
