import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type ProviderKind, providerKinds } from '#shared/auth-providers/auth-provider.ts'
import { discovery } from '#shared/auth-providers/discovery.ts'
import { clientTokens } from '#shared/client-tokens/client-token.ts'
import { mintClientToken } from '#shared/client-tokens/mint-client-token.ts'
import { commit } from '#shared/table/commit.ts'
import { getRow } from '#shared/table/read.ts'
import { newAccount } from '#test/support/account.ts'
import { commitsOf } from '#test/support/commit-stream.ts'
import { loadEntries } from '#test/support/operations.ts'
import { insertActor } from '#test/support/rows.ts'

type Fields = Record<string, unknown>
type Account = Awaited<ReturnType<typeof newAccount>>

const handlers = new Map((await loadEntries()).map(({ name, handler }) => [name, handler]))
const uri = 'https://login.example.com/.well-known/openid-configuration'
const secret = 'very-secret-value-0123456789'

let account: Account
beforeAll(async () => {
  account = await newAccount({ limits: { api_capacity: 100_000, api_refill_rate: 100_000 } })
})
afterEach(() => {
  vi.restoreAllMocks()
})

let count = 0
/** Valid fields of a new provider, different each time. */
const fieldsOf: Record<ProviderKind, () => Fields> = {
  email_otp: () => ({}),
  oidc: () => ({
    name: `Login ${count++}`,
    client_id: `client-${count}`,
    client_secret: secret,
    discovery_document_uri: uri,
  }),
  suite: () => ({}),
  tenant: () => ({ name: `Tenant ${count++}`, issuer: `https://tenant-${count}.example.com/v2` }),
  idp: () => ({
    name: `Idp ${count++}`,
    client_id: `client-${count}`,
    client_secret: secret,
    idp_domain: 'Company.Idp.example',
  }),
}

const send = (kind: ProviderKind, method: string, request: Fields & { id?: string; on?: Account } = {}) => {
  const { id, on = account, fields, ...rest } = request
  const path = `/${kind}_auth_providers${id ? '/{id}' : ''}`
  const handler = handlers.get(`${method} ${path}`)
  if (!handler) throw new Error(`${method} ${path}`)
  return on.call(handler, {
    method,
    ...(id ? { params: { id } } : {}),
    ...(fields ? { body: { [`${kind}_auth_provider`]: fields } } : {}),
    ...rest,
  })
}
const discovered = (issuer = 'https://login.example.com') => vi.spyOn(discovery, 'read').mockResolvedValue({ issuer })
const create = (kind: ProviderKind, fields: Fields = {}, on: Account = account) =>
  send(kind, 'POST', { on, fields: { ...fieldsOf[kind](), ...fields } })

describe.each(providerKinds)('%s providers', (kind) => {
  it('are created, shown, listed, changed and deleted', async () => {
    discovered()
    const own = await newAccount()
    const created = await create(kind, {}, own)
    expect(created.body.errors).toBeUndefined()
    const provider = created.body.data
    expect([created.status, created.headers.location]).toEqual([201, `/${kind}_auth_providers/${provider.id}`])
    expect(provider).toMatchObject({
      account_id: own.id,
      is_disabled: false,
      context: 'clients_and_portal',
      client_session_lifetime_secs: 604_800,
      portal_session_lifetime_secs: 28_800,
    })
    expect((await send(kind, 'GET', { on: own, id: provider.id })).body).toEqual({ data: provider })
    expect((await send(kind, 'GET', { on: own, query: { name: provider.name } })).body.data).toEqual([provider])
    expect((await send(kind, 'GET', { on: own, query: { name: 'another' } })).body.data).toEqual([])

    const change = { name: 'Renamed', context: 'portal_only', portal_session_lifetime_secs: '300', is_disabled: true }
    const changed = await send(kind, 'PATCH', { on: own, id: provider.id, fields: change })
    expect(changed.body.data).toEqual({
      ...provider,
      ...change,
      portal_session_lifetime_secs: 300,
      updated_at: changed.body.data.updated_at,
    })
    const restored = await send(kind, 'PATCH', {
      on: own,
      id: provider.id,
      fields: { portal_session_lifetime_secs: null },
    })
    expect(restored.body.data.portal_session_lifetime_secs).toBe(28_800)
    expect((await send(kind, 'PATCH', { on: own, id: provider.id, fields: {} })).body).toEqual(restored.body)
    expect((await send(kind, 'DELETE', { on: own, id: provider.id })).body).toEqual(restored.body)
    expect((await send(kind, 'GET', { on: own, id: provider.id })).status).toBe(404)
    expect((await create(kind, {}, own)).status).toBe(201)
  })

  it('never show a secret, not even on record', async () => {
    discovered()
    const own = await newAccount()
    const created = await create(kind, {}, own)
    const listed = await send(kind, 'GET', { on: own })
    expect(created.text + listed.text).not.toMatch(/secret/)
    const [change] = (await commitsOf(own.id)).at(-1)?.changes ?? []
    expect(change?.object).toBe(`${kind}_auth_providers`)
    expect(change?.after?.client_secret).toBe(['oidc', 'idp'].includes(kind) ? '[redacted]' : undefined)
    const { id } = created.body.data
    const row = await getRow({ name: `${kind}_auth_providers` } as typeof clientTokens, own.id, id)
    expect(JSON.stringify(row)).not.toContain(secret)
  })

  it.each<[Fields, Record<string, string[]>]>([
    [{ name: 'x'.repeat(256) }, { name: ['should be at most 255 character(s)'] }],
    [{ name: 7 }, { name: ['is invalid'] }],
    [{ context: 'everywhere' }, { context: ['is invalid'] }],
    [
      { client_session_lifetime_secs: 3_599 },
      { client_session_lifetime_secs: ['must be greater than or equal to 3600'] },
    ],
    [
      { client_session_lifetime_secs: 7_776_001 },
      { client_session_lifetime_secs: ['must be less than or equal to 7776000'] },
    ],
    [{ portal_session_lifetime_secs: '1.5' }, { portal_session_lifetime_secs: ['is invalid'] }],
    [{ is_disabled: 'maybe' }, { is_disabled: ['is invalid'] }],
  ])('refuse %j', async (fields, errors) => {
    discovered()
    const answer = await create(kind, fields, await newAccount())
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
  })
})

