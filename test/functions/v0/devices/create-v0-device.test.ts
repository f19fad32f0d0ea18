import { randomUUID } from 'node:crypto'
import { BlockList } from 'node:net'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { handler as createDevice } from '#functions/v0/devices/create-v0-device.ts'
import { handler as deleteDevice } from '#functions/v0/devices/delete-v0-device.ts'
import { handler as getDevice } from '#functions/v0/devices/get-v0-device.ts'
import { publicKey } from '#test/support/access/public-key.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { newV0Device, newV0User, v0DevicesAtOnce } from '#test/support/accounts/v0.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'
import { withTitles } from '#test/support/run/titles.ts'

let account: Awaited<ReturnType<typeof newAccount>>
let user: { id: string }
beforeAll(async () => {
  account = await newAccount()
})
beforeEach(async () => {
  user = await newV0User(account)
})
afterEach(() => vi.unstubAllEnvs())

const post = (device: unknown, from = account) =>
  from.call(createDevice, { method: 'POST', path: '/v0/devices', body: { device } })
const create = (fields: Record<string, unknown> = {}) => post({ user_id: user.id, public_key: publicKey(), ...fields })
const refusal = (errors: Record<string, string[]>) => [422, { errors }]
const outcome = ({ status, body }: { status: number; body: unknown }) => [status, body]

it('creates a device and returns it with a Location', async () => {
  const sent = {
    user_id: user.id,
    name: 'desk',
    public_key: '2g84J9y2BEswXlpcAj1L6CLPqGwEJFKtXMqelwq1YmU=',
    use_default_allowed_ips: false,
    allowed_ips: '192.0.2.0/24, 2001:db8::/32',
    use_default_mtu: false,
    mtu: 1400,
    ipv4: '100.64.3.9',
  }
  const { status, headers, body } = await post(sent)
  expect([status, body]).toEqual([
    201,
    {
      data: {
        ...sent,
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        description: null,
        preshared_key: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
        server_public_key: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
        ipv6: expect.stringMatching(/^fd00::/),
        dns: '1.1.1.1,1.0.0.1',
        endpoint: expect.stringMatching(/:51820$/),
        persistent_keepalive: 25,
        use_default_dns: true,
        use_default_endpoint: true,
        use_default_persistent_keepalive: true,
        latest_handshake: null,
        remote_ip: null,
        rx_bytes: null,
        tx_bytes: null,
        inserted_at: body.data.updated_at,
        updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      },
    },
  ])
  expect(headers).toMatchObject({
    location: `/v0/devices/${body.data.id}`,
    link: '</clients>; rel="successor-version"',
  })
  expect((await account.call(getDevice, { params: { id: body.data.id } })).body).toEqual(body)
})

it('generates absent fields', async () => {
  for (const nothing of [{}, { name: null, preshared_key: null, ipv4: null, ipv6: null }]) {
    const { data } = (await create(nothing)).body
    expect(data.name).toMatch(/^[a-z]+-[a-zA-F0-9]+$/)
    expect(data.name.length).toBeLessThanOrEqual(15)
    expect(Buffer.from(data.preshared_key, 'base64')).toHaveLength(32)
    const networks = new BlockList()
    networks.addSubnet('100.64.0.0', 10, 'ipv4')
    networks.addSubnet('fd00::', 106, 'ipv6')
    expect([networks.check(data.ipv4), networks.check(data.ipv6, 'ipv6')]).toEqual([true, true])
  }
  const { data } = (await create({ name: '', preshared_key: '', ipv4: '', ipv6: '', use_default_mtu: '' })).body
  expect(data).toMatchObject({ name: expect.stringContaining('-'), use_default_mtu: true, mtu: 1280 })
})

it('returns one server key for all devices of an account, and another key in another account', async () => {
  const other = await newAccount()
  const devices = [await newV0Device(account), await newV0Device(account), await newV0Device(other)]
  const [first, second, foreign] = devices.map(({ server_public_key }) => server_public_key)
  expect(second).toBe(first)
  expect(foreign).not.toBe(first)
  expect(Buffer.from(first, 'base64')).toHaveLength(32)
})

