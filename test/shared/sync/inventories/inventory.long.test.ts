import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { handler as listMdmDevices } from '#functions/api/mdm-devices/list-mdm-devices.ts'
import { handler as sync } from '#functions/schedules/sync.ts'
import { type AccountRow, accounts } from '#shared/domain/accounts/account.ts'
import { type MdmDeviceRow, mdmDevices } from '#shared/domain/mdm-devices/mdm-device.ts'
import { ProviderFault } from '#shared/sync/adapter.ts'
import { inventorySource } from '#shared/sync/inventories/inventory-source.ts'
import { inventoryBounds } from '#shared/sync/inventories/read-inventory.ts'
import { toStoredFields } from '#shared/sync/inventories/stored-device.ts'
import { Pace } from '#shared/sync/runs/apply-plan.ts'
import { workOnRun } from '#shared/sync/steps/work-on-run.ts'
import { bytesOf } from '#shared/table/large-attributes.ts'
import { getRow } from '#shared/table/read.ts'
import { managedDevice, managedDevicesFake, managedDevicesFaults } from '#test/fakes/managed-devices.ts'
import { mdmFake, mdmFaults, mdmFleet } from '#test/fakes/mdm.ts'
import { postureProvidersApi } from '#test/support/accounts/collections.ts'
import { insertRow, updateRow } from '#test/support/accounts/rows.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'
import { type InventoryWorld, newInventoryWorld } from '#test/support/sync/inventory-runs.ts'
import { mdmFields, tenantFields } from '#test/support/sync/posture-providers.ts'
import { recordCommands } from '#test/support/table/intercept-table.ts'
import { movableClock } from '#test/support/table/movable-clock.ts'
import { useOwnTable } from '#test/support/table/own-table.ts'
import { crashAfter } from '#test/support/table/table-faults.ts'

let open: { close(): Promise<void> }[] = []
function started<F extends { close(): Promise<void> }>(fake: F): F {
  open.push(fake)
  return fake
}
beforeEach(() => {
  vi.stubEnv('ALLOW_INSECURE_PROVIDERS', '1')
})
afterEach(async () => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  await Promise.all(open.map((fake) => fake.close()))
  open = []
})

async function mdmWorld(count: number) {
  const fake = started(await mdmFake(mdmFleet(count)))
  vi.stubEnv('MDM_API_URL', fake.url)
  const world = await newInventoryWorld(undefined, mdmFields({ api_token: fake.data.apiToken }))
  return { fake, ...world, run: () => whole(world) }
}

async function whole(world: Pick<InventoryWorld, 'syncSource' | 'begin' | 'last'>) {
  await world.begin()
  await workOnRun(world.syncSource, inventorySource as never, Date.now() + 600_000)
  return world.last()
}

