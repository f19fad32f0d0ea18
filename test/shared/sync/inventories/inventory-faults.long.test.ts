import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { clock } from '#shared/core/clock.ts'
import { inventorySource } from '#shared/sync/inventories/inventory-source.ts'
import { inventoryBounds } from '#shared/sync/inventories/read-inventory.ts'
import type { Run } from '#shared/sync/runs/run.ts'
import { workOnRun } from '#shared/sync/steps/work-on-run.ts'
import type { Fault } from '#test/fakes/fake-server.ts'
import { after, always, changeBody, halfList, on, times } from '#test/fakes/faults.ts'
import { graphFaults } from '#test/fakes/graph-server.ts'
import { managedDevice, managedDevicesFake } from '#test/fakes/managed-devices.ts'
import { mdmFake, mdmFaults, mdmFleet } from '#test/fakes/mdm.ts'
import { postureProvidersApi } from '#test/support/accounts/collections.ts'
import { newInventoryWorld } from '#test/support/sync/inventory-runs.ts'
import { mdmFields, tenantFields } from '#test/support/sync/posture-providers.ts'
import { countWaiting } from '#test/support/table/count-waiting.ts'

/** Number of devices, more than fit a page of either provider type. */
const count = 320

let fakes: { close(): Promise<void> }[] = []
beforeAll(() => {
  vi.stubEnv('ALLOW_INSECURE_PROVIDERS', '1')
})
afterEach(() => {
  vi.restoreAllMocks()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await Promise.all(fakes.map((fake) => fake.close()))
  fakes = []
})

const kinds = {
  async mdm() {
    const fake = await mdmFake(mdmFleet(count))
    fakes.push(fake)
    vi.stubEnv('MDM_API_URL', fake.url)
    return { fake, ...(await newInventoryWorld(undefined, mdmFields({ api_token: fake.data.apiToken }))) }
  },
  async tenant() {
    const devices = Array.from({ length: count }, (_, i) => managedDevice(`d${String(i).padStart(4, '0')}`))
    const fake = await managedDevicesFake({ devices, maxPerPage: 200 })
    fakes.push(fake)
    vi.stubEnv('TENANT_TOKEN_URL', `${fake.url}/{tenant_id}/oauth2/v2.0/token`)
    vi.stubEnv('TENANT_API_URL', fake.url)
    const { tenantId: tenant_id, clientId: client_id, clientSecret: client_secret } = fake.data
    return { fake, ...(await newInventoryWorld(undefined, tenantFields({ tenant_id, client_id, client_secret }))) }
  },
}
type Kind = keyof typeof kinds

const devicesOf: Record<Kind, RegExp> = { mdm: /\/devices$/, tenant: /\/managedDevices$/ }

/** Creates a provider of the given kind, with all its devices stored. Before each test, enables it and clears its error. */
function worldOf(kind: Kind) {
  let made: Awaited<ReturnType<(typeof kinds)[Kind]>> | undefined
  let waited = { ms: 0 }
  const known = () => {
    if (!made) throw new Error('It is made before its tests.')
    return made
  }
  const step = () => workOnRun(known().syncSource, inventorySource as never, clock.monotonic() + 600_000)
  const run = async (): Promise<Run> => {
    await known().begin()
    await step()
    return known().last()
  }
  beforeAll(async () => {
    made = await kinds[kind]()
    expect(await run()).toMatchObject({ outcome: 'applied', applied: { devices: { insert: count } } })
  })
  beforeEach(() => {
    waited = countWaiting()
  })
  afterEach(async () => {
    known().fake.faults = []
    await postureProvidersApi.update(known().account, known().id, { is_disabled: false })
  })
  return {
    run,
    step,
    get is() {
      return known()
    },
    get waitedMs() {
      return waited.ms
    },
    faults(...faults: Fault[]) {
      known().fake.faults = faults
    },
  }
}
type World = ReturnType<typeof worldOf>

const first300 = mdmFleet(300).categories.filevault

async function refused(world: World, error: RegExp, row: object): Promise<void> {
  const before = await world.is.devices()
  expect(await world.run()).toMatchObject({ outcome: 'failed', error: expect.stringMatching(error) })
  expect(await world.is.devices()).toEqual(before)
  expect(await world.is.row()).toMatchObject({ error: expect.stringMatching(error), error_count: 1, ...row })
}

const fromSecond = (path: RegExp, fault: Fault) => on(path, after(1, fault))

