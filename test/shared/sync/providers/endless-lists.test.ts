import { afterEach, expect, it, vi } from 'vitest'
import { mdmInventory } from '#shared/sync/providers/mdm.ts'
import { withinStep } from '#shared/sync/providers/open.ts'
import { PageWatch, pageBounds } from '#shared/sync/providers/rows.ts'
import { tenantDirectory } from '#shared/sync/providers/tenant.ts'
import { newInventoryWorld } from '#test/support/sync/inventory-runs.ts'
import { newSyncWorld } from '#test/support/sync/sync-runs.ts'

const { barren } = pageBounds
afterEach(() => {
  vi.restoreAllMocks()
  pageBounds.barren = barren
})

const answered = (body: unknown) => new Response(JSON.stringify(body), { headers: { date: new Date().toUTCString() } })

/** Creates a tenant whose lists never end. All pages have the same entries. */
function endlessTenant(value: unknown[]) {
  let pages = 0
  const connection = {
    tokenUrl: 'https://login.example.com/token',
    apiUrl: 'https://graph.example.com',
    issuer: 'https://login.example.com/v2.0',
    clientId: 'app',
    clientSecret: 'secret-of-the-app',
    emailField: 'mail' as const,
    syncAllGroups: true,
  }
  return tenantDirectory(connection, async (address) => {
    if (String(address).endsWith('/token'))
      return answered({ access_token: 't', token_type: 'Bearer', expires_in: 3600 })
    const next = `https://graph.example.com${new URL(address).pathname}?$skiptoken=${++pages}`
    return answered({ value, '@odata.nextLink': next })
  })
}

it('detects pages without new entries, per list', () => {
  const watch = new PageWatch()
  const rows = (...ids: string[]) => ids.map((id) => ({ id }))
  expect(watch.isBarren('users', rows(), null, '1')).toBe(true)
  expect(watch.isBarren('users', rows('a', 'b'), '1', '2')).toBe(false)
  expect(watch.isBarren('users', rows('b'), '2', '3')).toBe(true)
  expect(watch.isBarren('groups', rows('b'), null, '1')).toBe(false)
  expect(watch.isBarren('users', rows('b', 'c'), '3', '4')).toBe(false)
  // Expects that the last page is never barren, and that rereading the list starts without any rows already seen.
  expect(watch.isBarren('users', rows(), '4', null)).toBe(false)
  expect(watch.isBarren('users', rows('a'), null, '1')).toBe(false)
})

it.each([
  ['empty', []],
  ['identical', [{ id: 'u1', mail: 'one@example.com', accountEnabled: true }]],
])('ends a run whose provider returns %s pages without end', async (_, value) => {
  pageBounds.barren = 20
  const world = await newSyncWorld('tenant')
  vi.spyOn(world.company, 'adapter', 'get').mockReturnValue(endlessTenant(value))
  expect(await world.run()).toMatchObject({
    outcome: 'failed',
    error: 'Invalid data: 20 pages in a row of the list of users had no new entries, and the list continues.',
  })
  expect(await world.row()).toMatchObject({ is_disabled: true })
})

it('counts barren pages across steps, and restarts the count after a page with new entries', async () => {
  pageBounds.barren = 20
  const world = await newSyncWorld()
  const users = [...Array(15).keys()].flatMap((i) => [{ id: `u${i}`, email: `u${i}@example.com` }])
  let at = 0
  const page = (isFruitful: boolean) => ({
    entries: isFruitful ? [{ ...users[0], idp_id: `u${at}`, name: 'One', active: true }] : [],
    skipped: [],
    next: String(++at),
    barren: !isFruitful,
  })
  const adapter = world.company.adapter
  vi.spyOn(world.company, 'adapter', 'get').mockReturnValue({ ...adapter, users: async () => page(at === 15) as never })
  await world.begin()
  for (let steps = 0; (await world.open()) && steps < 100; steps++) await world.step(1)
  expect(await world.last()).toMatchObject({ outcome: 'failed', error: expect.stringContaining('20 pages in a row') })
  expect(at).toBe(36)
})

it('ends a run of an inventory whose provider returns empty pages without end', async () => {
  pageBounds.barren = 20
  const world = await newInventoryWorld()
  let at = 0
  const read = async () => ({ entries: [], skipped: [], next: String(++at), barren: true })
  world.connect(() => ({ lists: ['devices'], read }))
  await world.begin()
  await world.step()
  expect(await world.last()).toMatchObject({ outcome: 'failed', error: expect.stringContaining('the list of devices') })
})

it('detects a page of devices that was read before', async () => {
  const devices = Array.from({ length: 300 }, (_, i) => ({ device_id: `d${String(i).padStart(3, '0')}` }))
  const connection = { apiUrl: 'https://devices.example.com', apiToken: 'token-of-the-service' }
  const { read } = mdmInventory(connection, async () => answered(devices))
  const first = await read('devices', null)
  expect(first).toMatchObject({ barren: false, next: expect.any(String) })
  expect(await read('devices', JSON.stringify({ offset: 299, last: 'd000' }))).toMatchObject({ barren: true })
})

it('sends nothing after the end of a step', async () => {
  const sent: string[] = []
  const fetch = withinStep(async (address) => {
    sent.push(String(address))
    return answered({})
  }, Date.now() - 1)
  await expect(fetch('https://provider.example.com/')).rejects.toMatchObject({ faultClass: 'retry' })
  expect(sent).toEqual([])
})
