import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type ProviderKind, providerKinds } from '#shared/domain/auth-providers/auth-provider.ts'
import { discovery } from '#shared/domain/auth-providers/discovery-document.ts'
import { clientTokens } from '#shared/domain/client-tokens/client-token.ts'
import { getRow } from '#shared/table/read.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { withScopes } from '#test/support/accounts/api-tokens.ts'
import { mintTokens, providerSecret, providers, stubDiscovery } from '#test/support/accounts/auth-providers.ts'
import { mustBe } from '#test/support/form-messages.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'

let account: Account
beforeAll(async () => {
  account = await newAccount({ limits: { api_capacity: 100_000, api_refill_rate: 100_000 } })
})
afterEach(() => {
  vi.restoreAllMocks()
})

describe.each(providerKinds)('PATCH /%s_auth_providers/{id} (A25)', (kind) => {
  it('changes the sent fields; null for a lifetime restores its default', async () => {
    stubDiscovery()
    const ownAccount = await newAccount()
    const api = providers[kind]
    const provider = (await api.create(ownAccount)).body.data
    const change = { name: 'Renamed', context: 'portal_only', portal_session_lifetime_secs: '300', is_disabled: true }
    const changed = await api.update(ownAccount, provider.id, change)
    expect(changed.body.data).toEqual({
      ...provider,
      ...change,
      portal_session_lifetime_secs: 300,
      updated_at: changed.body.data.updated_at,
    })
    const restored = await api.update(ownAccount, provider.id, { portal_session_lifetime_secs: null })
    expect(restored.body.data.portal_session_lifetime_secs).toBe(28_800)
    expect((await api.update(ownAccount, provider.id, {})).body).toEqual(restored.body)
  })

  it.each([
    ['null', null, null],
    ['numbers', 604_800, 28_800],
    ['digits', '604800', '28800'],
  ])('writes nothing for default lifetimes sent as %s', async (_form, ofClients, ofPortal) => {
    stubDiscovery()
    const ownAccount = await newAccount()
    const lifetimes = { client_session_lifetime_secs: ofClients, portal_session_lifetime_secs: ofPortal }
    const provider = (await providers[kind].create(ownAccount, lifetimes)).body.data
    expect(provider).toMatchObject({ client_session_lifetime_secs: 604_800, portal_session_lifetime_secs: 28_800 })
    const { length } = await readCommits(ownAccount.id)
    const answer = await providers[kind].update(ownAccount, provider.id, lifetimes)
    expect([answer.status, answer.body.data]).toEqual([200, provider])
    expect(await readCommits(ownAccount.id)).toHaveLength(length)
  })

  it('refuses invalid fields, and keeps the provider', async () => {
    stubDiscovery()
    const ownAccount = await newAccount()
    const provider = (await providers[kind].create(ownAccount)).body.data
    const bad = { name: '', context: 'everywhere', client_session_lifetime_secs: 3_599, is_disabled: null }
    const answer = await providers[kind].update(ownAccount, provider.id, bad)
    expect([answer.status, answer.body.errors]).toEqual([
      422,
      {
        name: ["can't be blank"],
        context: [mustBe.oneOf('clients_and_portal', 'clients_only', 'portal_only')],
        client_session_lifetime_secs: ['must be greater than or equal to 3600'],
        is_disabled: ["can't be blank"],
      },
    ])
    expect((await providers[kind].get(ownAccount, provider.id)).body.data).toEqual(provider)
  })
})

describe('the secret of a provider (A25.2)', () => {
  it('is kept when it is absent or equal', async () => {
    const { id } = (await providers.idp.create(account)).body.data
    const before = (await readCommits(account.id)).length
    await providers.idp.update(account, id, { client_secret: providerSecret })
    expect((await readCommits(account.id)).length).toBe(before)
    await providers.idp.update(account, id, { client_secret: 'another' })
    expect((await readCommits(account.id)).length).toBe(before + 1)
  })
})