const disabled = { is_disabled: true, disabled_reason: 'sync error', is_verified: false }

describe.each(['mdm', 'tenant'] as const)('faults of an inventory of type %s (I5, I6, I7)', (kind) => {
  const world = worldOf(kind)

  it('throttled: waits as long as required and succeeds', async () => {
    const before = world.waitedMs
    world.faults(times(3, kind === 'mdm' ? mdmFaults.throttled : graphFaults.throttled))
    expect(await world.run()).toMatchObject({ outcome: 'applied', sections: { changed: 0, new: 0, absent: 0 } })
    expect(world.waitedMs - before).toBeGreaterThanOrEqual(3 * (kind === 'mdm' ? 11_000 : 7_000))
  })

  it('throttled for more than ten minutes: fails and stays enabled', async () => {
    world.faults(kind === 'mdm' ? mdmFaults.throttled : graphFaults.throttled)
    await refused(world, /returned 429/, { is_disabled: false, is_verified: true })
  })

  it('401 in the middle of the list: fails unless a new token helps', async () => {
    if (kind === 'tenant') {
      // Expects that an expired token is renewed and the call is retried.
      world.faults(fromSecond(devicesOf.tenant, times(1, graphFaults.tokenExpired)))
      expect(await world.run()).toMatchObject({ outcome: 'applied', seen: { devices: count } })
      world.faults(fromSecond(devicesOf.tenant, graphFaults.tokenExpired))
      return refused(world, /returned 401.*DeviceManagementManagedDevices\.Read\.All/, disabled)
    }
    world.faults(fromSecond(devicesOf.mdm, mdmFaults.wrongToken))
    await refused(world, /GET \/api\/v1\/devices returned 401.*api_token/, disabled)
  })

  it('a list that is silently incomplete: the brake stops the run', async () => {
    const third = (list: unknown) => (list as object[]).filter((_, i) => i % 3 === 0)
    world.faults(
      on(
        devicesOf[kind],
        changeBody((body) => (kind === 'mdm' ? third(body) : { ...body, value: third(body.value) })),
      ),
    )
    const before = await world.is.devices()
    const run = await world.run()
    expect(run).toMatchObject({ outcome: 'stopped', error: expect.stringMatching(/^Sync would delete \d+ of 320 dev/) })
    expect(await world.is.devices()).toEqual(before)
    expect(await world.is.row()).toMatchObject({ ...disabled, error: run.error })
  })

  it('a row without an id: rejects the list', async () => {
    const id = kind === 'mdm' ? 'device_id' : 'id'
    const strange = (list: unknown) => [...(list as object[]), { [id]: 7, deviceName: 'of somebody else' }]
    world.faults(
      on(
        devicesOf[kind],
        changeBody((body) => (kind === 'mdm' ? strange(body) : { ...body, value: strange(body.value) })),
      ),
    )
    await refused(world, /returned invalid data: an entry of .* has no (device_)?id\.$/, disabled)
  })

  it('a next page that is the same page: restarts the list three times, then rejects it', async () => {
    let first: unknown
    const same = (value: unknown) => {
      first ??= value
      return first
    }
    const offsetsCountForNothing = changeBody(same)
    const sameLink = changeBody((body) => ({ ...body, '@odata.nextLink': same(body['@odata.nextLink']) }))
    world.faults(on(devicesOf[kind], kind === 'mdm' ? offsetsCountForNothing : sameLink))
    const requestCount = world.is.fake.requests.length
    await refused(world, /invalid data: its next page is the same page\.$/, disabled)
    expect(world.is.fake.requests.length - requestCount).toBeLessThan(20)
  })

  it('an endless list: fails with too many devices', async () => {
    const { devices } = inventoryBounds
    onTestFinished(() => {
      inventoryBounds.devices = devices
    })
    inventoryBounds.devices = 1_000
    let pages = 0
    // Begins each page with the last device of the previous page, as providers of type `mdm` do.
    const ids = () => Array.from({ length: 300 }, (_, i) => `x${String(pages * 299 + i).padStart(9, '0')}`)
    world.faults(
      on(devicesOf[kind], () => {
        pages++
        if (kind === 'mdm') return { json: ids().map((device_id) => ({ device_id })) }
        const link = `https://graph.microsoft.com/v1.0/deviceManagement/managedDevices?$skiptoken=${pages}`
        return { json: { value: ids().map((id) => ({ id })), '@odata.nextLink': link } }
      }),
    )
    await refused(world, /^The inventory has more than 1,000 devices\.$/, disabled)
  })

  it('credentials replaced during a failing run: the next step uses the new ones', async () => {
    expect((await world.run()).outcome).toBe('applied')
    const secret = kind === 'mdm' ? 'api_token' : 'client_secret'
    const { data } = world.is.fake
    if ('apiToken' in data) data.apiToken = 'token-number-two-0123'
    else data.clientSecret = 'secret-number-two-0123'
    const value = 'apiToken' in data ? data.apiToken : data.clientSecret
    world.faults(async () => {
      if (!(await world.is.row()).is_verified) return null
      await postureProvidersApi.update(world.is.account, world.is.id, { [secret]: value })
      return null
    })
    await world.is.begin()
    await world.step()
    expect(await world.is.last()).toMatchObject({ finished_at: null })
    expect(await world.is.row()).toMatchObject({ is_disabled: false, error: null })
    await world.step()
    expect(await world.is.last()).toMatchObject({ outcome: 'applied' })
    expect(await world.is.row()).toMatchObject({ is_disabled: false, is_verified: true })
  })

  it('a provider disabled by hand during a failing run: the run is cancelled without an error', async () => {
    world.faults(async (request) => {
      if (!devicesOf[kind].test(request.path)) return null
      await postureProvidersApi.update(world.is.account, world.is.id, { is_disabled: true })
      return { status: 403, json: {} }
    })
    await world.is.begin()
    await world.step()
    expect(await world.is.last()).toMatchObject({ outcome: 'cancelled' })
    expect(await world.is.row()).toMatchObject({
      is_disabled: true,
      disabled_reason: null,
      error: null,
      error_count: 0,
    })
  })
})

