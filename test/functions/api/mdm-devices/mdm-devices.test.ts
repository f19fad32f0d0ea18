import { beforeAll, expect, it } from 'vitest'
import { handler as getMdmDevice } from '#functions/api/mdm-devices/get-mdm-device.ts'
import { handler as listMdmDevices } from '#functions/api/mdm-devices/list-mdm-devices.ts'
import { MdmDevice, mdmDevices } from '#shared/mdm-devices/mdm-device.ts'
import { newAccount } from '#test/support/account.ts'
import { insertRow } from '#test/support/rows.ts'

let account: Awaited<ReturnType<typeof newAccount>>
beforeAll(async () => {
  account = await newAccount()
})

const device = (mdm_id: string, fields: Record<string, unknown> = {}) =>
  insertRow(account.id, mdmDevices, {
    account_id: account.id,
    posture_provider_id: '0198a000-0000-7000-8000-0000000000aa',
    mdm_id,
    synced_at: '2026-01-01T00:00:00.000000Z',
    ...fields,
  })

it('shows every field; what the inventory did not tell is null', async () => {
  const row = await device('laptop-1', {
    device_name: 'Laptop',
    is_encrypted: true,
    total_storage_space_bytes: 2 ** 40,
    tags: ['a'],
  })
  const { body } = await account.call(getMdmDevice, { params: { id: row.id } })
  expect(Object.keys(body.data).sort()).toEqual(Object.keys(MdmDevice.entries).sort())
  expect(body.data).toMatchObject({
    id: row.id,
    mdm_id: 'laptop-1',
    device_name: 'Laptop',
    is_encrypted: true,
    total_storage_space_bytes: 2 ** 40,
    tags: ['a'],
    attestation_pcr0: null,
    firewall_unloading: null,
    activation_lock_collected_at: null,
    device_action_results: null,
  })
  expect(Object.keys(body.data)).toHaveLength(148)
})

it('is found by the id of the vendor that has 24 hexadecimal characters', async () => {
  const { id } = await device('65b1f0c2a9e4d3f001234567')
  expect((await account.call(getMdmDevice, { params: { id: '65B1F0C2A9E4D3F001234567' } })).body.data.id).toBe(id)
  expect((await account.call(getMdmDevice, { params: { id: '65b1f0c2a9e4d3f001234568' } })).status).toBe(404)
  expect((await account.call(getMdmDevice, { params: { id: 'laptop-1' } })).body.code).toBe('invalid_path_parameter')
})

it('lists the devices in order of insertion, in pages', async () => {
  const own = await account.call(listMdmDevices, { query: { limit: '1' } })
  expect(own.body.metadata).toMatchObject({ total: 2, limit: 1, prev_page: null })
  const next = await account.call(listMdmDevices, { query: { limit: '1', page_cursor: own.body.metadata.next_page } })
  expect([own.body.data[0].mdm_id, next.body.data[0].mdm_id]).toEqual(['laptop-1', '65b1f0c2a9e4d3f001234567'])
})
