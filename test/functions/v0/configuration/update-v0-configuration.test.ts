import { beforeAll, describe, expect, it } from 'vitest'
import { handler as getConfiguration } from '#functions/v0/configuration/get-v0-configuration.ts'
import { handler as updateConfiguration } from '#functions/v0/configuration/update-v0-configuration.ts'
import { handler as otherRoute } from '#functions/v0/other-route.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { openIdProvider, samlProvider } from '#test/support/accounts/v0-providers.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'
import { withTitles } from '#test/support/run/titles.ts'

type Account = Awaited<ReturnType<typeof newAccount>>

let account: Account
beforeAll(async () => {
  account = await newAccount({ limits: { api_capacity: 100_000, api_refill_rate: 100_000 } })
})

const patch = (configuration: unknown, method = 'PATCH', from = account) =>
  from.call(updateConfiguration, { method, path: '/v0/configuration', body: { configuration } })
const read = async (from = account) => (await from.call(getConfiguration)).body.data

it.each(['PATCH', 'PUT'])('%s changes only the sent fields', async (method) => {
  const before = await read()
  const { status, body } = await patch({ vpn_session_duration: method === 'PUT' ? 60 : 30 }, method)
  const vpn_session_duration = method === 'PUT' ? 60 : 30
  expect([status, body.data]).toEqual([200, { ...before, vpn_session_duration, updated_at: body.data.updated_at }])
  expect(body.data.updated_at > before.updated_at).toBe(true)
  expect(await read()).toEqual(body.data)
  const commit = (await readCommits(account.id)).at(-1)
  expect(commit?.subject?.actor_id).toBe(account.apiClient.id)
  expect(commit?.changes).toEqual([{ object: 'v0_configurations', operation: 'update', before, after: body.data }])
})

it('accepts providers, returns equal ones without a change, and clears them', async () => {
  const ownAccount = await newAccount()
  const request = {
    default_client_mtu: '1420',
    vpn_session_duration: 86400,
    openid_connect_providers: [openIdProvider()],
  }
  const before = await read(ownAccount)
  const first = await patch(request, 'PATCH', ownAccount)
  expect(first.status).toBe(200)
  expect(first.body.data).toEqual({
    ...before,
    default_client_mtu: 1420,
    vpn_session_duration: 86400,
    openid_connect_providers: [
      {
        ...openIdProvider(),
        redirect_uri: null,
        response_type: 'code',
        scope: 'openid email profile',
        auto_create_users: false,
      },
    ],
    updated_at: first.body.data.updated_at,
  })
  const again = await patch(request, 'PATCH', ownAccount)
  expect([again.status, again.body]).toEqual([200, first.body])

  const saml = await patch({ saml_identity_providers: [samlProvider()] }, 'PATCH', ownAccount)
  expect(saml.body.data.openid_connect_providers).toEqual(first.body.data.openid_connect_providers)
  expect(saml.body.data.saml_identity_providers).toEqual([
    {
      ...samlProvider(),
      base_url: expect.stringMatching(/^https?:\/\/[^/]+\/auth\/saml$/),
      sign_requests: true,
      sign_metadata: true,
      signed_assertion_in_resp: true,
      signed_envelopes_in_resp: true,
      auto_create_users: false,
    },
  ])
  const cleared = await patch({ openid_connect_providers: [] }, 'PATCH', ownAccount)
  expect(cleared.body.data).toEqual({
    ...saml.body.data,
    openid_connect_providers: [],
    updated_at: cleared.body.data.updated_at,
  })
})

it('accepts a configuration as it was returned, unchanged or with one changed field', async () => {
  const ownAccount = await newAccount()
  await patch(
    {
      logo: { url: 'https://example.net/l.png' },
      default_client_dns: '',
      openid_connect_providers: [openIdProvider(), openIdProvider({ id: 'guests', redirect_uri: 'https://a.example' })],
      saml_identity_providers: [samlProvider({ sign_requests: false })],
    },
    'PATCH',
    ownAccount,
  )
  const whole = await read(ownAccount)
  const same = await patch(whole, 'PUT', ownAccount)
  expect([same.status, same.body.data]).toEqual([200, whole])
  const changed = await patch({ ...whole, local_auth_enabled: false }, 'PUT', ownAccount)
  expect(changed.body.data).toEqual({ ...whole, local_auth_enabled: false, updated_at: changed.body.data.updated_at })
})