describe('further lists of device fields', () => {
  const world = worldOf('mdm')
  const list = (name: string, fault: Fault) => on(new RegExp(`/prism/${name}$`), fault)

  it('give no fields to any device if the permission is revoked between pages', async () => {
    world.faults(fromSecond(/filevault$/, always({ status: 403, json: { detail: 'no' } })))
    expect(await world.run()).toMatchObject({
      outcome: 'applied',
      applied: { devices: { insert: 0, update: count, delete: 0 } },
      skipped: { list_not_readable: 1 },
    })
    const values = new Set(
      (await world.is.devices()).map((device) => (device as Record<string, unknown>).disk_encryption_enabled),
    )
    expect([...values]).toEqual([null])
  })

  it.each<[string, Fault, RegExp, object]>([
    ['with an error', always({ status: 400, json: { detail: 'no' } }), /returned 400 \(no\)/, { is_disabled: false }],
    ['that are incomplete', halfList('data'), /it states \d+ entries but lists \d+/, disabled],
    [
      'with the same page again',
      changeBody((body, { query }) => (Number(query.get('offset')) > 0 ? { ...body, data: first300 } : body)),
      /its next page is the same page/,
      disabled,
    ],
  ])('%s fail the run', async (_, fault, error, row) => {
    world.faults(list('filevault', fault))
    await refused(world, error, row)
  })

  it('clear the fields of a device that they no longer contain, and insert no device', async () => {
    await world.run()
    const { categories } = (world.is as Awaited<ReturnType<typeof kinds.mdm>>).fake.data
    categories.filevault = [
      ...categories.filevault.slice(1),
      { ...(categories.filevault[0] as object), device_id: 'unknown' } as never,
    ]
    expect(await world.run()).toMatchObject({ applied: { devices: { insert: 0, update: 1, delete: 0 } } })
    expect((await world.is.devices())[0]).toMatchObject({ disk_encryption_enabled: null, firewall_enabled: true })
  })
})

it.each(['inventory\ntoken', '“inventory-token”', 'inventory token'])(
  'fails at once for a token that a header cannot contain: %j',
  async (api_token) => {
    const world = await newInventoryWorld(undefined, mdmFields({ api_token }))
    await world.begin()
    await workOnRun(world.syncSource, inventorySource as never, clock.monotonic() + 600_000)
    expect(await world.last()).toMatchObject({
      outcome: 'failed',
      error: expect.stringMatching(/^api_token contains a char/),
    })
    expect(await world.row()).toMatchObject(disabled)
    expect((await world.row()).error).not.toContain('inventory-token')
  },
)
