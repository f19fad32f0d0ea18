import { afterEach, describe, expect, it, vi } from 'vitest'
import { providerKinds } from '#shared/domain/auth-providers/auth-provider.ts'
import { clientTokens } from '#shared/domain/client-tokens/client-token.ts'
import { getRow } from '#shared/table/read.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { mintTokens, providers, stubDiscovery } from '#test/support/accounts/auth-providers.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

describe.each(providerKinds)('DELETE /%s_auth_providers/{id} (A25)', (kind) => {
  it('returns the deleted provider, then 404, and allows another one', async () => {
    stubDiscovery()
    const ownAccount = await newAccount()
    const api = providers[kind]
    const provider = (await api.create(ownAccount)).body.data
    expect((await api.remove(ownAccount, provider.id)).body).toEqual({ data: provider })
    expect((await api.get(ownAccount, provider.id)).status).toBe(404)
    expect((await api.remove(ownAccount, provider.id)).status).toBe(404)
    expect((await api.create(ownAccount, { name: provider.name })).status).toBe(201)
  })

  it('returns 404 for a provider of another kind', async () => {
    stubDiscovery()
    const ownAccount = await newAccount()
    const provider = (await providers[kind].create(ownAccount)).body.data
    for (const other of providerKinds.filter((other) => other !== kind)) {
      expect((await providers[other].remove(ownAccount, provider.id)).status).toBe(404)
    }
  })

  it('ends the client tokens created through the provider, and no others (A29)', async () => {
    stubDiscovery()
    const ownAccount = await newAccount()
    const { id } = (await providers[kind].create(ownAccount)).body.data
    const { fromProvider: made, fromAdministrator: other } = await mintTokens(ownAccount, id)
    expect((await providers[kind].remove(ownAccount, id)).status).toBe(200)
    expect(await getRow(clientTokens, ownAccount.id, made.id)).toBeNull()
    expect(await getRow(clientTokens, ownAccount.id, other.id)).not.toBeNull()
  })
})
