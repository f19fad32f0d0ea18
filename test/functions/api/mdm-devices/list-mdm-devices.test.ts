import { beforeAll, describe, expect, it } from 'vitest'
import { handler as getMdmDevice } from '#functions/api/mdm-devices/get-mdm-device.ts'
import { handler as listMdmDevices } from '#functions/api/mdm-devices/list-mdm-devices.ts'
import { mdmDevices } from '#shared/domain/mdm-devices/mdm-device.ts'
import { existingRow } from '#shared/table/read.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { insertMdmDevice } from '#test/support/accounts/mdm-devices.ts'
import { updateRow } from '#test/support/accounts/rows.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'

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

  it('filters by serial number, and by any email ignoring case, with an exact total (K11.G13)', async () => {
    const ownAccount = await newAccount()
    const email = { user_email: 'Ada@Example.com', email_address: null }
    const a = await insertMdmDevice(ownAccount, 'a', { serial_number: 'C02', ...email })
    const b = await insertMdmDevice(ownAccount, 'b', { serial_number: 'C02', email_address: 'bob@example.com' })
    const c = await insertMdmDevice(ownAccount, 'c', {
      serial_number: '',
      email_address: '',
      user_email: 'ADA@example.com',
    })
    const list = async (query: Record<string, string>) => (await ownAccount.call(listMdmDevices, { query })).body
    const found = async (query: Record<string, string>) => {
      const { data, metadata } = await list(query)
      expect(metadata).toMatchObject({ total: data.length, count: data.length })
      return data.map(({ id }: { id: string }) => id)
    }
    expect(await found({ serial_number: 'C02' })).toEqual([a.id, b.id])
    expect(await found({ serial_number: 'c02' })).toEqual([])
    expect(await found({ serial_number: '' })).toEqual([])
    expect(await found({ email: 'aDA@EXAMPLE.com' })).toEqual([a.id, c.id])
    expect(await found({ email: 'bob@example.com' })).toEqual([b.id])
    expect(await found({ email: '' })).toEqual([])
    expect(await found({ email: 'ada@example.com', serial_number: 'C02' })).toEqual([a.id])
    const first = await list({ email: 'ada@example.com', limit: '1' })
    expect([first.data[0].id, first.metadata.total]).toEqual([a.id, 2])
    const next = await list({ email: 'ada@example.com', limit: '1', page_cursor: first.metadata.next_page })
    expect([next.data[0].id, next.metadata.next_page]).toEqual([c.id, null])
  })

  it('follows a device whose serial number and email change, at 4 write units for a new device', async () => {
    const ownAccount = await newAccount()
    const bare = await measure(() => insertMdmDevice(ownAccount, 'bare'))
    let id = ''
    const full = await measure(async () => {
      id = (await insertMdmDevice(ownAccount, 'full', { serial_number: 'S1', user_email: 'eve@example.com' })).id
    })
    expect(full.writes - bare.writes).toBe(4)
    const row = await existingRow(mdmDevices, ownAccount.id, id)
    await updateRow(ownAccount.id, mdmDevices, row, { serial_number: 'S2' })
    const list = async (query: Record<string, string>) => (await ownAccount.call(listMdmDevices, { query })).body.data
    expect([await list({ serial_number: 'S1' }), (await list({ serial_number: 'S2' })).length]).toEqual([[], 1])
    expect((await list({ email: 'eve@example.com' })).length).toBe(1)
  })

  it.each(['serial_number=a&serial_number=b', 'email[]=a'])('refuses ?%s', async (query) => {
    const { status, body } = await account.call(listMdmDevices, { query })
    const detail = `Invalid value for filter ${/^[a-z_]+/.exec(query)?.[0]}.`
    expect([status, body.code, body.detail]).toEqual([400, 'invalid_filter', detail])
  })

  it('has no other filters', async () => {
    const ownAccount = await newAccount()
    await insertMdmDevice(ownAccount, 'laptop-2')
    expect((await ownAccount.call(listMdmDevices, { query: { device_name: 'x', name: 'x' } })).body.data).toHaveLength(
      1,
    )
  })
})