it('writes nothing if all values are equal', async () => {
  const before = await read()
  const commits = (await readCommits(account.id)).length
  for (const fields of [{}, { local_auth_enabled: 'true' }, { logo: null }, { logo: {} }, { colour: 1, id: 'x' }]) {
    const { status, body } = await patch(fields)
    expect([status, body.data], JSON.stringify(fields)).toEqual([200, before])
  }
  expect((await readCommits(account.id)).length).toBe(commits)
})

const booleans = [
  'allow_unprivileged_device_configuration',
  'allow_unprivileged_device_management',
  'local_auth_enabled',
  'disable_vpn_on_oidc_error',
]

describe.each(booleans)('%s', (name) => {
  it('accepts a boolean in any form', async () => {
    for (const [sent, stored] of [
      [false, false],
      ['true', true],
      ['0', false],
      ['1', true],
      ['false', false],
      [true, true],
    ] as const)
      expect((await patch({ [name]: sent })).body.data[name]).toBe(stored)
  })

  it('refuses other values', async () => {
    for (const sent of [123, 0, 1, null, '', 'yes', 'TRUE', [], {}]) {
      const { status, body } = await patch({ [name]: sent })
      expect([status, body], JSON.stringify(sent)).toEqual([422, { errors: { [name]: ['is invalid'] } }])
    }
  })
})

describe('other fields', () => {
  const long = Array.from({ length: 600 }, (_, i) => `10.0.${i >> 8}.${i & 255}`).join()

  it.each([
    ['default_client_allowed_ips', '192.0.2.0/24 , ::/0', '192.0.2.0/24 , ::/0'],
    ['default_client_allowed_ips', ['::/0'], '::/0'],
    ['default_client_allowed_ips', ['192.0.2.1', '192.0.2.2'], '192.0.2.1,192.0.2.2'],
    ['default_client_allowed_ips', '', ''],
    ['default_client_allowed_ips', '  ', ''],
    ['default_client_allowed_ips', [], ''],
    ['default_client_dns', 'ns.example.net, 192.0.2.53', 'ns.example.net, 192.0.2.53'],
    ['default_client_dns', '', ''],
    ['default_client_endpoint', 'vpn.example.net:443', 'vpn.example.net:443'],
    ['default_client_endpoint', ' [2001:db8::9]:51820 ', '[2001:db8::9]:51820'],
    ['default_client_mtu', 1420, 1420],
    ['default_client_mtu', '1421', 1421],
    ['default_client_mtu', 576, 576],
    ['default_client_mtu', 1500, 1500],
    ['default_client_persistent_keepalive', 0, 0],
    ['default_client_persistent_keepalive', 120, 120],
    ['default_client_persistent_keepalive', '+5', 5],
    ['vpn_session_duration', 0, 0],
    ['vpn_session_duration', 86_400, 86_400],
    ['vpn_session_duration', 2_147_483_647, 2_147_483_647],
  ])('%s %j is %j', async (name, sent, stored) => {
    const { status, body } = await patch({ [name]: sent })
    expect([status, body.data?.[name]]).toEqual([200, stored])
    expect((await read())[name]).toBe(stored)
  })

  it.each(
    withTitles([
      ['default_client_allowed_ips', null, 'is invalid'],
      ['default_client_allowed_ips', 5, 'is invalid'],
      ['default_client_allowed_ips', [5], 'is invalid'],
      ['default_client_allowed_ips', '::/0,', 'is invalid'],
      ['default_client_allowed_ips', 'lan', 'is invalid: lan is not a valid IPv4 / IPv6 address or CIDR range'],
      ['default_client_allowed_ips', '::/0,::/0', 'is invalid: duplicates are not allowed: ::/0'],
      ['default_client_allowed_ips', long, 'should be at most 4096 character(s)'],
      ['default_client_dns', null, 'is invalid'],
      ['default_client_dns', '192.0.2.53:53', 'setting port is not allowed'],
      ['default_client_dns', 'bad name', 'bad name is not a valid FQDN'],
      ['default_client_dns', 'a, b,b', 'is invalid: duplicates are not allowed: b'],
      ['default_client_endpoint', '', "can't be blank"],
      ['default_client_endpoint', ' ', "can't be blank"],
      ['default_client_endpoint', null, 'is invalid'],
      ['default_client_endpoint', 51820, 'is invalid'],
      ['default_client_endpoint', 'a b', 'a b is not a valid FQDN'],
      ['default_client_endpoint', 'vpn.example.net:70000', 'port is not a number between 0 and 65535'],
      ['default_client_endpoint', 'a'.repeat(256), 'should be at most 255 character(s)'],
      ['default_client_mtu', 9000, 'must be less than or equal to 1500'],
      ['default_client_mtu', 575, 'must be greater than or equal to 576'],
      ['default_client_mtu', null, 'is invalid'],
      ['default_client_mtu', '', 'is invalid'],
      ['default_client_mtu', '1280.0', 'is invalid'],
      ['default_client_mtu', true, 'is invalid'],
      ['default_client_persistent_keepalive', -3, 'must be greater than or equal to 0'],
      ['default_client_persistent_keepalive', 121, 'must be less than or equal to 120'],
      ['default_client_persistent_keepalive', null, 'is invalid'],
      ['vpn_session_duration', -1, 'must be greater than or equal to 0'],
      ['vpn_session_duration', 2_147_483_648, 'must be less than or equal to 2147483647'],
      ['vpn_session_duration', '9'.repeat(400), 'must be less than or equal to 2147483647'],
      ['vpn_session_duration', '', 'is invalid'],
    ]),
  )('%s', async (_name, name, sent, message) => {
    const { status, body } = await patch({ [name]: sent })
    expect([status, body]).toEqual([422, { errors: { [name]: [message] } }])
  })
})