describe('a device service (I7.2)', () => {
  it('is read in seven lists, which are merged; an unchanged second run writes no devices', async () => {
    const { fake, run, devices, account } = await mdmWorld(310)
    expect(await run()).toMatchObject({ outcome: 'applied', applied: { devices: { insert: 310 } }, skipped: {} })
    expect(new Set(fake.requests.map(({ path }) => path)).size).toBe(7)
    const all = await devices()
    expect(all).toHaveLength(310)
    expect(all[309]).toMatchObject({
      id: '00000000-0000-4000-8000-000000000309',
      device_name: 'Mac 00000000',
      disk_encryption_enabled: true,
      firewall_stealth_mode: true,
      sip_enabled: true,
      app_control_version: '8.0',
      model_identifier: 'Mac16,1',
      user_activation_lock_enabled: true,
    })
    const commits = (await readCommits(account.id)).length
    const sent = recordCommands()
    const second = await run()
    const written = sent.flatMap((command) => {
      const { Item, TransactItems } = command.input as never as { Item?: object; TransactItems?: { Put?: object }[] }
      const puts = Item ? [Item] : (TransactItems ?? []).map(({ Put }) => (Put as { Item?: object })?.Item)
      return puts.flatMap((item) => (item ? [(item as { kind: string }).kind] : []))
    })
    expect(second).toMatchObject({ outcome: 'applied', sections: { changed: 0, new: 0, absent: 0 } })
    expect([...new Set(written)].sort()).toEqual(['open_run', 'presence', 'run', 'scheduled_sync'])
    expect((await readCommits(account.id)).length).toBe(commits)
    expect(await devices()).toEqual(all)
    const shown = (await account.call(listMdmDevices)).body.data
    expect(shown[0].synced_at).toBe(second.started_at)
  })

  it('clears the fields of a category that the token may not read, without failing', async () => {
    const { fake, run, devices } = await mdmWorld(3)
    await run()
    fake.data.permissions = fake.data.permissions.filter((name) => name !== 'filevault')
    expect(await run()).toMatchObject({
      outcome: 'applied',
      applied: { devices: { insert: 0, update: 3, delete: 0 } },
      skipped: { list_not_readable: 1 },
      skipped_sample: [{ name: 'filevault' }],
    })
    expect((await devices())[0]).toMatchObject({ disk_encryption_enabled: null, firewall_enabled: true })
  })

  it('disables the provider and marks it as not verified if it rejects the token', async () => {
    const { fake, run, row } = await mdmWorld(3)
    await run()
    expect(await row()).toMatchObject({ is_verified: true })
    fake.faults = [mdmFaults.wrongToken]
    expect(await run()).toMatchObject({ outcome: 'failed' })
    expect(await row()).toMatchObject({
      is_verified: false,
      is_disabled: true,
      disabled_reason: 'sync error',
      error_count: 1,
      error: expect.stringContaining('api_token'),
    })
  })
})

describe('the devices of a tenant (I7.2)', () => {
  it('are read with its own app registration', async () => {
    const fake = started(await managedDevicesFake({ devices: ['one', 'two'].map((id) => managedDevice(id)) }))
    vi.stubEnv('TENANT_TOKEN_URL', `${fake.url}/{tenant_id}/oauth2/v2.0/token`)
    vi.stubEnv('TENANT_API_URL', fake.url)
    const { tenantId: tenant_id, clientId: client_id, clientSecret: client_secret } = fake.data
    const world = await newInventoryWorld(undefined, tenantFields({ tenant_id, client_id, client_secret }))
    expect(await whole(world)).toMatchObject({ outcome: 'applied', applied: { devices: { insert: 2 } } })
    expect(await world.devices()).toMatchObject([
      {
        mdm_id: 'one',
        operating_system: 'Windows',
        attestation_status: 'healthy',
        total_storage_space_bytes: 512_000_000_000,
        device_action_results: [{ action_name: 'rebootNow', action_state: 'done' }],
      },
      { mdm_id: 'two' },
    ])
    expect(JSON.stringify(await world.devices())).not.toContain('never-to-be-read')
    expect(await whole(world)).toMatchObject({ sections: { changed: 0, new: 0, absent: 0 } })
    fake.faults = [managedDevicesFaults.noRight]
    expect(await whole(world)).toMatchObject({ outcome: 'failed' })
    expect((await world.row()).error).toContain('DeviceManagementManagedDevices.Read.All')
    expect(await world.devices()).toHaveLength(2)
  })
})

const range = (count: number, from = 0) => Array.from({ length: count }, (_, i) => ({ mdm_id: `d${i + from}` }))

