import { beforeAll, describe, expect, it } from 'vitest'
import { postureProviders } from '#shared/domain/posture-providers/posture-provider.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { postureProvidersApi } from '#test/support/accounts/collections.ts'
import { updateRow } from '#test/support/accounts/rows.ts'
import { mdmFields, storedProvider, tenantFields } from '#test/support/sync/posture-providers.ts'

const { create, get } = postureProvidersApi

let account: Account
beforeAll(async () => {
  account = await newAccount()
})

describe('GET /mdm_posture_providers/{id} (A28.1)', () => {
  it('shows a provider and the results of its runs, never its secret', async () => {
    const provider = (await create(account, mdmFields({ api_token: 'inventory-token-4711' }))).body.data
    await updateRow(account.id, postureProviders, await storedProvider(account, provider.id), {
      error: 'no answer',
      error_count: 3,
      synced_at: '2026-01-01T00:00:00.000000Z',
    })
    const answer = await get(account, provider.id.toUpperCase())
    expect(answer.body.data).toEqual({
      ...provider,
      error: 'no answer',
      error_count: 3,
      synced_at: '2026-01-01T00:00:00.000000Z',
      updated_at: expect.any(String),
    })
    expect(answer.text).not.toContain('4711')
  })

  it('shows null for the fields of the other type', async () => {
    const { id } = (await create(account, tenantFields())).body.data
    expect((await get(account, id)).body.data).toMatchObject({ type: 'tenant', subdomain: null, region: null })
  })
})