describe('the logo', () => {
  it.each(
    withTitles([
      [{ url: 'https://example.net/l.png' }, { url: 'https://example.net/l.png', data: null, type: null }],
      [
        { data: 'aGk=', type: 'image/png', url: '', colour: 1 },
        { url: null, data: 'aGk=', type: 'image/png' },
      ],
      [{ url: '', data: null }, null],
      [{ type: 'x' }, { url: null, data: null, type: 'x' }],
      [{}, null],
      [{ data: 'x'.repeat(65_536) }, { url: null, data: 'x'.repeat(65_536), type: null }],
      [null, null],
    ]),
  )('%s', async (_name, logo, shown) => {
    const { status, body } = await patch({ logo })
    expect([status, body.data.logo]).toEqual([200, shown])
  })

  it.each(
    withTitles([
      ['l.png'],
      [''],
      [[]],
      [5],
      [true],
      [{ url: 5 }],
      [{ url: 0 }],
      [{ url: false }],
      [{ url: ['x'] }],
      [{ url: 'x'.repeat(2049) }],
      [{ data: 'x'.repeat(65_537) }],
      [{ type: 'x'.repeat(256) }],
      [{ type: 'a\0' }],
    ]),
  )('%s is invalid', async (_name, logo) => {
    const { status, body } = await patch({ logo })
    expect([status, body]).toEqual([422, { errors: { logo: ['is invalid'] } }])
  })
})