describe('an implausible snapshot (I5)', () => {
  it('is stopped by the brake, and passes once an administrator accepts it', async () => {
    const world = await newInventoryWorld()
    world.fleet.devices = range(25)
    await world.run()
    world.fleet.devices = range(10)
    const sentence = 'Sync would delete 15 of 25 devices; nothing was changed.'
    expect(await world.run()).toMatchObject({ outcome: 'stopped', error: sentence })
    expect(await world.devices()).toHaveLength(25)
    expect(await world.row()).toMatchObject({ is_disabled: true, error: sentence, is_verified: false })
    await postureProvidersApi.update(world.account, world.id, { is_disabled: false, accept_deletions: true })
    expect(await world.run()).toMatchObject({ outcome: 'applied', applied: { devices: { delete: 15 } } })
    expect(await world.row()).toMatchObject({ accept_deletions: false, error: null, is_verified: true })
    world.fleet.devices = []
    expect(await world.run()).toMatchObject({ outcome: 'stopped' })
    expect(await world.devices()).toHaveLength(10)
  })

  it('is accepted with fewer than ten deletions; unusable entries do not count as absent', async () => {
    const world = await newInventoryWorld()
    world.fleet.devices = range(9)
    await world.run()
    world.fleet.skipped = [{ idp_id: 'd8', name: null, reason: 'gone' }]
    world.fleet.perPage = 1
    let lost = 0
    world.fleet.devices = range(2)
    world.fleet.before = (_list, position) => {
      if (position !== null && lost++ < 2) throw new ProviderFault('position_lost', 'The place is lost.')
    }
    // Expects the skipped device to be counted once, although the list is read several times.
    const run = await world.run()
    expect(run).toMatchObject({ outcome: 'applied', applied: { devices: { delete: 6 } }, skipped: { gone: 1 } })
    expect((await world.devices()).map(({ mdm_id }) => mdm_id)).toEqual(['d0', 'd1', 'd8'])
  })

  it('fails with more devices than the maximum', async () => {
    const world = await newInventoryWorld()
    const { devices } = inventoryBounds
    onTestFinished(() => {
      inventoryBounds.devices = devices
    })
    inventoryBounds.devices = 3
    world.fleet.devices = range(4)
    expect(await world.run()).toMatchObject({ outcome: 'failed', error: 'The inventory has more than 3 devices.' })
    await postureProvidersApi.update(world.account, world.id, { is_disabled: false })
    world.fleet.devices = range(3)
    let lost = 0
    world.fleet.before = (_list, position) => {
      if (position !== null && lost++ < 1) throw new ProviderFault('position_lost', 'The place is lost.')
    }
    // Expects that devices read before the lost position are not counted twice.
    expect(await world.run()).toMatchObject({ outcome: 'applied', applied: { devices: { insert: 3 } } })
  })
})

it('does not touch a device of another provider of the account (I7.3)', async () => {
  const first = await newInventoryWorld()
  first.fleet.devices = [{ mdm_id: 'shared', model: 'first' }]
  await first.run()
  const second = await newInventoryWorld(first.account)
  second.fleet.devices = [{ mdm_id: 'Shared', model: 'second' }, { mdm_id: 'own' }]
  expect(await second.run()).toMatchObject({ outcome: 'applied', skipped: { other_provider: 1 } })
  expect(await first.devices()).toMatchObject([
    { mdm_id: 'own', posture_provider_id: second.id },
    { mdm_id: 'shared', model: 'first', posture_provider_id: first.id },
  ])
  // Expects that the second provider does not delete the device of the first provider.
  second.fleet.devices = [{ mdm_id: 'own' }]
  expect(await second.run()).toMatchObject({ planned: { devices: { insert: 0, update: 0, delete: 0 } } })
  // Expects the deletion check to ignore the first provider's device when it counts the devices that the second provider keeps.
  second.fleet.devices = [{ mdm_id: 'shared' }]
  const error = 'Sync would delete 1 of 1 devices; nothing was changed.'
  expect(await second.run()).toMatchObject({ outcome: 'stopped', error })
})

it('does not touch devices that another provider has taken over since the plan was made', async () => {
  const world = await newInventoryWorld()
  const other = await newInventoryWorld(world.account)
  world.fleet.devices = ['changed', 'absent', 'stays'].map((mdm_id) => ({ mdm_id, model: 'first' }))
  await world.run()
  const [absent, changed] = await world.devices()
  world.fleet.devices = ['changed', 'new', 'stays'].map((mdm_id) => ({ mdm_id, model: 'second' }))
  let isOver = false
  vi.spyOn(Pace.prototype, 'wait').mockImplementation(async () => {
    if (isOver) return
    isOver = true
    for (const row of [absent, changed] as MdmDeviceRow[]) {
      await updateRow(world.account.id, mdmDevices, row, { posture_provider_id: other.id })
    }
    const { id: _id, inserted_at: _inserted, updated_at: _updated, ...fields } = changed as MdmDeviceRow
    await insertRow(world.account.id, mdmDevices, { ...fields, mdm_id: 'New', posture_provider_id: other.id })
  })
  expect(await world.run()).toMatchObject({
    outcome: 'applied',
    applied: { devices: { insert: 0, update: 1, delete: 0 } },
    skipped: { other_provider: 1 },
  })
  const rows = (await world.devices()) as Record<string, unknown>[]
  expect(rows.map(({ mdm_id, model }) => [mdm_id, model])).toEqual([
    ['New', 'first'],
    ['absent', 'first'],
    ['changed', 'first'],
    ['stays', 'second'],
  ])
})