describe('the name', () => {
  it.each([
    ['email_otp', 'Email passcode'],
    ['oidc', 'OpenID Connect'],
    ['suite', 'Suite'],
    ['tenant', 'Tenant'],
    ['idp', 'Idp'],
  ] as const)('of a provider of kind %s is %s unless told otherwise', async (kind, name) => {
    discovered()
    const own = await newAccount()
    expect((await create(kind, { name: null }, own)).body.data.name).toBe(name)
    if (kind === 'email_otp' || kind === 'suite') return
    expect((await create(kind, { name: '' }, own)).body.errors).toEqual({ name: ['has already been taken'] })
  })

  it('is unique within its kind, and cannot be cleared', async () => {
    const tenant = (await create('tenant', { name: 'Same' })).body.data
    expect((await create('tenant', { name: 'Same' })).body.errors).toEqual({ name: ['has already been taken'] })
    expect((await create('idp', { name: 'Same' })).status).toBe(201)
    expect((await send('tenant', 'PATCH', { id: tenant.id, fields: { name: '' } })).body.errors).toEqual({
      name: ["can't be blank"],
    })
  })
})

describe('the fields of a kind', () => {
  it.each<[ProviderKind, Fields, Record<string, string[]>]>([
    [
      'oidc',
      { client_id: '', client_secret: undefined, discovery_document_uri: undefined },
      {
        client_id: ["can't be blank"],
        client_secret: ["can't be blank"],
        discovery_document_uri: ["can't be blank"],
      },
    ],
    ['oidc', { discovery_document_uri: 'http://login.example.com' }, { discovery_document_uri: ['is invalid'] }],
    ['oidc', { discovery_document_uri: 'nonsense' }, { discovery_document_uri: ['is invalid'] }],
    ['oidc', { email_verification_method: 'mail' }, { email_verification_method: ['is invalid'] }],
    ['tenant', { issuer: undefined }, { issuer: ["can't be blank"] }],
    ['tenant', { issuer: 'http://x.example.com' }, { issuer: ['is invalid'] }],
    ['tenant', { email_claim: 'mail' }, { email_claim: ['is invalid'] }],
    ['idp', { idp_domain: 'no host' }, { idp_domain: ['is invalid'] }],
    ['idp', { idp_domain: 'https://x.example.com' }, { idp_domain: ['is invalid'] }],
    ['idp', { client_secret: '' }, { client_secret: ["can't be blank"] }],
  ])('of %s: %j is refused', async (kind, fields, errors) => {
    const read = discovered()
    const answer = await create(kind, fields)
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
    expect(read).not.toHaveBeenCalled()
  })

  it.each(['oidc', 'idp'] as const)('of %s: the client id is unique', async (kind) => {
    discovered()
    await create(kind, { client_id: 'taken' })
    expect((await create(kind, { client_id: 'taken' })).body.errors).toEqual({ client_id: ['has already been taken'] })
  })

  it('of tenant: the issuer is unique', async () => {
    await create('tenant', { issuer: 'https://same.example.com' })
    expect((await create('tenant', { issuer: 'https://same.example.com' })).body.errors).toEqual({
      issuer: ['has already been taken'],
    })
  })

  it.each(['email_otp', 'suite'] as const)('of %s: there is one in an account', async (kind) => {
    const own = await newAccount()
    await create(kind, {}, own)
    expect((await create(kind, { name: 'Second' }, own)).body.errors).toEqual({
      base: ['a provider of this kind already exists'],
    })
  })

  it('keep a secret that is not sent', async () => {
    const { id } = (await create('idp')).body.data
    const before = (await commitsOf(account.id)).length
    await send('idp', 'PATCH', { id, fields: { client_secret: secret } })
    expect((await commitsOf(account.id)).length).toBe(before)
    await send('idp', 'PATCH', { id, fields: { client_secret: 'another' } })
    expect((await commitsOf(account.id)).length).toBe(before + 1)
  })
})

