import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { handler as createEmailOtpOfAnyKind } from '#functions/api/auth-providers/create-auth-provider.ts'
import { handler as createGroup } from '#functions/api/groups/create-group.ts'
import { decryptSecret } from '#shared/core/secrets/stored-secret.ts'
import { authProviders, type ProviderKind, providerKinds } from '#shared/domain/auth-providers/auth-provider.ts'
import { discovery } from '#shared/domain/auth-providers/discovery-document.ts'
import { getRow } from '#shared/table/read.ts'
import { type Account, newAccount, withRoute } from '#test/support/accounts/account.ts'
import { withScopes } from '#test/support/accounts/api-tokens.ts'
import { providerSecret, providers, stubDiscovery } from '#test/support/accounts/auth-providers.ts'
import { mustBe } from '#test/support/form-messages.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'
import { withTitles } from '#test/support/run/titles.ts'

const createEmailOtp = withRoute(createEmailOtpOfAnyKind, 'POST /email_otp_auth_providers')

type Fields = Record<string, unknown>

let account: Account
beforeAll(async () => {
  account = await newAccount({ limits: { api_capacity: 100_000, api_refill_rate: 100_000 } })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

describe.each(providerKinds)('POST /%s_auth_providers (A25)', (kind) => {
  it('creates a provider with its defaults, enabled', async () => {
    stubDiscovery()
    const ownAccount = await newAccount()
    const created = await providers[kind].create(ownAccount)
    expect(created.body.errors).toBeUndefined()
    const provider = created.body.data
    expect([created.status, created.headers.location]).toEqual([201, `/${kind}_auth_providers/${provider.id}`])
    expect(provider).toMatchObject({
      account_id: ownAccount.id,
      is_disabled: false,
      context: 'clients_and_portal',
      client_session_lifetime_secs: 604_800,
      portal_session_lifetime_secs: 28_800,
    })
    expect((await providers[kind].get(ownAccount, provider.id)).body).toEqual({ data: provider })
  })

  it('never returns or logs a secret', async () => {
    stubDiscovery()
    const ownAccount = await newAccount()
    const created = await providers[kind].create(ownAccount)
    const listed = await providers[kind].list(ownAccount)
    expect(created.text + listed.text).not.toMatch(/secret/)
    const [change] = (await readCommits(ownAccount.id)).at(-1)?.changes ?? []
    expect(change?.object).toBe(`${kind}_auth_providers`)
    expect(change?.after?.client_secret).toBe(['oidc', 'idp'].includes(kind) ? '[redacted]' : undefined)
    const { id } = created.body.data
    const row = await getRow(authProviders[kind], ownAccount.id, id)
    expect(JSON.stringify(row)).not.toContain(providerSecret)
  })

  it.each(
    withTitles<[Fields, Record<string, string[]>]>([
      [{ name: 'x'.repeat(256) }, { name: ['should be at most 255 character(s)'] }],
      [{ name: 7 }, { name: ['is invalid'] }],
      [{ context: 'everywhere' }, { context: [mustBe.oneOf('clients_and_portal', 'clients_only', 'portal_only')] }],
      [
        { client_session_lifetime_secs: 3_599 },
        { client_session_lifetime_secs: ['must be greater than or equal to 3600'] },
      ],
      [
        { client_session_lifetime_secs: 7_776_001 },
        { client_session_lifetime_secs: ['must be less than or equal to 7776000'] },
      ],
      [{ portal_session_lifetime_secs: '1.5' }, { portal_session_lifetime_secs: [mustBe.integer] }],
      [{ is_disabled: 'maybe' }, { is_disabled: [mustBe.boolean] }],
    ]),
  )('refuses %s', async (_name, fields, errors) => {
    stubDiscovery()
    const answer = await providers[kind].create(await newAccount(), fields)
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
  })
})

describe('the name of a new provider (A25.1)', () => {
  it.each([
    ['email_otp', 'Email passcode'],
    ['oidc', 'OpenID Connect'],
    ['suite', 'Suite'],
    ['tenant', 'Tenant'],
    ['idp', 'Idp'],
  ] as const)('is %s for kind %s by default', async (kind, name) => {
    stubDiscovery()
    const ownAccount = await newAccount()
    expect((await providers[kind].create(ownAccount, { name: null })).body.data.name).toBe(name)
  })

  it.each(['oidc', 'tenant', 'idp'] as const)('is required for a second provider of kind %s', async (kind) => {
    stubDiscovery()
    const ownAccount = await newAccount()
    await providers[kind].create(ownAccount, { name: null })
    expect((await providers[kind].create(ownAccount, { name: '' })).body.errors).toEqual({
      name: ['has already been taken'],
    })
  })

  it('is unique within its kind', async () => {
    expect((await providers.tenant.create(account, { name: 'Same' })).status).toBe(201)
    expect((await providers.tenant.create(account, { name: 'Same' })).body.errors).toEqual({
      name: ['has already been taken'],
    })
    expect((await providers.idp.create(account, { name: 'Same' })).status).toBe(201)
  })
})

describe('the fields of a kind (A25.1)', () => {
  it.each<[ProviderKind, Fields, Record<string, string[]>]>([
    [
      'oidc',
      { client_id: '', client_secret: undefined, discovery_document_uri: undefined },
      { client_id: ["can't be blank"], client_secret: ["can't be blank"], discovery_document_uri: ["can't be blank"] },
    ],
    ['oidc', { discovery_document_uri: 'http://login.example.com' }, { discovery_document_uri: [mustBe.httpsUrl] }],
    ['oidc', { discovery_document_uri: 'nonsense' }, { discovery_document_uri: [mustBe.httpsUrl] }],
    [
      'oidc',
      { email_verification_method: 'mail' },
      { email_verification_method: [mustBe.oneOf('none', 'claim', 'proof')] },
    ],
    ['tenant', { issuer: undefined }, { issuer: ["can't be blank"] }],
    ['tenant', { issuer: 'http://x.example.com' }, { issuer: [mustBe.httpsUrl] }],
    [
      'tenant',
      { issuer: 'https://elsewhere.example.com/1/v2.0' },
      { issuer: ['must have the form https://tenants.example.com/{tenant_id}/v2.0'] },
    ],
    [
      'tenant',
      { issuer: 'https://tenants.example.com/1/v1.0' },
      { issuer: ['must have the form https://tenants.example.com/{tenant_id}/v2.0'] },
    ],
    [
      'tenant',
      { issuer: 'https://tenants.example.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0' },
      { issuer: ['must have the form https://tenants.example.com/{tenant_id}/v2.0'] },
    ],
    ['tenant', { email_claim: 'mail' }, { email_claim: [mustBe.oneOf('email', 'upn', 'preferred_username')] }],
    ['idp', { idp_domain: 'no host' }, { idp_domain: [mustBe.hostName] }],
    ['idp', { idp_domain: 'https://x.example.com' }, { idp_domain: [mustBe.hostName] }],
    ['idp', { client_secret: '' }, { client_secret: ["can't be blank"] }],
  ])('of %s: refuses %j', async (kind, fields, errors) => {
    const read = stubDiscovery()
    const answer = await providers[kind].create(account, fields)
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
    expect(read).not.toHaveBeenCalled()
  })

  it.each(['oidc', 'idp'] as const)(
    'of %s: keeps leading and trailing spaces of a secret, and refuses a secret of only spaces',
    async (kind) => {
      stubDiscovery()
      const client_secret = ' two blanks  '
      const { id } = (await providers[kind].create(account, { client_secret })).body.data
      const row = await getRow(authProviders[kind], account.id, id)
      expect(await decryptSecret({ accountId: account.id, objectId: id }, row?.client_secret ?? '')).toBe(client_secret)
      const blank = await providers[kind].create(account, { client_secret: '  ' })
      expect([blank.status, blank.body.errors]).toEqual([422, { client_secret: ["can't be blank"] }])
    },
  )

  it.each(['oidc', 'idp'] as const)('of %s: requires a unique client id', async (kind) => {
    stubDiscovery()
    await providers[kind].create(account, { client_id: 'taken' })
    expect((await providers[kind].create(account, { client_id: 'taken' })).body.errors).toEqual({
      client_id: ['has already been taken'],
    })
  })

  it('of tenant: requires a unique issuer', async () => {
    await providers.tenant.create(account, { issuer: 'https://tenants.example.com/same/v2.0' })
    expect(
      (await providers.tenant.create(account, { issuer: 'https://tenants.example.com/same/v2.0' })).body.errors,
    ).toEqual({ issuer: ['has already been taken'] })
  })

  it.each(['suite', 'tenant'] as const)('of %s: refuses creation if the deployment has no app', async (kind) => {
    vi.stubEnv(`${kind.toUpperCase()}_CLIENT_SECRET`, '')
    const answer = await providers[kind].create(await newAccount())
    expect([answer.status, answer.body.errors]).toEqual([422, { base: ['this provider kind is not configured'] }])
  })

  it.each(['email_otp', 'suite'] as const)('of %s: allows one provider in an account', async (kind) => {
    const ownAccount = await newAccount()
    await providers[kind].create(ownAccount)
    expect((await providers[kind].create(ownAccount, { name: 'Second' })).body.errors).toEqual({
      base: ['a provider of this kind already exists'],
    })
  })
})

describe('the issuer of a new provider (A25.2)', () => {
  it('is this service, the suite, the domain, or the sent value', async () => {
    const ownAccount = await newAccount()
    const issuer = async (kind: ProviderKind, fields: Fields = {}) =>
      (await providers[kind].create(ownAccount, { issuer: 'https://evil.example.com', ...fields })).body.data.issuer
    expect(await issuer('email_otp')).toBe('http://127.0.0.1')
    expect(await issuer('suite')).toBe('https://suite.example.com')
    expect(await issuer('idp')).toBe('https://company.idp.example')
    expect(await issuer('tenant', { issuer: 'https://tenants.example.com/1/v2.0' })).toBe(
      'https://tenants.example.com/1/v2.0',
    )
  })

  it('is the host of the API if the deployment has no other address', async () => {
    const ownAccount = await newAccount()
    vi.stubEnv('SERVICE_URL', '')
    const host = 'abc.execute-api.eu-central-1.amazonaws.com'
    const { status, body } = await ownAccount.call(createEmailOtp, {
      method: 'POST',
      host,
      body: { email_otp_auth_provider: {} },
    })
    expect([status, body.data.issuer]).toEqual([201, `https://${host}`])
  })

  it('of OpenID Connect is read from the document, once', async () => {
    const read = stubDiscovery('https://login.example.com')
    const provider = (await providers.oidc.create(account)).body.data
    expect([provider.issuer, read.mock.calls.length]).toEqual(['https://login.example.com', 1])
  })

  it('of OpenID Connect is read between two commits, so that other changes of the account need not wait', async () => {
    vi.spyOn(discovery, 'read').mockImplementation(async () => {
      expect(
        (await account.call(createGroup, { method: 'POST', body: { group: { name: randomUUID() } } })).status,
      ).toBe(201)
      return { issuer: 'https://login.example.com' }
    })
    expect((await providers.oidc.create(account)).status).toBe(201)
  })

  it.each(['could not be read', 'is invalid'] as const)(
    'is refused with an error of its field if the document %s',
    async (failure) => {
      vi.spyOn(discovery, 'read').mockResolvedValue({ failure })
      const answer = await providers.oidc.create(account)
      expect([answer.status, answer.body.errors]).toEqual([422, { discovery_document_uri: [failure] }])
    },
  )
})

describe.each(providerKinds)('POST /%s_auth_providers by a token without the scope * (A25.2(6))', (kind) => {
  it.each([{}, { context: 'clients_and_portal' }, { context: 'portal_only', is_disabled: true }])(
    'does not create a provider for the portal: %j',
    async (fields) => {
      const read = stubDiscovery()
      const ownAccount = await newAccount()
      const answer = await providers[kind].create(await withScopes(ownAccount, 'providers:write'), {
        ...fields,
        name: 7,
      })
      expect([answer.status, answer.body.code]).toEqual([403, 'scope_exceeded'])
      expect(answer.body.detail).toContain('requires a token with the scope *')
      expect((await providers[kind].list(ownAccount)).body.data).toEqual([])
      expect(read).not.toHaveBeenCalled()
    },
  )

  it('creates a provider for clients only, and reports an invalid context', async () => {
    stubDiscovery()
    const narrow = await withScopes(await newAccount(), 'providers:write')
    expect((await providers[kind].create(narrow, { context: 'portal' })).body.errors).toEqual({
      context: [mustBe.oneOf('clients_and_portal', 'clients_only', 'portal_only')],
    })
    const made = await providers[kind].create(narrow, { context: 'clients_only' })
    expect(made.body.data).toMatchObject({ context: 'clients_only' })
  })
})