it('skips and counts devices that cannot be stored', async () => {
  const world = await newInventoryWorld()
  const huge = Object.fromEntries(['udid', 'imei'].map((name) => [name, 'x']))
  const results = Array.from({ length: 300 }, () => ({ a: '€'.repeat(1_024) }))
  const sized = (more: number) => {
    const of = (notes: number) => ({
      notes: 'x'.repeat(notes),
      device_action_results: Array.from({ length: 97 }, () => ({ a: 'x'.repeat(1_024), b: 'x'.repeat(1_014) })),
    })
    return of(200_000 - bytesOf(toStoredFields(of(0))) + more)
  }
  expect(bytesOf(toStoredFields(sized(0)))).toBe(200_000)
  world.fleet.devices = [
    { mdm_id: 'x'.repeat(256) },
    { mdm_id: 'y'.repeat(255) },
    { mdm_id: 'fits', ...sized(0) },
    { mdm_id: 'does not', ...sized(1) },
    { mdm_id: 'large', ...huge, device_action_results: results },
    { mdm_id: 'twin' },
    { mdm_id: 'TWIN' },
  ]
  expect(await world.run()).toMatchObject({
    outcome: 'applied',
    applied: { devices: { insert: 3 } },
    skipped: { invalid_id: 1, too_large: 2, same_id: 1 },
  })
})

/** Sets the fleet to version 0 or 1. A run from one version to the other makes every kind of change. */
function show({ fleet }: InventoryWorld, state: number): void {
  fleet.perPage = 10
  fleet.devices = range(30, state * 3).map((device, i) => ({ ...device, model: `M${i % (2 + state)}` }))
  fleet.furtherLists = { firewall: fleet.devices.map(({ mdm_id }) => ({ mdm_id, firewall_enabled: state === 0 })) }
}

async function plain(world: InventoryWorld) {
  const rows = (await world.devices()) as Record<string, unknown>[]
  return rows.map(({ mdm_id, model, firewall_enabled }) => [mdm_id, model, firewall_enabled])
}

async function reference(state: number) {
  const world = await newInventoryWorld()
  for (let i = 0; i <= state; i++) {
    show(world, i)
    await world.run()
  }
  return plain(world)
}