describe('openid_connect_providers', () => {
  const field = 'openid_connect_providers'
  const send = (items: unknown) => patch({ [field]: items })
  const blank = "can't be blank"

  it.each([null, '', {}, 'x', [1], [null], [[]], [openIdProvider(), 'x']])('%j is invalid', async (items) => {
    const { status, body } = await send(items)
    expect([status, body]).toEqual([422, { errors: { [field]: ['is invalid'] } }])
  })

  it('accepts at most 20 items', async () => {
    const items = Array.from({ length: 21 }, (_, i) => openIdProvider({ id: `p${i}` }))
    const { body } = await send(items)
    expect(body).toEqual({ errors: { [field]: ['should have at most 20 item(s)'] } })
    expect((await send(items.slice(1))).body.data[field].map(({ id }: { id: string }) => id)).toEqual(
      items.slice(1).map(({ id }) => id),
    )
    const broken = await send([...items, {}])
    expect(broken.body).toEqual({ errors: { [field]: ['should have at most 20 item(s)'] } })
  })

  it('reports the errors of each item', async () => {
    const { status, body } = await send([openIdProvider(), openIdProvider({ id: 'saml', client_secret: '' })])
    expect([status, body]).toEqual([
      422,
      { errors: { [field]: [{}, { id: ['is reserved'], client_secret: [blank] }] } },
    ])
    const bare = await send([{ id: 'saml' }])
    expect(bare.body.errors[field]).toEqual([
      {
        id: ['is reserved'],
        label: [blank],
        client_id: [blank],
        client_secret: [blank],
        discovery_document_uri: [blank],
      },
    ])
  })

  it.each(
    withTitles([
      [{ id: null }, { id: [blank] }],
      [{ id: '' }, { id: [blank] }],
      [{ id: ' ' }, { id: [blank] }],
      [{ id: 5 }, { id: ['is invalid'] }],
      [{ id: 'identity' }, { id: ['is reserved'] }],
      [{ id: 'magic_link' }, { id: ['is reserved'] }],
      [{ id: 'x'.repeat(256) }, { id: ['should be at most 255 character(s)'] }],
      [{ label: '  ' }, { label: [blank] }],
      [{ label: 'x'.repeat(256) }, { label: ['should be at most 255 character(s)'] }],
      [{ client_id: 'x'.repeat(2049) }, { client_id: ['should be at most 2048 character(s)'] }],
      [{ client_secret: ['x'] }, { client_secret: ['is invalid'] }],
      [{ client_secret: 'x'.repeat(2049) }, { client_secret: ['should be at most 2048 character(s)'] }],
      [{ discovery_document_uri: null }, { discovery_document_uri: [blank] }],
      [{ scope: 5 }, { scope: ['is invalid'] }],
      [{ scope: 'x'.repeat(2049) }, { scope: ['should be at most 2048 character(s)'] }],
      [{ response_type: {} }, { response_type: ['is invalid'] }],
      [{ redirect_uri: 'callback' }, { redirect_uri: ['does not contain a scheme or a host'] }],
      [{ redirect_uri: '//host/cb' }, { redirect_uri: ['does not contain a scheme'] }],
      [{ redirect_uri: 'ftp://host/cb' }, { redirect_uri: ['only http, https schemes are supported'] }],
      [{ redirect_uri: 'a b' }, { redirect_uri: ['is invalid'] }],
      [
        { redirect_uri: 'x'.repeat(2049) },
        { redirect_uri: ['should be at most 2048 character(s)', 'does not contain a scheme or a host'] },
      ],
      [{ auto_create_users: null }, { auto_create_users: ['is invalid'] }],
      [{ auto_create_users: 1 }, { auto_create_users: ['is invalid'] }],
    ]),
  )('%s', async (_name, fields, errors) => {
    const { status, body } = await send([openIdProvider(fields)])
    expect([status, body]).toEqual([422, { errors: { [field]: [errors] } }])
  })

  it.each([
    [{ redirect_uri: 'https://access.example.net/cb' }, { redirect_uri: 'https://access.example.net/cb' }],
    [{ redirect_uri: null }, { redirect_uri: null }],
    [{ redirect_uri: '' }, { redirect_uri: null }],
    [{ scope: null }, { scope: 'openid email profile' }],
    [{ scope: '' }, { scope: 'openid email profile' }],
    [{ scope: ' anything ' }, { scope: ' anything ' }],
    [{ response_type: '' }, { response_type: 'code' }],
    [{ response_type: 'id_token' }, { response_type: 'id_token' }],
    [{ auto_create_users: '1' }, { auto_create_users: true }],
    [{ auto_create_users: '' }, { auto_create_users: false }],
    [{ id: ' staff ' }, { id: ' staff ' }],
    [{ id: 'Identity' }, { id: 'Identity' }],
    [{ discovery_document_uri: 'nowhere' }, { discovery_document_uri: 'nowhere' }],
  ])('%j is stored as %j', async (fields, shown) => {
    const { status, body } = await send([openIdProvider({ ...fields, colour: 'red' })])
    expect(status).toBe(200)
    expect(body.data[field][0]).toMatchObject(shown)
    expect(body.data[field][0]).not.toHaveProperty('colour')
  })

  it('requires unique ids, and keeps the order', async () => {
    const { body } = await send([openIdProvider(), openIdProvider({ id: 'b' }), openIdProvider(), openIdProvider()])
    expect(body.errors[field]).toEqual([{}, {}, { id: ['has already been taken'] }, { id: ['has already been taken'] }])
    const both = await patch({ [field]: [openIdProvider()], saml_identity_providers: [samlProvider({ id: 'staff' })] })
    expect(both.status).toBe(200)
  })

  it('is replaced as a whole, without merging earlier items', async () => {
    await send([openIdProvider({ scope: 'openid', auto_create_users: true })])
    const { body } = await send([openIdProvider()])
    expect(body.data[field][0]).toMatchObject({ scope: 'openid email profile', auto_create_users: false })
    const partial = await send([{ id: 'staff', label: 'Other' }])
    expect(partial.status).toBe(422)
  })
})