describe('the issuer', () => {
  it('is this service, the suite, the domain, or what was sent', async () => {
    const own = await newAccount()
    const issuer = async (kind: ProviderKind, fields: Fields = {}) =>
      (await create(kind, { issuer: 'https://evil.example.com', ...fields }, own)).body.data.issuer
    expect(await issuer('email_otp')).toBe('http://127.0.0.1')
    expect(await issuer('suite')).toBe('https://suite.example.com')
    expect(await issuer('idp')).toBe('https://company.idp.example')
    expect(await issuer('tenant', { issuer: 'https://tenant.example.com' })).toBe('https://tenant.example.com')
  })

  it('of OpenID Connect is read from the document, again when its address changes', async () => {
    const read = discovered('https://login.example.com')
    const provider = (await create('oidc')).body.data
    expect([provider.issuer, read.mock.calls.length]).toEqual(['https://login.example.com', 1])
    await send('oidc', 'PATCH', { id: provider.id, fields: { name: `Renamed ${count++}` } })
    expect(read).toHaveBeenCalledTimes(1)
    read.mockResolvedValue({ issuer: 'https://other.example.com' })
    const other = 'https://other.example.com/.well-known/openid-configuration'
    const moved = await send('oidc', 'PATCH', { id: provider.id, fields: { discovery_document_uri: other } })
    expect(moved.body.data).toMatchObject({ issuer: 'https://other.example.com', discovery_document_uri: other })
  })

  it.each(['could not be read', 'is invalid'] as const)(
    'of a document that %s is an error of its field',
    async (failure) => {
      vi.spyOn(discovery, 'read').mockResolvedValue({ failure })
      const answer = await create('oidc')
      expect([answer.status, answer.body.errors]).toEqual([422, { discovery_document_uri: [failure] }])
    },
  )
})

describe('the default provider', () => {
  it('is at most one, of whatever kind', async () => {
    discovered()
    const own = await newAccount()
    const isDefault = async (kind: ProviderKind, id: string) =>
      (await send(kind, 'GET', { on: own, id })).body.data.is_default
    const oidc = (await create('oidc', { is_default: true }, own)).body.data
    const tenant = (await create('tenant', {}, own)).body.data
    expect([await isDefault('oidc', oidc.id), await isDefault('tenant', tenant.id)]).toEqual([true, false])
    await send('tenant', 'PATCH', { on: own, id: tenant.id, fields: { is_default: true } })
    expect([await isDefault('oidc', oidc.id), await isDefault('tenant', tenant.id)]).toEqual([false, true])
    const changes = (await commitsOf(own.id)).at(-1)?.changes.map(({ object }) => object)
    expect(changes?.sort()).toEqual(['oidc_auth_providers', 'tenant_auth_providers'])
    await send('tenant', 'DELETE', { on: own, id: tenant.id })
    await send('oidc', 'PATCH', { on: own, id: oidc.id, fields: { is_default: true } })
    expect(await isDefault('oidc', oidc.id)).toBe(true)
    await send('oidc', 'PATCH', { on: own, id: oidc.id, fields: { is_default: false } })
    expect(await isDefault('oidc', oidc.id)).toBe(false)
  })
})

describe('disabling and deleting', () => {
  it.each(['PATCH', 'DELETE'])('%s ends the client tokens made through the provider, and no other', async (method) => {
    const { id } = (await create('tenant')).body.data
    const actor = await insertActor(account.id)
    const mint = (auth_provider_id: string | null) =>
      commit({ accountId: account.id, subject: null }, (transaction) =>
        mintClientToken(transaction, actor.id, { expires_at: '2099-01-01T00:00:00Z', auth_provider_id }),
      )
    const [made, other] = [await mint(id), await mint(null)]
    const answer = await send('tenant', method, {
      id,
      ...(method === 'PATCH' ? { fields: { is_disabled: true } } : {}),
    })
    expect(answer.status).toBe(200)
    expect(await getRow(clientTokens, account.id, made.id)).toBeNull()
    expect(await getRow(clientTokens, account.id, other.id)).not.toBeNull()
  })
})

it('lists the newest first', async () => {
  const own = await newAccount()
  for (const name of ['a', 'b', 'c']) await create('tenant', { name }, own)
  const first = await send('tenant', 'GET', { on: own, query: { limit: '2' } })
  expect(first.body.data.map(({ name }: { name: string }) => name)).toEqual(['c', 'b'])
  const query = { limit: '2', page_cursor: first.body.metadata.next_page }
  expect((await send('tenant', 'GET', { on: own, query })).body.data[0].name).toBe('a')
})
