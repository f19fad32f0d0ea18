import { afterEach, beforeEach, expect, it } from 'vitest'
import { deviceFields } from '#shared/domain/mdm-devices/mdm-device.ts'
import { selectedFields } from '#shared/sync/providers/managed-devices.ts'
import {
  type ManagedDevicesFake,
  managedDevice,
  managedDevicesFake,
  managedDevicesFaults,
} from '#test/fakes/managed-devices.ts'
import { managedDevicesOf } from '#test/support/sync/fake-directories.ts'
import { callsFakes, faultOf, walk } from '#test/support/sync/read-directory.ts'

callsFakes()

let fake: ManagedDevicesFake
beforeEach(async () => {
  fake = await managedDevicesFake()
})
afterEach(() => fake.close())

const walkDevices = () => {
  const adapter = managedDevicesOf(fake)
  return walk((position) => adapter.read('devices', position))
}

it('reads 1,100 devices over all pages', async () => {
  fake.data.devices = Array.from({ length: 1_100 }, (_, at) => ({ id: `d${at}` }))
  const { entries, pages } = await walkDevices()
  expect(entries.map(({ mdm_id }) => mdm_id)).toEqual(fake.data.devices.map(({ id }) => id))
  expect(pages).toBe(2)
})

it('requests only fields that the provider has, and never a bypass code', async () => {
  const whole = Object.keys(managedDevice('d'))
  expect(selectedFields.split(',').filter((field) => !whole.includes(field))).toEqual([])
  expect(selectedFields).not.toContain('Bypass')
  fake.data.devices = [managedDevice('d')]
  await walkDevices()
  expect(fake.requests.at(-1)?.query.get('$select')).toBe(selectedFields)
})

it('converts each field to its type', async () => {
  fake.data.devices = [managedDevice('d')]
  const [device] = (await walkDevices()).entries
  const fields = device?.fields ?? {}
  expect(Object.keys(fields).filter((field) => !deviceFields.has(field))).toEqual(['device_action_results'])
  expect(fields).toMatchObject({
    device_name: 'DESKTOP-d',
    tenant_device_id: 'aad-1',
    is_encrypted: true,
    is_supervised: false,
    total_storage_space_bytes: 512_000_000_000,
    compliance_grace_period_expiration_at: '9999-12-31T23:59:59.000000Z',
    mail_sync_activated_at: null,
    last_sync_at: '2026-02-01T10:20:30.123456Z',
    config_manager_inventory: true,
    config_manager_os_update_policy: false,
    attestation_reset_count: 3,
    attestation_last_update_date_time: '2026-01-01',
    attestation_disk_encryption_status: 'On',
    attestation_pcr0: 'AB',
    enrollment_profile_name: null,
    device_action_results: [
      {
        action_name: 'rebootNow',
        action_state: 'done',
        start_date_time: '2026-01-01T00:00:00Z',
        last_updated_date_time: '2026-01-01T00:01:00Z',
      },
    ],
  })
  expect(JSON.stringify(fields)).not.toContain('never-to-be-read')
})

it('reads null for the nested fields of an object that is null', async () => {
  fake.data.devices = [
    managedDevice('d', {
      deviceHealthAttestationState: null,
      configurationManagerClientEnabledFeatures: null,
      deviceActionResults: null,
    }),
  ]
  expect((await walkDevices()).entries[0]?.fields).toMatchObject({
    attestation_status: null,
    config_manager_inventory: null,
    device_action_results: [],
  })
})

it('treats a missing permission, which this service reports as 401, not as an expired token', async () => {
  fake.data.devices = [managedDevice('d')]
  fake.faults = [managedDevicesFaults.noRight]
  expect(await faultOf(walkDevices())).toMatchObject({
    faultClass: 'fatal',
    message: expect.stringContaining('DeviceManagementManagedDevices.Read.All'),
  })
  expect(fake.requests).toHaveLength(2)
})