describe('saml_identity_providers', () => {
  const field = 'saml_identity_providers'
  const send = (items: unknown) => patch({ [field]: items })

  it.each(
    withTitles<[Record<string, unknown>, Record<string, string[]>]>([
      [{ metadata: '<EntityDescriptor>' }, { metadata: ['is invalid'] }],
      [{ metadata: '<a/>' }, { metadata: ['is invalid'] }],
      [{ metadata: 'text' }, { metadata: ['is invalid'] }],
      [{ metadata: 5 }, { metadata: ['is invalid'] }],
      [{ metadata: '' }, { metadata: ["can't be blank"] }],
      [{ metadata: ' \n' }, { metadata: ["can't be blank"] }],
      [{ metadata: null }, { metadata: ["can't be blank"] }],
      [{ metadata: '<!DOCTYPE EntityDescriptor><EntityDescriptor/>' }, { metadata: ['is invalid'] }],
      [
        { metadata: `<EntityDescriptor/>${' '.repeat(65_536)}` },
        { metadata: ['should be at most 65536 character(s)'] },
      ],
      [{ metadata: 'x'.repeat(65_537) }, { metadata: ['should be at most 65536 character(s)', 'is invalid'] }],
      [{ id: 'saml' }, { id: ['is reserved'] }],
      [{ label: null }, { label: ["can't be blank"] }],
      [{ base_url: 'callback' }, { base_url: ['does not contain a scheme or a host'] }],
      [{ base_url: 'ftp://host' }, { base_url: ['only http, https schemes are supported'] }],
      [{ sign_requests: null }, { sign_requests: ['is invalid'] }],
      [{ sign_metadata: 'no' }, { sign_metadata: ['is invalid'] }],
      [{ signed_assertion_in_resp: 0 }, { signed_assertion_in_resp: ['is invalid'] }],
      [{ signed_envelopes_in_resp: [] }, { signed_envelopes_in_resp: ['is invalid'] }],
      [{ auto_create_users: null }, { auto_create_users: ['is invalid'] }],
    ]),
  )('%s', async (_name, fields, errors) => {
    const { status, body } = await send([samlProvider(fields)])
    expect([status, body]).toEqual([422, { errors: { [field]: [errors] } }])
  })

  it('reports missing fields of each item', async () => {
    const { body } = await send([samlProvider(), {}])
    const blank = ["can't be blank"]
    expect(body).toEqual({ errors: { [field]: [{}, { id: blank, label: blank, metadata: blank }] } })
    expect((await send('x')).body).toEqual({ errors: { [field]: ['is invalid'] } })
  })

  it('stores metadata as sent, and defaults for empty fields', async () => {
    const metadata = '\n<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="x"/>\n'
    const { status, body } = await send([
      samlProvider({ metadata, base_url: '', sign_requests: '', sign_metadata: '0' }),
    ])
    expect(status).toBe(200)
    expect(body.data[field][0]).toMatchObject({ metadata, sign_requests: true, sign_metadata: false })
    expect(body.data[field][0].base_url).toMatch(/\/auth\/saml$/)
    const other = await send([samlProvider({ base_url: 'https://access.example.net/saml' })])
    expect(other.body.data[field][0].base_url).toBe('https://access.example.net/saml')
  })
})

it('reports the errors of all fields and items together, and changes nothing', async () => {
  const before = await read()
  const { status, body } = await patch({
    local_auth_enabled: 0,
    default_client_mtu: 1,
    logo: 'x',
    vpn_session_duration: 77,
    openid_connect_providers: [openIdProvider(), openIdProvider({ id: 'saml' })],
    saml_identity_providers: null,
  })
  expect([status, body]).toEqual([
    422,
    {
      errors: {
        local_auth_enabled: ['is invalid'],
        default_client_mtu: ['must be greater than or equal to 576'],
        logo: ['is invalid'],
        openid_connect_providers: [{}, { id: ['is reserved'] }],
        saml_identity_providers: ['is invalid'],
      },
    },
  ])
  expect(await read()).toEqual(before)
})

