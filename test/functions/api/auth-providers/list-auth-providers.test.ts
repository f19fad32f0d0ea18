import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { providerKinds } from '#shared/domain/auth-providers/auth-provider.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { providerSecret, providers, stubDiscovery } from '#test/support/accounts/auth-providers.ts'

let account: Account
beforeAll(async () => {
  account = await newAccount({ limits: { api_capacity: 100_000, api_refill_rate: 100_000 } })
})
afterEach(() => {
  vi.restoreAllMocks()
})

describe.each(providerKinds)('GET /%s_auth_providers (A25)', (kind) => {
  it('lists the providers of its kind by name, never a secret', async () => {
    stubDiscovery()
    const ownAccount = await newAccount()
    for (const other of providerKinds) await providers[other].create(ownAccount)
    const answer = await providers[kind].list(ownAccount)
    const [provider] = answer.body.data
    expect(answer.body.metadata).toMatchObject({ total: 1, count: 1, next_page: null, prev_page: null })
    expect(provider).toEqual((await providers[kind].get(ownAccount, provider.id)).body.data)
    expect((await providers[kind].list(ownAccount, { name: provider.name })).body.data).toEqual([provider])
    expect((await providers[kind].list(ownAccount, { name: provider.name.toUpperCase() })).body.data).toEqual([])
    expect((await providers[kind].list(ownAccount, { name: '' })).body.data).toEqual([])
    expect(answer.text).not.toContain(providerSecret)
  })
})

it('lists the newest first', async () => {
  const ownAccount = await newAccount()
  for (const name of ['a', 'b', 'c']) await providers.tenant.create(ownAccount, { name })
  const first = await providers.tenant.list(ownAccount, { limit: '2' })
  expect(first.body.data.map(({ name }: { name: string }) => name)).toEqual(['c', 'b'])
  const query = { limit: '2', page_cursor: first.body.metadata.next_page }
  expect((await providers.tenant.list(ownAccount, query)).body.data[0].name).toBe('a')
})

it('filters by state, newest first (K11.G13)', async () => {
  const ownAccount = await newAccount()
  for (const name of ['a', 'b', 'c', 'd'])
    await providers.tenant.create(ownAccount, { name, is_disabled: name === 'a' || name === 'c' })
  const page = async (query: Record<string, string>) => {
    const { data, metadata } = (await providers.tenant.list(ownAccount, query)).body
    return { names: data.map(({ name }: { name: string }) => name), metadata }
  }
  const first = await page({ is_disabled: 'true', limit: '1' })
  const next = { is_disabled: 'true', limit: '1', page_cursor: first.metadata.next_page }
  expect([first.names, (await page(next)).names]).toEqual([['c'], ['a']])
  expect((await page({ is_disabled: 'false' })).names).toEqual(['d', 'b'])
  expect((await page({ is_disabled: 'true', name: 'b' })).names).toEqual([])
})

it.each(['name=a&name=b', 'name[]=a'])('refuses ?%s', async (query) => {
  for (const kind of providerKinds) {
    const { status, body } = await providers[kind].list(account, query)
    expect([status, body.code, body.detail]).toEqual([400, 'invalid_filter', 'Invalid value for filter name.'])
  }
})
