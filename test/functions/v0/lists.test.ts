import { describe, expect, it } from 'vitest'
import { handler as getAccount } from '#functions/api/account/get-account.ts'
import { handler as provision } from '#functions/tasks/provision-account.ts'
import { handler as getConfiguration } from '#functions/v0/configuration/get-v0-configuration.ts'
import { handler as updateConfiguration } from '#functions/v0/configuration/update-v0-configuration.ts'
import { handler as getDevice } from '#functions/v0/devices/get-v0-device.ts'
import { handler as listDevices } from '#functions/v0/devices/list-v0-devices.ts'
import { handler as updateDevice } from '#functions/v0/devices/update-v0-device.ts'
import { accounts } from '#shared/domain/accounts/account.ts'
import { entityKey } from '#shared/table/keys.ts'
import { getItem } from '#shared/table/read.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { newV0Device } from '#test/support/accounts/v0.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'

/** Changes the account's setting `v0_lists`, the form of address lists in responses (`/v0` contract, 5.8). */

const change = (account: Account, fields: object) =>
  provision({ operation: 'update_account', account_id: account.id, account: fields })

const configure = (account: Account, configuration: object) =>
  account.call(updateConfiguration, { method: 'PATCH', path: '/v0/configuration', body: { configuration } })
const configuration = async (account: Account) => (await account.call(getConfiguration)).body.data
const patch = (account: Account, id: string, device: object) =>
  account.call(updateDevice, { method: 'PATCH', path: `/v0/devices/${id}`, params: { id }, body: { device } })
const list = async (account: Account, query: Record<string, string> = {}) =>
  (await account.call(listDevices, { path: '/v0/devices', query })).body.data

const text = { allowed_ips: '192.0.2.0/24,  2001:db8::/32', dns: 'ns.example.net, 192.0.2.53' }
const arrays = { allowed_ips: ['192.0.2.0/24', '2001:db8::/32'], dns: ['ns.example.net', '192.0.2.53'] }

describe.each([
  ['text', text, { default_client_allowed_ips: '0.0.0.0/0,::/0', default_client_dns: '1.1.1.1,1.0.0.1' }],
  ['arrays', arrays, { default_client_allowed_ips: ['0.0.0.0/0', '::/0'], default_client_dns: ['1.1.1.1', '1.0.0.1'] }],
] as const)('as %s', (v0_lists, own, defaults) => {
  it('returns the lists of devices in this form', async () => {
    const account = await newAccount({ v0_lists })
    const made = await newV0Device(account, text)
    expect(made).toMatchObject(own)
    const params = { id: made.id }
    expect((await account.call(getDevice, { path: `/v0/devices/${made.id}`, params })).body.data).toEqual(made)
    expect(await list(account)).toEqual([made])
    expect(await list(account, { limit: '1' })).toEqual([made])
    const shared = await patch(account, made.id, { use_default_allowed_ips: true, use_default_dns: true })
    expect(shared.body.data).toMatchObject({
      allowed_ips: defaults.default_client_allowed_ips,
      dns: defaults.default_client_dns,
    })
    const cleared = await patch(account, made.id, { allowed_ips: null, use_default_allowed_ips: false })
    expect(cleared.body.data).toMatchObject({ allowed_ips: null, use_default_allowed_ips: false })
  })

  it('returns the lists of the configuration in this form', async () => {
    const account = await newAccount({ v0_lists })
    expect(await configuration(account)).toMatchObject(defaults)
    const dns = { default_client_dns: text.dns }
    const changed = await configure(account, dns)
    expect(changed.body.data.default_client_dns).toEqual(own.dns)
    expect(await configuration(account)).toEqual(changed.body.data)
    const empty = (await configure(account, { default_client_dns: '' })).body.data
    expect(empty.default_client_dns).toEqual(v0_lists === 'text' ? '' : [])
    expect((await newV0Device(account)).dns).toEqual(empty.default_client_dns)
  })

  it('accepts both forms', async () => {
    const account = await newAccount({ v0_lists })
    const joined = v0_lists === 'text' ? arrays.dns.join(',') : arrays.dns
    expect((await newV0Device(account, { dns: arrays.dns })).dns).toEqual(joined)
    expect((await newV0Device(account, { dns: arrays.dns.join(',') })).dns).toEqual(joined)
    for (const default_client_dns of [arrays.dns, arrays.dns.join(',')]) {
      const { body } = await configure(account, { default_client_dns })
      expect(body.data.default_client_dns).toEqual(joined)
    }
  })

  it('accepts returned lists without a change', async () => {
    const account = await newAccount({ v0_lists })
    const { default_client_dns, updated_at } = (await configure(account, { default_client_dns: text.dns })).body.data
    const [usesOwn, usesDefault] = [await newV0Device(account, text), await newV0Device(account)]
    const { length } = await readCommits(account.id)
    const again = await configure(account, { default_client_dns })
    expect([again.status, again.body.data.updated_at]).toEqual([200, updated_at])
    for (const device of [usesOwn, usesDefault]) {
      const { status, body } = await patch(account, device.id, device)
      expect([status, body.data]).toEqual([200, device])
    }
    expect((await readCommits(account.id)).length).toBe(length)
  })
})

it('is text by default; a change affects neither stored lists nor the log', async () => {
  const account = await newAccount()
  const device = await newV0Device(account, text)
  expect(device).toMatchObject(text)
  await change(account, { v0_lists: 'arrays' })
  expect(await list(account)).toEqual([{ ...device, ...arrays }])
  const { body } = await patch(account, device.id, { mtu: 1300 })
  expect(body.data).toMatchObject(arrays)
  const records = (await readCommits(account.id)).slice(-2)
  expect(records.map(({ changes: [first] }) => [first?.object, first?.before, first?.after])).toMatchObject([
    ['accounts', { v0_lists: 'text' }, { v0_lists: 'arrays' }],
    ['v0_devices', text, text],
  ])
  await change(account, { v0_lists: 'text' })
  expect(await list(account)).toEqual([{ ...body.data, ...text }])
})

it('keeps the stored spelling if the same items are sent, and replaces it otherwise', async () => {
  const account = await newAccount({ v0_lists: 'arrays' })
  const { id } = await newV0Device(account, text)
  const stored = async () => (await getItem(entityKey(account.id, 'v0_devices', id)))?.dns
  await patch(account, id, { dns: arrays.dns })
  expect(await stored()).toBe(text.dns)
  await patch(account, id, { dns: arrays.dns.toReversed() })
  expect(await stored()).toBe(arrays.dns.toReversed().join(','))
})

it('is not part of GET /account, and refuses invalid values', async () => {
  const account = await newAccount({ v0_lists: 'arrays' })
  expect((await account.call(getAccount)).body.data).not.toHaveProperty('v0_lists')
  expect((await getItem(entityKey(account.id, accounts.name, account.id)))?.v0_lists).toBe('arrays')
  for (const [v0_lists, message] of [
    ['array', 'must be one of text, arrays'],
    [['text'], 'must be one of text, arrays'],
    [null, "can't be blank"],
  ])
    expect(await change(account, { v0_lists })).toMatchObject({ error: { errors: { v0_lists: [message] } } })
})
