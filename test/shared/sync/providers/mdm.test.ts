import { afterEach, beforeEach, expect, it } from 'vitest'
import { deviceFields } from '#shared/domain/mdm-devices/mdm-device.ts'
import type { InventoryAdapter, InventoryDevice } from '#shared/sync/adapter.ts'
import { changeBody, halfList, on, withoutKey } from '#test/fakes/faults.ts'
import { type MdmFake, mdmCategories, mdmDevice, mdmFake, mdmFleet } from '#test/fakes/mdm.ts'
import { mdmOf } from '#test/support/sync/fake-directories.ts'
import { callsFakes, faultOf, walk } from '#test/support/sync/read-directory.ts'

callsFakes()

let fake: MdmFake
beforeEach(async () => {
  fake = await mdmFake()
})
afterEach(() => fake.close())

const walkList = (adapter: InventoryAdapter, list: string) => walk((position) => adapter.read(list, position))
const idsOf = (entries: InventoryDevice[]) => entries.map(({ mdm_id }) => mdm_id)

it('reads all seven lists of 700 devices, by offsets and by cursors', async () => {
  Object.assign(fake.data, mdmFleet(700))
  const ids = fake.data.devices.map(({ device_id }) => device_id)
  const adapter = mdmOf(fake)
  expect(adapter.lists).toEqual(['devices', ...mdmCategories])
  expect(idsOf((await walkList(adapter, 'devices')).entries)).toEqual(ids)
  for (const cursors of [false, true]) {
    fake.data.cursors = cursors
    expect(idsOf((await walkList(adapter, 'filevault')).entries)).toEqual(ids)
  }
})

it('converts every field of the lists to a device field of its type', async () => {
  Object.assign(fake.data, mdmFleet(1))
  const adapter = mdmOf(fake)
  const fields: Record<string, unknown> = {}
  for (const list of adapter.lists) Object.assign(fields, (await walkList(adapter, list)).entries[0]?.fields)
  const kinds = { text: 'string', boolean: 'boolean', number: 'number', timestamp: 'string' }
  for (const [field, value] of Object.entries(fields)) {
    if (value !== null && field !== 'tags')
      expect([field, typeof value]).toEqual([field, kinds[deviceFields.get(field) ?? 'text']])
  }
  expect(fields).toMatchObject({
    device_name: 'Mac 00000000',
    last_check_in_at: '2026-02-01T10:20:30.123456Z',
    first_enrolled_at: '2026-01-01T10:20:30.123456Z',
    user_id: '7',
    user_email: 'person@example.com',
    user_is_archived: false,
    supplemental_os_version_extra: null,
    tags: ['laptops'],
    device_family: 'Mac',
    device_capacity_gb: 494.38,
    data_roaming: null,
    disk_encryption_enabled: true,
    disk_encryption_collected_at: '2026-02-01T09:00:00.000000Z',
    firewall_stealth_mode: true,
    firewall_version: '1.6',
    app_control_trusted_developers: true,
    malware_definitions_version: '5285',
    sip_enabled: true,
    bootstrap_token_escrowed: true,
    user_activation_lock_enabled: true,
  })
  expect(JSON.stringify(fields)).not.toContain('bypass')
})

it('accepts an empty text instead of the user of a device', async () => {
  fake.data.devices = [mdmDevice('a', { user: '' })]
  expect((await walkList(mdmOf(fake), 'devices')).entries[0]?.fields).toMatchObject({ user_id: null, user_email: null })
})

it.each([401, 403, 404])(
  'a category that answers %i fails the run only if the token itself is invalid',
  async (status) => {
    Object.assign(fake.data, mdmFleet(5))
    fake.faults = [on(/filevault/, () => ({ status, json: { detail: 'no' } }))]
    const adapter = mdmOf(fake)
    if (status === 401) {
      expect(await faultOf(adapter.read('filevault', null))).toMatchObject({ faultClass: 'fatal' })
      return
    }
    expect(await adapter.read('filevault', null)).toEqual({
      entries: [],
      skipped: [{ idp_id: 'filevault', name: 'filevault', reason: 'list_not_readable' }],
      next: null,
    })
    expect((await walkList(adapter, 'devices')).entries).toHaveLength(5)
  },
)

it('misses no device when others are deleted during the read', async () => {
  Object.assign(fake.data, mdmFleet(900))
  const last = idsOf([]).concat(fake.data.devices.slice(40).map(({ device_id }) => device_id))
  const adapter = mdmOf(fake)
  const seen = new Set<string>()
  let page = await adapter.read('devices', null)
  // Deletes forty devices that were already read, which moves the others to lower offsets.
  fake.data.devices = fake.data.devices.slice(40)
  for (;;) {
    for (const { mdm_id } of page.entries) seen.add(mdm_id)
    if (page.next === null) break
    page = await adapter.read('devices', page.next)
  }
  expect(last.filter((id) => !seen.has(id))).toEqual([])
})

it('resumes at a lower offset when the list has become shorter than its position', async () => {
  Object.assign(fake.data, mdmFleet(320))
  const adapter = mdmOf(fake)
  const { next } = await adapter.read('devices', null)
  fake.data.devices = fake.data.devices.slice(100)
  const seen = await walk((position) => adapter.read('devices', position ?? next))
  expect(new Set(idsOf(seen.entries)).size).toBe(220)
})

it('complaint 1, #9188: rejects a response that is no list or lacks its list', async () => {
  Object.assign(fake.data, mdmFleet(5))
  fake.faults = [
    on(
      /devices$/,
      changeBody(() => ({ results: [] })),
    ),
  ]
  expect(await faultOf(mdmOf(fake).read('devices', null))).toMatchObject({ faultClass: 'fatal' })
  fake.faults = [on(/filevault/, withoutKey('data'))]
  expect(await faultOf(mdmOf(fake).read('filevault', null))).toMatchObject({ faultClass: 'fatal' })
  fake.faults = [on(/filevault/, halfList('data'))]
  expect(await faultOf(mdmOf(fake).read('filevault', null))).toMatchObject({
    faultClass: 'position_lost',
    finalClass: 'fatal',
  })
})

it('accepts a list without a stated total', async () => {
  Object.assign(fake.data, mdmFleet(5))
  fake.faults = [
    on(
      /prism/,
      changeBody((body) => ({ ...body, total: null, offset: null })),
    ),
  ]
  expect((await walkList(mdmOf(fake), 'filevault')).entries).toHaveLength(5)
})
