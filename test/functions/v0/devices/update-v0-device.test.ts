import { beforeAll, describe, expect, it } from 'vitest'
import { handler as getDevice } from '#functions/v0/devices/get-v0-device.ts'
import { handler as updateDevice } from '#functions/v0/devices/update-v0-device.ts'
import { readConfiguration, v0Configurations } from '#shared/v0/configuration.ts'
import { publicKey } from '#test/support/access/public-key.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { updateRow } from '#test/support/accounts/rows.ts'
import { newV0Device, newV0User } from '#test/support/accounts/v0.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'

let account: Awaited<ReturnType<typeof newAccount>>
beforeAll(async () => {
  account = await newAccount()
})

const patch = (id: string, device: unknown, method = 'PATCH') =>
  account.call(updateDevice, { method, params: { id }, body: { device } })
const read = async (id: string) => (await account.call(getDevice, { params: { id } })).body.data
const outcome = ({ status, body }: { status: number; body: unknown }) => [status, body]
const refusal = (errors: Record<string, string[]>) => [422, { errors }]

it.each(['PATCH', 'PUT'])('%s changes only the sent fields', async (method) => {
  const device = await newV0Device(account)
  const { status, body } = await patch(device.id, { name: ' attic ', description: ' old ' }, method)
  const { updated_at } = body.data
  expect([status, body.data]).toEqual([200, { ...device, name: 'attic', description: 'old', updated_at }])
  expect(updated_at > device.updated_at).toBe(true)
  expect(await read(device.id)).toEqual(body.data)
})

it('follows the worked example of the contract', async () => {
  const { id } = await newV0Device(account, { mtu: 1400 })
  expect((await patch(id, { use_default_mtu: true })).body.data).toMatchObject({ mtu: 1280, use_default_mtu: true })
  const before = await read(id)
  expect((await patch(id, { mtu: 1280 })).body.data).toEqual(before)
  expect(outcome(await patch(id, { use_default_mtu: true, mtu: 1300 }))).toEqual(
    refusal({ mtu: ['must not be present'] }),
  )
  expect((await patch(id, { mtu: 1300 })).body.data).toMatchObject({ mtu: 1300, use_default_mtu: false })
  expect((await patch(id, { use_default_mtu: true })).body.data).toMatchObject({ mtu: 1280, use_default_mtu: true })
  expect((await patch(id, { use_default_mtu: false })).body.data).toMatchObject({ mtu: 1300, use_default_mtu: false })
  expect(outcome(await patch(id, { use_default_endpoint: false }))).toEqual(refusal({ endpoint: ["can't be blank"] }))
  const unchanged = await read(id)
  expect(outcome(await patch(id, { user_id: 'x', rx_bytes: 5 }, 'PUT'))).toEqual([200, { data: unchanged }])
})

it('accepts a device as it was returned, unchanged or with one changed field', async () => {
  const own = { allowed_ips: '192.0.2.0/24 , ::/0', dns: 'ns.example.net', endpoint: 'vpn.example.net' }
  for (const device of [
    await newV0Device(account),
    await newV0Device(account, { ...own, mtu: 1300, persistent_keepalive: 5 }),
  ]) {
    expect((await patch(device.id, device, 'PUT')).body.data).toEqual(device)
    const changes = {
      name: 'loft',
      description: 'new',
      public_key: publicKey(),
      ipv4: '203.0.113.77',
      ipv6: 'fd00::7:7',
    }
    let current = device
    for (const [field, value] of Object.entries(changes)) {
      const { status, body } = await patch(device.id, { ...current, [field]: value }, 'PUT')
      expect([status, body.data], field).toEqual([
        200,
        { ...current, [field]: value, updated_at: body.data.updated_at },
      ])
      current = body.data
    }
    await patch(device.id, { ipv4: '203.0.113.78', ipv6: 'fd00::7:8' })
  }
})

it('replaces all defaults in one request', async () => {
  const { id } = await newV0Device(account)
  const own = { allowed_ips: '::/0', dns: 'ns.example.net', endpoint: 'a:1', mtu: 576, persistent_keepalive: 120 }
  const { data } = (await patch(id, own)).body
  expect(data).toMatchObject({
    ...own,
    use_default_allowed_ips: false,
    use_default_dns: false,
    use_default_endpoint: false,
    use_default_mtu: false,
    use_default_persistent_keepalive: false,
  })
  expect((await patch(id, { ...own, allowed_ips: null, dns: '', mtu: null })).body.data).toMatchObject({
    allowed_ips: null,
    dns: null,
    mtu: null,
  })
})