describe('the issuer of a provider (A25.2)', () => {
  it("of OpenID Connect is read again when the discovery document's URL changes", async () => {
    const read = stubDiscovery('https://login.example.com')
    const provider = (await providers.oidc.create(account)).body.data
    await providers.oidc.update(account, provider.id, { name: randomUUID() })
    expect(read).toHaveBeenCalledTimes(1)
    read.mockResolvedValue({ issuer: 'https://other.example.com' })
    const other = 'https://other.example.com/.well-known/openid-configuration'
    const kept = await providers.oidc.update(account, provider.id, { discovery_document_uri: other })
    // Expects that the secret must be entered again, because it is never sent to a different issuer (I1.3).
    expect([kept.status, kept.body.errors]).toEqual([422, { client_secret: ["can't be blank"] }])
    const client_secret = 'of-the-other-provider'
    const { fromProvider: made } = await mintTokens(account, provider.id)
    const moved = await providers.oidc.update(account, provider.id, { discovery_document_uri: other, client_secret })
    expect(moved.body.data).toMatchObject({ issuer: 'https://other.example.com', discovery_document_uri: other })
    // Expects that the token is deleted, because the person signed in with the former issuer (A25.2(5)).
    expect(await getRow(clientTokens, account.id, made.id)).toBeNull()
  })

  it('stays unchanged if the document cannot be read', async () => {
    stubDiscovery()
    const provider = (await providers.oidc.create(account)).body.data
    vi.spyOn(discovery, 'read').mockResolvedValue({ failure: 'could not be read' })
    const discovery_document_uri = 'https://gone.example.com/.well-known/openid-configuration'
    const answer = await providers.oidc.update(account, provider.id, { discovery_document_uri })
    expect([answer.status, answer.body.errors]).toEqual([422, { discovery_document_uri: ['could not be read'] }])
    expect((await providers.oidc.get(account, provider.id)).body.data).toEqual(provider)
  })

  it('of a tenant is unique, and that of an identity provider follows its domain', async () => {
    const [one, other] = [
      (await providers.tenant.create(account)).body.data,
      (await providers.tenant.create(account)).body.data,
    ]
    expect((await providers.tenant.update(account, one.id, { issuer: other.issuer })).body.errors).toEqual({
      issuer: ['has already been taken'],
    })
    const idp = (await providers.idp.create(account)).body.data
    const moved = await providers.idp.update(account, idp.id, {
      idp_domain: 'Other.Idp.example',
      client_secret: 'of-the-other',
    })
    expect(moved.body.data.issuer).toBe('https://other.idp.example')
  })
})

describe('the default provider (A25.1)', () => {
  it('is at most one of all kinds', async () => {
    stubDiscovery()
    const ownAccount = await newAccount()
    const isDefault = async (kind: ProviderKind, id: string) =>
      (await providers[kind].get(ownAccount, id)).body.data.is_default
    const oidc = (await providers.oidc.create(ownAccount, { is_default: true })).body.data
    const tenant = (await providers.tenant.create(ownAccount)).body.data
    expect([await isDefault('oidc', oidc.id), await isDefault('tenant', tenant.id)]).toEqual([true, false])
    await providers.tenant.update(ownAccount, tenant.id, { is_default: true })
    expect([await isDefault('oidc', oidc.id), await isDefault('tenant', tenant.id)]).toEqual([false, true])
    const changes = (await readCommits(ownAccount.id)).at(-1)?.changes.map(({ object }) => object)
    expect(changes?.sort()).toEqual(['oidc_auth_providers', 'tenant_auth_providers'])
    await providers.tenant.remove(ownAccount, tenant.id)
    await providers.oidc.update(ownAccount, oidc.id, { is_default: true })
    expect(await isDefault('oidc', oidc.id)).toBe(true)
    await providers.oidc.update(ownAccount, oidc.id, { is_default: false })
    expect(await isDefault('oidc', oidc.id)).toBe(false)
  })
})

