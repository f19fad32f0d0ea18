import { beforeAll, describe, expect, it } from 'vitest'
import { decryptSecret } from '#shared/core/secrets/stored-secret.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { postureProvidersApi } from '#test/support/accounts/collections.ts'
import { mustBe } from '#test/support/form-messages.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'
import { withTitles } from '#test/support/run/titles.ts'
import { mdmFields, storedProvider, tenantFields } from '#test/support/sync/posture-providers.ts'

type Fields = Record<string, unknown>

const { create, get, list } = postureProvidersApi

let account: Account
beforeAll(async () => {
  account = await newAccount()
})

describe('POST /mdm_posture_providers (A28.1)', () => {
  it('creates a provider of either type; the fields of the other are null', async () => {
    const answer = await create(account, mdmFields({ tenant_id: 'ignored' }))
    const provider = answer.body.data
    expect([answer.status, answer.headers.location]).toEqual([201, `/mdm_posture_providers/${provider.id}`])
    expect(provider).toEqual({
      id: provider.id,
      account_id: account.id,
      type: 'mdm',
      name: provider.name,
      tenant_id: null,
      client_id: null,
      subdomain: 'company',
      region: 'eu',
      is_verified: false,
      is_disabled: false,
      disabled_reason: null,
      synced_at: null,
      error: null,
      error_count: 0,
      error_emailed_at: null,
      inserted_at: provider.inserted_at,
      updated_at: provider.inserted_at,
    })
    expect((await create(account, tenantFields({ subdomain: 7, region: 'x' }))).body.data).toMatchObject({
      type: 'tenant',
      tenant_id: 't-1.example.com',
      client_id: 'inventory-app',
      subdomain: null,
      region: null,
    })
    expect((await get(account, provider.id)).body).toEqual(answer.body)
    expect((await storedProvider(account, provider.id)).sync_requested_at).toBe(provider.inserted_at)
  })

  it.each(
    withTitles<[Fields, Record<string, string[]>]>([
      [{}, { type: ["can't be blank"], name: ["can't be blank"] }],
      [{ type: 'vendor', name: 'x' }, { type: [mustBe.oneOf('mdm', 'tenant')] }],
      [
        { type: 'mdm', name: 'x' },
        { subdomain: ["can't be blank"], region: ["can't be blank"], api_token: ["can't be blank"] },
      ],
      [
        { type: 'tenant', name: 'x' },
        { tenant_id: ["can't be blank"], client_id: ["can't be blank"], client_secret: ["can't be blank"] },
      ],
      [mdmFields({ subdomain: 'Company' }), { subdomain: [mustBe.subdomain] }],
      [mdmFields({ subdomain: 'x'.repeat(64) }), { subdomain: ['should be at most 63 character(s)'] }],
      [mdmFields({ region: 'asia' }), { region: [mustBe.oneOf('us', 'eu')] }],
      [mdmFields({ api_token: '' }), { api_token: ["can't be blank"] }],
      [tenantFields({ tenant_id: '../..' }), { tenant_id: ['should be the GUID or a domain name of a tenant'] }],
      [tenantFields({ name: 'x'.repeat(256) }), { name: ['should be at most 255 character(s)'] }],
    ]),
  )('refuses %s', async (_name, fields, errors) => {
    const answer = await create(account, fields)
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
  })

  it('has a unique name', async () => {
    const { name } = (await create(account, mdmFields())).body.data
    expect((await create(account, tenantFields({ name }))).body.errors).toEqual({ name: ['has already been taken'] })
  })

  it('never returns or logs its secret', async () => {
    const mdm = (await create(account, mdmFields())).body.data
    const tenant = (await create(account, tenantFields())).body.data
    expect((await list(account)).text).not.toMatch(/api_token|client_secret/)
    const after = (await readCommits(account.id)).at(-1)?.changes[0]?.after
    expect([after?.api_token, after?.client_secret]).toEqual(['[redacted]', '[redacted]'])
    expect((await storedProvider(account, mdm.id)).api_token).not.toContain('inventory-token')
    expect((await storedProvider(account, tenant.id)).client_secret).not.toContain('tenant-secret')
  })

  it('keeps leading and trailing spaces of a client secret', async () => {
    const { id } = (await create(account, tenantFields({ client_secret: ' a secret ' }))).body.data
    const { client_secret } = await storedProvider(account, id)
    expect(await decryptSecret({ accountId: account.id, objectId: id }, client_secret as string)).toBe(' a secret ')
  })
})
