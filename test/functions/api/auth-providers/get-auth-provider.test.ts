import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type ProviderKind, providerKinds } from '#shared/domain/auth-providers/auth-provider.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { providerSecret, providers, stubDiscovery } from '#test/support/accounts/auth-providers.ts'
import { handlerOf } from '#test/support/operations/operations.ts'

const common = [
  ...['id', 'account_id', 'name', 'issuer', 'is_disabled', 'inserted_at', 'updated_at', 'context', 'domains'],
  ...['client_session_lifetime_secs', 'portal_session_lifetime_secs', 'last_error', 'last_error_at'],
]
/** Fields that each kind of provider has in addition to the common fields (A25.1). */
const kindFields: Record<ProviderKind, string[]> = {
  email_otp: [],
  oidc: ['is_default', 'client_id', 'discovery_document_uri', 'email_verification_method', 'callback_uri'],
  suite: ['is_default'],
  tenant: ['is_default', 'email_claim'],
  idp: ['is_default', 'client_id', 'idp_domain', 'callback_uri'],
}

let account: Account
beforeAll(async () => {
  account = await newAccount({ limits: { api_capacity: 100_000, api_refill_rate: 100_000 } })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

describe.each(providerKinds)('GET /%s_auth_providers/{id} (A25.1)', (kind) => {
  it('shows exactly the fields of its kind, never the secret', async () => {
    stubDiscovery()
    const created = (await providers[kind].create(account)).body.data
    const answer = await providers[kind].get(account, created.id.toUpperCase())
    expect([answer.status, answer.body.data]).toEqual([200, created])
    expect(Object.keys(answer.body.data).sort()).toEqual([...common, ...kindFields[kind]].sort())
    expect(answer.text).not.toContain(providerSecret)
  })

  it('returns 404 for a provider of another kind', async () => {
    stubDiscovery()
    const account = await newAccount()
    const { id } = (await providers[kind].create(account)).body.data
    for (const other of providerKinds.filter((other) => other !== kind)) {
      expect((await providers[other].get(account, id)).status).toBe(404)
    }
  })
})

describe('the callback address of a provider (I2.2)', () => {
  it.each(['oidc', 'idp'] as const)(
    'is unique to a provider of kind %s, for any address of the service',
    async (kind) => {
      stubDiscovery()
      const ownAccount = await newAccount()
      const created = (await providers[kind].create(ownAccount, { callback_uri: 'https://evil.example.com/' })).body
        .data
      expect(created.callback_uri).toBe(`http://127.0.0.1/sign_in/callback/${created.id}`)
      const renamed = (await providers[kind].update(ownAccount, created.id, { name: 'Renamed', callback_uri: 'x' }))
        .body.data
      expect(renamed).toMatchObject({ name: 'Renamed', callback_uri: created.callback_uri })
      const before = await providers[kind].get(ownAccount, created.id)
      vi.stubEnv('SERVICE_URL', 'https://access.example.com')
      const moved = await providers[kind].get(ownAccount, created.id)
      expect(moved.body.data.callback_uri).toBe(`https://access.example.com/sign_in/callback/${created.id}`)
      // Expects a different entity tag after the address changed, although `If-Match` still accepts the former tag (A8.2).
      expect(moved.headers.etag).not.toBe(before.headers.etag)
      const remove = await handlerOf(`DELETE /${kind}_auth_providers/{id}`)
      const headers = { 'if-match': before.headers.etag ?? '' }
      const removed = await ownAccount.call(remove, { method: 'DELETE', params: { id: created.id }, headers })
      expect([removed.status, removed.body.data?.callback_uri]).toEqual([200, moved.body.data.callback_uri])
    },
  )
})
