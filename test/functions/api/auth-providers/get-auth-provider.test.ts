import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type ProviderKind, providerKinds } from '#shared/domain/auth-providers/auth-provider.ts'
import { type Account, newAccount } from '#test/support/account.ts'
import { discovered, providerSecret, providers } from '#test/support/auth-providers.ts'

const common = [
  ...['id', 'account_id', 'name', 'issuer', 'is_disabled', 'inserted_at', 'updated_at', 'context'],
  ...['client_session_lifetime_secs', 'portal_session_lifetime_secs'],
]
/** What a kind has besides (A25.1). */
const own: Record<ProviderKind, string[]> = {
  email_otp: [],
  oidc: ['is_default', 'client_id', 'discovery_document_uri', 'email_verification_method'],
  suite: ['is_default'],
  tenant: ['is_default', 'email_claim'],
  idp: ['is_default', 'client_id', 'idp_domain'],
}

let account: Account
beforeAll(async () => {
  account = await newAccount({ limits: { api_capacity: 100_000, api_refill_rate: 100_000 } })
})
afterEach(() => {
  vi.restoreAllMocks()
})

describe.each(providerKinds)('GET /%s_auth_providers/{id} (A25.1)', (kind) => {
  it('shows exactly the fields of its kind, never the secret', async () => {
    discovered()
    const created = (await providers[kind].create(account)).body.data
    const answer = await providers[kind].get(account, created.id.toUpperCase())
    expect([answer.status, answer.body.data]).toEqual([200, created])
    expect(Object.keys(answer.body.data).sort()).toEqual([...common, ...own[kind]].sort())
    expect(answer.text).not.toContain(providerSecret)
  })

  it('does not know a provider of another kind', async () => {
    discovered()
    const account = await newAccount()
    const { id } = (await providers[kind].create(account)).body.data
    for (const other of providerKinds.filter((other) => other !== kind)) {
      expect((await providers[other].get(account, id)).status).toBe(404)
    }
  })
})