describe('a disabled provider (A25.2, A30)', () => {
  it('deletes the client tokens created through it, and no others', async () => {
    const { id } = (await providers.tenant.create(account)).body.data
    const { fromProvider: made, fromAdministrator: other } = await mintTokens(account, id)
    expect((await providers.tenant.update(account, id, { is_disabled: true })).status).toBe(200)
    expect(await getRow(clientTokens, account.id, made.id)).toBeNull()
    expect(await getRow(clientTokens, account.id, other.id)).not.toBeNull()
  })
})

describe('PATCH /{kind}_auth_providers/{id} by a token without the scope * (A25.2(6))', () => {
  const other = 'https://other.example.com/.well-known/openid-configuration'
  const guarded: [ProviderKind, Record<string, unknown>][] = [
    ...providerKinds.flatMap((kind): [ProviderKind, Record<string, unknown>][] => [
      [kind, { context: 'portal_only' }],
      [kind, { portal_session_lifetime_secs: 86_400 }],
    ]),
    ['oidc', { discovery_document_uri: other, client_secret: 'new' }],
    ['oidc', { email_verification_method: 'none' }],
    ['oidc', { client_id: 'another' }],
    ['oidc', { client_secret: 'another' }],
    ['idp', { client_secret: 'another' }],
    ['idp', { idp_domain: 'other.idp.example' }],
    ['suite', { hosted_domain: 'example.com' }],
    ['tenant', { email_claim: 'email' }],
    ['tenant', { issuer: 'https://tenants.example.com/another/v2.0' }],
  ]
  it.each(guarded)('does not change a %s provider for the portal: %j', async (kind, change) => {
    const read = stubDiscovery()
    const ownAccount = await newAccount()
    const provider = (await providers[kind].create(ownAccount)).body.data
    read.mockClear()
    const { length } = await readCommits(ownAccount.id)
    const answer = await providers[kind].update(await withScopes(ownAccount, 'providers:write'), provider.id, {
      name: '',
      ...change,
    })
    expect([answer.status, answer.body.code]).toEqual([403, 'scope_exceeded'])
    expect(answer.body.detail).toContain('requires a token with the scope *')
    expect(
      (await readCommits(ownAccount.id)).slice(length).flatMap(({ changes }) => changes.map(({ object }) => object)),
    ).toEqual(['api_tokens'])
    expect(read).not.toHaveBeenCalled()
  })

  it.each(providerKinds)('accepts harmless changes and equal values of a %s provider', async (kind) => {
    stubDiscovery()
    const ownAccount = await newAccount()
    const secret = kind === 'oidc' || kind === 'idp' ? { client_secret: providerSecret } : {}
    const { id, name: _name, ...provider } = (await providers[kind].create(ownAccount)).body.data
    const narrow = await withScopes(ownAccount, 'providers:write')
    const change = { client_session_lifetime_secs: 7_776_000, portal_session_lifetime_secs: 300, name: 'Renamed' }
    const answer = await providers[kind].update(narrow, id, { ...provider, ...secret, ...change })
    expect(answer.body.data).toMatchObject(change)
    expect((await providers[kind].update(narrow, id, { is_disabled: true })).body.data.is_disabled).toBe(true)
    expect((await providers[kind].update(narrow, id, { is_disabled: false })).body.code).toBe('scope_exceeded')
  })

  it('changes a provider for clients only, but does not open the portal with it', async () => {
    const narrow = await withScopes(account, 'providers:write')
    stubDiscovery()
    const { id } = (await providers.oidc.create(narrow, { context: 'clients_only' })).body.data
    const change = { email_verification_method: 'none', client_secret: 'another', is_disabled: true }
    expect((await providers.oidc.update(narrow, id, change)).status).toBe(200)
    expect((await providers.oidc.update(narrow, id, { is_disabled: false })).status).toBe(200)
    for (const context of ['clients_and_portal', 'portal_only']) {
      expect((await providers.oidc.update(narrow, id, { context })).body.code).toBe('scope_exceeded')
    }
  })
})