it('logs the device with its own values and a redacted key', async () => {
  const device = await newV0Device(account, { mtu: 1300 })
  const commits = await readCommits(account.id)
  expect(JSON.stringify(commits)).not.toContain(device.preshared_key)
  expect(commits.at(-1)).toMatchObject({ subject: { actor_id: expect.any(String), actor_email: null } })
  expect(commits.at(-1)?.changes).toEqual([
    {
      object: 'v0_devices',
      operation: 'insert',
      before: null,
      after: {
        ...device,
        preshared_key: '[redacted]',
        allowed_ips: null,
        dns: null,
        endpoint: null,
        persistent_keepalive: null,
      },
    },
  ])
})

const key = '2g84J9y2BEswXlpcAj1L6CLPqGwEJFKtXMqelwq1Ym'
const tooShort = 'should be 44 character(s)'
const noBase64 = 'must be a base64-encoded string'
const blank = "can't be blank"

describe('accepts', () => {
  it.each([
    [{ name: ' desk phone ' }, { name: 'desk phone' }],
    [{ description: ' spare ' }, { description: 'spare' }],
    [{ description: '  ' }, { description: null }],
    [{ description: null }, { description: null }],
    [{ preshared_key: `${key}U=` }, { preshared_key: `${key}U=` }],
    [{ use_default_mtu: false }, { use_default_mtu: false, mtu: null }],
    [
      { use_default_mtu: '0', mtu: '1400' },
      { use_default_mtu: false, mtu: 1400 },
    ],
    [{ use_default_mtu: 'true' }, { use_default_mtu: true, mtu: 1280 }],
    [
      { allowed_ips: '192.0.2.0/24,  2001:db8::/32' },
      { allowed_ips: '192.0.2.0/24,  2001:db8::/32', use_default_allowed_ips: false },
    ],
    [{ allowed_ips: ['192.0.2.1', '192.0.2.1'] }, { allowed_ips: '192.0.2.1,192.0.2.1' }],
    [{ use_default_allowed_ips: false, allowed_ips: null }, { allowed_ips: null }],
    [{ dns: '192.0.2.53, ns.example.net' }, { dns: '192.0.2.53, ns.example.net', use_default_dns: false }],
    [{ endpoint: 'vpn.example.net' }, { endpoint: 'vpn.example.net', use_default_endpoint: false }],
    [{ endpoint: ' 192.0.2.9:51820 ' }, { endpoint: '192.0.2.9:51820' }],
    [{ endpoint: '[2001:db8::9]:51820' }, { endpoint: '[2001:db8::9]:51820' }],
    [{ endpoint: '2001:db8::9' }, { endpoint: '2001:db8::9' }],
    [{ endpoint: '' }, { use_default_endpoint: true }],
    [{ persistent_keepalive: 0 }, { persistent_keepalive: 0, use_default_persistent_keepalive: false }],
    [{ persistent_keepalive: '+120' }, { persistent_keepalive: 120 }],
    [{ mtu: 1280 }, { mtu: 1280, use_default_mtu: false }],
    [
      { mtu: 1280, use_default_mtu: true },
      { mtu: 1280, use_default_mtu: true },
    ],
    [
      { mtu: null, use_default_mtu: true },
      { mtu: 1280, use_default_mtu: true },
    ],
    [{ ipv4: '203.0.113.4' }, { ipv4: '203.0.113.4' }],
    [{ ipv6: 'FD00:0::9' }, { ipv6: 'fd00::9' }],
    [{ ipv6: '::ffff:192.0.2.1' }, { ipv6: '::ffff:192.0.2.1' }],
    [{ id: 'x', rx_bytes: 5, latest_handshake: 'now', server_public_key: 'x', colour: 'red' }, { rx_bytes: null }],
  ])('%j', async (sent, shown) => {
    const { status, body } = await create(sent)
    expect([status, body.data]).toEqual([201, expect.objectContaining(shown)])
  })

  it('the id of a user in any case', async () => {
    expect((await create({ user_id: user.id.toUpperCase() })).body.data.user_id).toBe(user.id)
  })
})