describe('an interrupted step (I4.1(2))', () => {
  beforeEach(() => {
    vi.spyOn(Pace.prototype, 'wait').mockResolvedValue()
  })

  it.each([false, true])(
    'loses and repeats nothing if killed at any write, last response lost: %s',
    async (isResponseLost) => {
      const expected = [await reference(0), await reference(1)]
      const world = await newInventoryWorld()
      show(world, 0)
      await world.run()
      let state = 0
      let isThrough = false
      for (let writes = 1; !isThrough; writes++) {
        state = 1 - state
        show(world, state)
        world.connect()
        await world.begin()
        crashAfter(writes, { isResponseLost })
        isThrough = await world.step().then(
          () => true,
          () => false,
        )
        vi.restoreAllMocks()
        vi.spyOn(Pace.prototype, 'wait').mockResolvedValue()
        world.connect()
        // Moves the clock past the lease of the killed step, which lasts two minutes.
        movableClock().minutes(3)
        if ((await world.last()).finished_at === null) await world.step()
        const run = await world.last()
        expect(run, `after ${writes} writes`).toMatchObject({ outcome: 'applied', applied: run.planned })
        expect(await plain(world), `after ${writes} writes`).toEqual(expected[state])
      }
    },
    120_000,
  )

  it('repeats nothing with several schedulers at once', async () => {
    const expected = [await reference(0), await reference(1)]
    const world = await newInventoryWorld()
    show(world, 0)
    await world.run()
    show(world, 1)
    world.connect()
    world.fleet.calls.length = 0
    await world.begin()
    await Promise.all([world.step(), world.step(), world.step()])
    const run = await world.last()
    expect(run).toMatchObject({ outcome: 'applied', applied: run.planned })
    expect(await plain(world)).toEqual(expected[1])
    expect(world.fleet.calls).toHaveLength(6)
    await world.begin()
    show(world, 0)
    for (let steps = 0; steps < 60 && (await world.last()).finished_at === null; steps++) {
      await Promise.all([world.step(1), world.step(1)])
    }
    const second = await world.last()
    expect(second).toMatchObject({ outcome: 'applied', applied: second.planned })
    expect(await plain(world)).toEqual(expected[0])
  })

  it('reads no list twice even if very short; dividing a large list gives the same result', async () => {
    const world = await newInventoryWorld()
    show(world, 1)
    const { bufferedBytes } = inventoryBounds
    onTestFinished(() => {
      inventoryBounds.bufferedBytes = bufferedBytes
    })
    inventoryBounds.bufferedBytes = 500
    world.connect()
    await world.begin()
    for (let steps = 0; steps < 100 && (await world.last()).finished_at === null; steps++) await world.step(1)
    expect(await world.last()).toMatchObject({ outcome: 'applied', seen: { devices: 30 } })
    expect(world.fleet.calls).toHaveLength(6)
    const direct = await newInventoryWorld()
    show(direct, 1)
    await direct.run()
    expect(await plain(world)).toEqual(await plain(direct))
  })

  it('restarts only the list that lost its position, at most three times', async () => {
    const world = await newInventoryWorld()
    show(world, 0)
    let lost = 0
    world.fleet.before = (list, position) => {
      if (list !== 'firewall' || position !== '20' || lost++ >= 3) return
      throw new ProviderFault('position_lost', 'The cursor is gone.')
    }
    expect(await world.run()).toMatchObject({ outcome: 'applied', seen: { devices: 30 } })
    expect(await plain(world)).toEqual(await reference(0))
    lost = -1
    expect(await world.run()).toMatchObject({ outcome: 'failed', error: 'The cursor is gone.' })
    expect(await world.row()).toMatchObject({ is_disabled: false, is_verified: true, error_count: 1 })
  })
})

it('is begun by the schedule after a provider is created or enabled, and when it is due (I7.1)', async () => {
  const ownTable = await useOwnTable()
  onTestFinished(() => ownTable.end())
  const world = await newInventoryWorld()
  world.fleet.devices = range(1)
  world.connect()
  await sync()
  expect(await world.last()).toMatchObject({ outcome: 'applied', collection: 'mdm_posture_providers' })
  await postureProvidersApi.update(world.account, world.id, { is_disabled: true })
  await postureProvidersApi.update(world.account, world.id, { is_disabled: false })
  const { id } = await world.last()
  await sync()
  const enabled = await world.last()
  expect(enabled.id).not.toBe(id)
  await sync()
  expect((await world.last()).id).toBe(enabled.id)
  const clock = movableClock()
  clock.minutes(121)
  await sync()
  const due = await world.last()
  expect(due.id).not.toBe(enabled.id)
  // Turns the feature off or on. No run begins without the feature.
  const feature = async (device_posture: boolean) => {
    const row = (await getRow(accounts, world.account.id, world.account.id)) as AccountRow
    const features = { ...row.features, idp_sync: true, device_posture }
    await updateRow(world.account.id, accounts, row, { features })
  }
  await feature(false)
  clock.minutes(121)
  await sync()
  expect((await world.last()).id).toBe(due.id)
  await feature(true)
  clock.minutes(121)
  await sync()
  expect((await world.last()).id).not.toBe(due.id)
})

it('cancels a run whose provider gets another connection or is deleted', async () => {
  const world = await newInventoryWorld()
  world.fleet.devices = range(3)
  world.fleet.before = async () => {
    await postureProvidersApi.update(world.account, world.id, { subdomain: 'other' })
  }
  expect(await world.run()).toMatchObject({ outcome: 'cancelled' })
  expect(await world.devices()).toEqual([])
  world.fleet.before = async () => {
    await postureProvidersApi.remove(world.account, world.id)
  }
  expect(await world.run()).toMatchObject({ outcome: 'cancelled' })
  expect(await world.open()).toBeUndefined()
})
