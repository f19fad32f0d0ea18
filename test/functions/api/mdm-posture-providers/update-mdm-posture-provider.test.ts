import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { postureProviders } from '#shared/domain/posture-providers/posture-provider.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { postureProvidersApi } from '#test/support/accounts/collections.ts'
import { updateRow } from '#test/support/accounts/rows.ts'
import { mustBe } from '#test/support/form-messages.ts'
import { mdmFields, storedProvider, tenantFields } from '#test/support/sync/posture-providers.ts'

type Fields = Record<string, unknown>

const { create, get, update } = postureProvidersApi

let account: Account
beforeAll(async () => {
  account = await newAccount()
})

describe('PATCH /mdm_posture_providers/{id} (A28.1)', () => {
  it('changes the sent fields, and refuses another type', async () => {
    const provider = (await create(account, mdmFields())).body.data
    expect((await update(account, provider.id, { type: 'mdm' })).body.data).toEqual(provider)
    expect((await update(account, provider.id, { type: 'tenant' })).body.errors).toEqual({
      type: ['cannot be changed'],
    })
    expect((await update(account, provider.id, { subdomain: '' })).body.errors).toEqual({
      subdomain: ["can't be blank"],
    })
    expect((await update(account, provider.id, { tenant_id: 'ignored' })).body.data).toEqual(provider)
  })

  it('stays verified until its connection changes', async () => {
    const { id } = (await create(account, mdmFields())).body.data
    const verify = async () =>
      updateRow(account.id, postureProviders, await storedProvider(account, id), { is_verified: true })
    await verify()
    const verified = async (fields: Fields) => (await update(account, id, fields)).body.data.is_verified
    expect(await verified({ name: randomUUID(), api_token: 'inventory-token-0123' })).toBe(true)
    expect(await verified({ region: 'us' })).toBe(false)
    await verify()
    expect(await verified({ api_token: 'another' })).toBe(false)
  })

  it('clears its error when it is enabled, and starts a run', async () => {
    const { id } = (await create(account, tenantFields({ is_disabled: true }))).body.data
    await updateRow(account.id, postureProviders, await storedProvider(account, id), {
      error: 'no answer',
      error_count: 3,
    })
    const enabled = (await update(account, id, { is_disabled: false, accept_deletions: true })).body.data
    expect(enabled).toMatchObject({ is_disabled: false, error: null, error_count: 0 })
    expect(await storedProvider(account, id)).toMatchObject({
      accept_deletions: true,
      sync_requested_at: expect.stringMatching(/Z$/),
    })
  })

  it.each<[Fields, Record<string, string[]>]>([
    [{ name: '' }, { name: ["can't be blank"] }],
    [
      { region: 'asia', subdomain: 'Company' },
      { region: [mustBe.oneOf('us', 'eu')], subdomain: [mustBe.subdomain] },
    ],
    [{ api_token: null }, { api_token: ["can't be blank"] }],
    [{ is_disabled: 'maybe' }, { is_disabled: [mustBe.boolean] }],
  ])('refuses %j, and keeps the provider', async (fields, errors) => {
    const provider = (await create(account, mdmFields())).body.data
    const answer = await update(account, provider.id, fields)
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
    expect((await get(account, provider.id)).body.data).toEqual(provider)
  })

  it('keeps the name unique', async () => {
    const [one, other] = [
      (await create(account, mdmFields())).body.data,
      (await create(account, tenantFields())).body.data,
    ]
    expect((await update(account, one.id, { name: other.name })).body.errors).toEqual({
      name: ['has already been taken'],
    })
  })
})
