import { beforeAll, describe, expect, it } from 'vitest'
import { handler as getMdmDevice } from '#functions/api/mdm-devices/get-mdm-device.ts'
import { MdmDevice } from '#shared/domain/mdm-devices/mdm-device.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { insertMdmDevice } from '#test/support/accounts/mdm-devices.ts'

let account: Account
beforeAll(async () => {
  account = await newAccount()
})

describe('GET /mdm_devices/{id} (A28.2)', () => {
  it('returns every field; a field that the inventory lacks is null', async () => {
    const row = await insertMdmDevice(account, 'laptop-1', {
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

  it("is found by a vendor's id of 24 hexadecimal characters", async () => {
    const { id } = await insertMdmDevice(account, '65b1f0c2a9e4d3f001234567')
    expect((await account.call(getMdmDevice, { params: { id: '65B1F0C2A9E4D3F001234567' } })).body.data.id).toBe(id)
    expect((await account.call(getMdmDevice, { params: { id: '65b1f0c2a9e4d3f001234568' } })).status).toBe(404)
    expect((await account.call(getMdmDevice, { params: { id: 'laptop-1' } })).body.code).toBe('invalid_path_parameter')
  })
})