it('writes nothing if all values are equal', async () => {
  const device = await newV0Device(account, { endpoint: 'vpn.example.net', name: 'still' })
  const before = (await readCommits(account.id)).length
  for (const fields of [
    {},
    { name: ' still ' },
    { dns: '1.1.1.1,1.0.0.1' },
    { persistent_keepalive: '25', use_default_persistent_keepalive: 'true' },
    { ipv6: device.ipv6.toUpperCase() },
    { endpoint: ' vpn.example.net ', use_default_endpoint: '0' },
    { user_id: 7, latest_handshake: 'x' },
  ]) {
    expect(outcome(await patch(device.id, fields)), JSON.stringify(fields)).toEqual([200, { data: device }])
  }
  expect((await readCommits(account.id)).length).toBe(before)
})

it('logs before and after with its own values and a redacted key', async () => {
  const device = await newV0Device(account, { mtu: 1300 })
  const preshared_key = publicKey()
  await patch(device.id, { preshared_key, use_default_mtu: true })
  const commit = (await readCommits(account.id)).at(-1)
  expect(commit?.changes).toMatchObject([
    {
      object: 'v0_devices',
      operation: 'update',
      before: { mtu: 1300, use_default_mtu: false, preshared_key: '[redacted]', dns: null },
      after: { mtu: 1300, use_default_mtu: true, preshared_key: '[redacted]', dns: null },
    },
  ])
})

describe('follows a change of the configuration at once', () => {
  it('uses its own values as its flags state, and keeps updated_at', async () => {
    const ownAccount = await newAccount()
    const getShownDevice = async (id: string) => (await ownAccount.call(getDevice, { params: { id } })).body.data
    const plain = await newV0Device(ownAccount)
    const custom = await newV0Device(ownAccount, { mtu: 1300, dns: '192.0.2.1' })
    const configuration = await readConfiguration(ownAccount.id)
    const defaults = { default_client_mtu: 1420, default_client_dns: '' }
    await updateRow(ownAccount.id, v0Configurations, configuration, defaults)
    expect(await getShownDevice(plain.id)).toEqual({ ...plain, mtu: 1420, dns: '' })
    expect(await getShownDevice(custom.id)).toEqual(custom)
    const sent = await ownAccount.call(updateDevice, {
      method: 'PUT',
      params: { id: plain.id },
      body: { device: await getShownDevice(plain.id) },
    })
    expect(sent.body.data).toEqual({ ...plain, mtu: 1420, dns: '' })
  })
})

describe('refuses an invalid change', () => {
  let device: { id: string; user_id: string }
  beforeAll(async () => {
    device = await newV0Device(account)
  })

  const blank = ["can't be blank"]
  it.each<[Record<string, unknown>, Record<string, string[]>]>([
    [{ name: null }, { name: blank }],
    [{ name: '' }, { name: blank }],
    [{ name: '  ' }, { name: ['should be at least 1 character(s)'] }],
    [{ public_key: null }, { public_key: blank }],
    [{ public_key: ' ' }, { public_key: blank }],
    [{ preshared_key: '' }, { preshared_key: blank }],
    [{ preshared_key: null }, { preshared_key: blank }],
    [{ ipv4: null }, { ipv4: blank }],
    [{ ipv6: '' }, { ipv6: blank }],
    [{ ipv4: '100.64.0.1' }, { ipv4: ['is reserved'] }],
    [{ use_default_dns: null }, { use_default_dns: ['is invalid'] }],
    [{ mtu: -1, use_default_mtu: true }, { mtu: ['must not be present', 'must be greater than or equal to 576'] }],
    [{ endpoint: '', use_default_endpoint: false }, { endpoint: blank }],
    [
      { name: ' ', mtu: 1 },
      { name: ['should be at least 1 character(s)'], mtu: ['must be greater than or equal to 576'] },
    ],
  ])('%o', async (sent, errors) => {
    expect(outcome(await patch(device.id, sent))).toEqual(refusal(errors))
    expect(await read(device.id)).toEqual(device)
  })

  it('refuses unique values of another device', async () => {
    const { user_id } = device
    const other = await newV0Device(account, { user_id, name: 'taken' })
    const inUse = ['has already been taken']
    const { name, public_key, ipv4, ipv6 } = other
    expect(outcome(await patch(device.id, { ipv6, ipv4, public_key, name }))).toEqual(refusal({ name: inUse }))
    expect(outcome(await patch(device.id, { ipv6, ipv4, public_key }))).toEqual(refusal({ public_key: inUse }))
    expect(outcome(await patch(device.id, { ipv6, ipv4 }))).toEqual(refusal({ ipv4: inUse }))
    expect(outcome(await patch(device.id, { ipv6 }))).toEqual(refusal({ ipv6: inUse }))
    expect(outcome(await patch(other.id, other))).toEqual([200, { data: other }])
  })
})

it('keeps both of two concurrent changes', async () => {
  const { id } = await newV0Device(account, { user_id: (await newV0User(account)).id })
  await Promise.all([patch(id, { name: 'both' }), patch(id, { mtu: 1301 }), patch(id, { dns: '192.0.2.9' })])
  expect(await read(id)).toMatchObject({ name: 'both', mtu: 1301, dns: '192.0.2.9' })
})