it('accepts at most 163,840 bytes in returned form', async () => {
  const ownAccount = await newAccount()
  const metadata = (length: number) => `<EntityDescriptor a="${'é'.repeat(length)}"/>`
  const saml = (length: number) => ({
    saml_identity_providers: [
      samlProvider({ id: 'a', metadata: metadata(30_000) }),
      samlProvider({ id: 'b', metadata: metadata(30_000) }),
      samlProvider({ id: 'c', metadata: metadata(length) }),
    ],
  })
  const { body } = await patch(saml(1), 'PATCH', ownAccount)
  const room = 163_840 - Buffer.byteLength(JSON.stringify(body.data))
  const length = 1 + Math.floor(room / 2)
  const refused = await patch(saml(length + 1), 'PATCH', ownAccount)
  expect([refused.status, refused.body]).toEqual([422, { errors: { base: ['should be at most 163840 byte(s)'] } }])
  const fields = await patch({ ...saml(length + 1), default_client_mtu: 1 }, 'PATCH', ownAccount)
  expect(fields.body).toEqual({ errors: { default_client_mtu: ['must be greater than or equal to 576'] } })
  const fitting = await patch(saml(length), 'PATCH', ownAccount)
  expect(fitting.status).toBe(200)
  expect(await read(ownAccount)).toEqual(fitting.body.data)
  const next = await patch({ saml_identity_providers: [] }, 'PATCH', ownAccount)
  expect(next.status).toBe(200)
})

it('accepts as many secrets as fit, with any characters', async () => {
  const ownAccount = await newAccount()
  const items = Array.from({ length: 20 }, (_, i) =>
    openIdProvider({ id: `p${i}`, client_secret: String.fromCodePoint(0x20000 + i).repeat(1_950) }),
  )
  expect((await patch({ openid_connect_providers: items }, 'PATCH', ownAccount)).status).toBe(200)
  const renamed = items.map((item) => ({ ...item, label: 'Other' }))
  const { status, body } = await patch({ openid_connect_providers: renamed }, 'PATCH', ownAccount)
  expect([status, body.data]).toMatchObject([200, { openid_connect_providers: renamed }])
  expect(await read(ownAccount)).toEqual(body.data)
})

it('returns client secrets to readers, but neither logs them nor stores them in plain text', async () => {
  const ownAccount = await newAccount()
  const items = (secret: string) => ({
    openid_connect_providers: [
      openIdProvider({ client_secret: secret }),
      openIdProvider({ id: 'other', client_secret: `${secret}-too` }),
    ],
  })
  await patch(items('first-secret'), 'PATCH', ownAccount)
  const { body } = await patch(items('second-secret'), 'PATCH', ownAccount)
  expect(body.data.openid_connect_providers.map((item: { client_secret: string }) => item.client_secret)).toEqual([
    'second-secret',
    'second-secret-too',
  ])
  expect((await read(ownAccount)).openid_connect_providers).toEqual(body.data.openid_connect_providers)
  const commits = await readCommits(ownAccount.id)
  expect(JSON.stringify(commits)).not.toMatch(/first-secret|second-secret/)
  const [change] = commits.at(-1)?.changes ?? []
  const shown = { ...openIdProvider({ client_secret: '[redacted]' }), scope: 'openid email profile' }
  for (const side of [change?.before, change?.after]) {
    expect(side?.openid_connect_providers).toMatchObject([shown, { ...shown, id: 'other' }])
  }
})

it('keeps fields that only one of concurrent updates sends', async () => {
  const ownAccount = await newAccount()
  await Promise.all([
    patch({ default_client_mtu: 1400 }, 'PATCH', ownAccount),
    patch({ vpn_session_duration: 9 }, 'PATCH', ownAccount),
    patch({ saml_identity_providers: [samlProvider()] }, 'PATCH', ownAccount),
  ])
  expect(await read(ownAccount)).toMatchObject({
    default_client_mtu: 1400,
    vpn_session_duration: 9,
    saml_identity_providers: [{ id: 'corp' }],
  })
})

it.each(['POST', 'DELETE'])('refuses %s', async (method) => {
  const { status, body } = await account.call(otherRoute, {
    method,
    path: '/v0/configuration',
    params: { proxy: 'configuration' },
    body: { configuration: {} },
  })
  expect([status, body]).toEqual([404, { error: 'not_found' }])
})