describe('refuses', () => {
  it.each(
    withTitles<[Record<string, unknown>, Record<string, string[]>]>([
      [{ user_id: undefined }, { user_id: [blank] }],
      [{ user_id: '' }, { user_id: [blank] }],
      [{ user_id: '42' }, { user_id: ['is invalid'] }],
      [{ user_id: randomUUID() }, { user_id: ['does not exist'] }],
      [{ name: '   ' }, { name: ['should be at least 1 character(s)'] }],
      [{ name: '🐎'.repeat(256) }, { name: ['should be at most 255 character(s)'] }],
      [{ name: 5 }, { name: ['is invalid'] }],
      [{ name: 'a\0' }, { name: ['is invalid'] }],
      [{ description: 'a'.repeat(2049) }, { description: ['should be at most 2048 character(s)'] }],
      [{ description: 5 }, { description: ['is invalid'] }],
      [{ public_key: undefined }, { public_key: [blank] }],
      [{ public_key: '  ' }, { public_key: [blank] }],
      [{ public_key: 7 }, { public_key: ['is invalid'] }],
      [{ public_key: 'abc' }, { public_key: [tooShort, noBase64] }],
      [{ public_key: `${key}*=` }, { public_key: [noBase64] }],
      [{ preshared_key: 'YWJj' }, { preshared_key: [tooShort] }],
      [{ use_default_mtu: null }, { use_default_mtu: ['is invalid'] }],
      [{ use_default_mtu: 0 }, { use_default_mtu: ['is invalid'] }],
      [
        { use_default_mtu: 'no', mtu: 1 },
        { use_default_mtu: ['is invalid'], mtu: ['must be greater than or equal to 576'] },
      ],
      [
        { allowed_ips: '192.0.2.0/33' },
        { allowed_ips: ['is invalid: 192.0.2.0/33 is not a valid IPv4 / IPv6 address or CIDR range'] },
      ],
      [{ allowed_ips: '192.0.2.1,' }, { allowed_ips: ['is invalid'] }],
      [{ allowed_ips: [1] }, { allowed_ips: ['is invalid'] }],
      [{ dns: '192.0.2.53, 192.0.2.53' }, { dns: ['is invalid: duplicates are not allowed: 192.0.2.53'] }],
      [{ dns: '192.0.2.53:53' }, { dns: ['setting port is not allowed'] }],
      [{ dns: 'bad name' }, { dns: ['bad name is not a valid FQDN'] }],
      [{ endpoint: null, use_default_endpoint: false }, { endpoint: [blank] }],
      [{ use_default_endpoint: false }, { endpoint: [blank] }],
      [{ endpoint: 'vpn.example.net:70000' }, { endpoint: ['port is not a number between 0 and 65535'] }],
      [{ endpoint: 'vpn example' }, { endpoint: ['vpn example is not a valid FQDN'] }],
      [{ mtu: 500 }, { mtu: ['must be greater than or equal to 576'] }],
      [{ mtu: 1600 }, { mtu: ['must be less than or equal to 1500'] }],
      [{ mtu: ' 12' }, { mtu: ['is invalid'] }],
      [{ mtu: true }, { mtu: ['is invalid'] }],
      [{ mtu: -1, use_default_mtu: true }, { mtu: ['must not be present', 'must be greater than or equal to 576'] }],
      [{ dns: '192.0.2.1', use_default_dns: true }, { dns: ['must not be present'] }],
      [{ persistent_keepalive: 200 }, { persistent_keepalive: ['must be less than or equal to 120'] }],
      [{ ipv4: '100.64.0.1' }, { ipv4: ['is reserved'] }],
      [{ ipv4: '100.64.3' }, { ipv4: ['is invalid'] }],
      [{ ipv4: '100.64.3.9/32' }, { ipv4: ['is invalid'] }],
      [{ ipv4: 'fd00::9' }, { ipv4: ['is invalid'] }],
      [{ ipv6: 'FD00::0:1' }, { ipv6: ['is reserved'] }],
      [{ ipv6: 'fe80::1%0' }, { ipv6: ['is invalid'] }],
      [{ ipv6: '100.64.3.9' }, { ipv6: ['is invalid'] }],
      [
        { user_id: null, public_key: null, name: ' ', mtu: 1 },
        {
          user_id: [blank],
          public_key: [blank],
          name: ['should be at least 1 character(s)'],
          mtu: ['must be greater than or equal to 576'],
        },
      ],
    ]),
  )('%s', async (_name, sent, errors) => {
    expect(outcome(await create(sent))).toEqual(refusal(errors))
  })

  it('a fraction, as it is written', async () => {
    for (const number of ['1400.0', '1.4e3', '1400.5']) {
      const rawBody = JSON.stringify({ device: { user_id: user.id, public_key: publicKey() } }).replace(
        '{"user',
        `{"mtu":${number},"user`,
      )
      const answer = await account.call(createDevice, { method: 'POST', path: '/v0/devices', rawBody })
      expect(outcome(answer), number).toEqual(refusal({ mtu: ['is invalid'] }))
    }
  })

  it('a user of another account, like an unknown one', async () => {
    const foreign = await newV0User(await newAccount())
    expect(outcome(await create({ user_id: foreign.id }))).toEqual(refusal({ user_id: ['does not exist'] }))
  })

  it('unique values of another device, reported one at a time in order', async () => {
    const first = await newV0Device(account, { user_id: user.id, name: 'desk' })
    const { name, public_key, ipv4, ipv6 } = first
    const inUse = ['has already been taken']
    expect(outcome(await create({ name, public_key, ipv4, ipv6 }))).toEqual(refusal({ name: inUse }))
    expect(outcome(await create({ public_key, ipv4, ipv6 }))).toEqual(refusal({ public_key: inUse }))
    expect(outcome(await create({ ipv4, ipv6: ipv6.toUpperCase() }))).toEqual(refusal({ ipv4: inUse }))
    expect(outcome(await create({ ipv6: ipv6.toUpperCase() }))).toEqual(refusal({ ipv6: inUse }))
    const stranger = await newV0User(account)
    expect((await create({ user_id: stranger.id, name, preshared_key: first.preshared_key })).status).toBe(201)
    expect((await create({ name: 'Desk' })).status).toBe(201)
    await account.call(deleteDevice, { method: 'DELETE', params: { id: first.id } })
    expect((await create({ name, public_key, ipv4, ipv6 })).status).toBe(201)
    const elsewhere = await newAccount()
    expect(await newV0Device(elsewhere, { public_key, ipv4, ipv6 })).toMatchObject({ public_key, ipv4, ipv6 })
  })

  it('more devices of a user than the setting allows', async () => {
    const full = { base: ['Maximum device limit reached. Remove an existing device before creating a new one.'] }
    for (let i = 0; i < 10; i++) expect((await create()).status).toBe(201)
    expect(outcome(await create())).toEqual(refusal(full))
    vi.stubEnv('V0_DEVICES_PER_USER', '11')
    expect((await create()).status).toBe(201)
    expect(outcome(await create())).toEqual(refusal(full))
    vi.stubEnv('V0_DEVICES_PER_USER', '0')
    expect(outcome(await post({ user_id: (await newV0User(account)).id, public_key: publicKey() }))).toEqual(
      refusal(full),
    )
  })
})

