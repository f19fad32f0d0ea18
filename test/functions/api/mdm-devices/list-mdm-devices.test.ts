import { beforeAll, describe, expect, it } from 'vitest'
import { handler as getMdmDevice } from '#functions/api/mdm-devices/get-mdm-device.ts'
import { handler as listMdmDevices } from '#functions/api/mdm-devices/list-mdm-devices.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { insertMdmDevice } from '#test/support/accounts/mdm-devices.ts'

let account: Account
beforeAll(async () => {
  account = await newAccount()
})

describe('GET /mdm_devices (A28.2)', () => {
  it('lists the devices by insertion, in pages, with the fields of GET /mdm_devices/{id}', async () => {
    const { id } = await insertMdmDevice(account, 'laptop-1', { device_name: 'Laptop' })
    await insertMdmDevice(account, '65b1f0c2a9e4d3f001234567')
    const first = (await account.call(listMdmDevices, { query: { limit: '1' } })).body
    expect(first.metadata).toMatchObject({ total: 2, limit: 1, prev_page: null })
    expect(first.data).toEqual([(await account.call(getMdmDevice, { params: { id } })).body.data])
    const query = { limit: '1', page_cursor: first.metadata.next_page }
    const second = (await account.call(listMdmDevices, { query })).body
    expect([second.data[0].mdm_id, second.metadata.next_page]).toEqual(['65b1f0c2a9e4d3f001234567', null])
  })

  it('has no filters', async () => {
    const ownAccount = await newAccount()
    await insertMdmDevice(ownAccount, 'laptop-2')
    expect((await ownAccount.call(listMdmDevices, { query: { device_name: 'x', name: 'x' } })).body.data).toHaveLength(
      1,
    )
  })
})