describe('addresses', () => {
  const small = async () => {
    vi.stubEnv('V0_IPV4_NETWORK', '192.0.2.8/29')
    vi.stubEnv('V0_IPV4_SERVER', '192.0.2.12')
    const ownAccount = await newAccount()
    return { own: ownAccount, user_id: (await newV0User(ownAccount)).id }
  }

  it("uses all addresses of a network except the first two, the last and the server's", async () => {
    const { own, user_id } = await small()
    const devices = []
    for (let i = 0; i < 4; i++) devices.push(await newV0Device(own, { user_id }))
    const given = devices.map(({ ipv4 }) => ipv4).sort()
    expect(given).toEqual(['192.0.2.10', '192.0.2.11', '192.0.2.13', '192.0.2.14'])
    const exhausted = await post({ user_id, public_key: publicKey() }, own)
    expect(outcome(exhausted)).toEqual(refusal({ base: ['CIDR 192.0.2.8/29 is exhausted'] }))
    expect(await newV0Device(own, { user_id, ipv4: '192.0.2.15' })).toMatchObject({ ipv4: '192.0.2.15' })
    await own.call(deleteDevice, { method: 'DELETE', params: { id: devices[1].id } })
    expect(await newV0Device(own, { user_id })).toMatchObject({ ipv4: devices[1].ipv4 })
  })

  it('are distinct for 50 concurrent devices', async () => {
    const devices = await v0DevicesAtOnce(50)
    for (const field of ['ipv4', 'ipv6']) expect(new Set(devices.map((device) => device[field])).size, field).toBe(50)
  })
})
