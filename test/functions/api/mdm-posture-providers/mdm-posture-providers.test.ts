import { beforeAll, describe, expect, it } from 'vitest'
import { handler as listDevices } from '#functions/api/mdm-devices/list-mdm-devices.ts'
import { handler as createProvider } from '#functions/api/mdm-posture-providers/create-mdm-posture-provider.ts'
import { handler as deleteProvider } from '#functions/api/mdm-posture-providers/delete-mdm-posture-provider.ts'
import { handler as getProvider } from '#functions/api/mdm-posture-providers/get-mdm-posture-provider.ts'
import { handler as listProviders } from '#functions/api/mdm-posture-providers/list-mdm-posture-providers.ts'
import { handler as updateProvider } from '#functions/api/mdm-posture-providers/update-mdm-posture-provider.ts'
import { mdmDevices } from '#shared/mdm-devices/mdm-device.ts'
import { postureProviders } from '#shared/posture-providers/posture-provider.ts'
import { commit } from '#shared/table/commit.ts'
import { getRow } from '#shared/table/read.ts'
import { newAccount } from '#test/support/account.ts'
import { commitsOf, followUpAll } from '#test/support/commit-stream.ts'
import { updateRow } from '#test/support/rows.ts'

type Fields = Record<string, unknown>

let account: Awaited<ReturnType<typeof newAccount>>
beforeAll(async () => {
  account = await newAccount()
})

let count = 0
const mdm = (fields: Fields = {}): Fields => ({
  type: 'mdm',
  name: `Fleet ${count++}`,
  subdomain: 'company',
  region: 'eu',
  api_token: 'inventory-token-0123',
  ...fields,
})
const tenant = (fields: Fields = {}): Fields => ({
  type: 'tenant',
  name: `Tenant ${count++}`,
  tenant_id: 't-1',
  ...fields,
})
const create = (mdm_posture_provider: Fields, on = account) =>
  on.call(createProvider, { method: 'POST', body: { mdm_posture_provider } })
const update = (id: string, mdm_posture_provider: Fields) =>
  account.call(updateProvider, { method: 'PATCH', params: { id }, body: { mdm_posture_provider } })
const stored = async (id: string) => {
  const row = await getRow(postureProviders, account.id, id)
  if (!row) throw new Error('It is gone.')
  return row
}

describe('POST /mdm_posture_providers', () => {
  it('creates a provider of either type; the fields of the other are null', async () => {
    const answer = await create(mdm({ tenant_id: 'ignored' }))
    const provider = answer.body.data
    expect([answer.status, answer.headers.location]).toEqual([201, `/mdm_posture_providers/${provider.id}`])
    expect(provider).toEqual({
      id: provider.id,
      account_id: account.id,
      type: 'mdm',
      name: provider.name,
      tenant_id: null,
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
    expect((await create(tenant({ subdomain: 7, region: 'x' }))).body.data).toMatchObject({
      type: 'tenant',
      tenant_id: 't-1',
      subdomain: null,
      region: null,
    })
    expect((await account.call(getProvider, { params: { id: provider.id } })).body).toEqual(answer.body)
    expect((await stored(provider.id)).sync_requested_at).toBe(provider.inserted_at)
  })

  it.each<[Fields, Record<string, string[]>]>([
    [{}, { type: ["can't be blank"], name: ["can't be blank"] }],
    [{ type: 'vendor', name: 'x' }, { type: ['is invalid'] }],
    [
      { type: 'mdm', name: 'x' },
      { subdomain: ["can't be blank"], region: ["can't be blank"], api_token: ["can't be blank"] },
    ],
    [{ type: 'tenant', name: 'x' }, { tenant_id: ["can't be blank"] }],
    [mdm({ subdomain: 'Company' }), { subdomain: ['is invalid'] }],
    [mdm({ subdomain: 'x'.repeat(64) }), { subdomain: ['should be at most 63 character(s)'] }],
    [mdm({ region: 'asia' }), { region: ['is invalid'] }],
    [mdm({ api_token: '' }), { api_token: ["can't be blank"] }],
    [tenant({ tenant_id: 'x'.repeat(256) }), { tenant_id: ['should be at most 255 character(s)'] }],
    [tenant({ name: 'x'.repeat(256) }), { name: ['should be at most 255 character(s)'] }],
  ])('refuses %j', async (fields, errors) => {
    const answer = await create(fields)
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
  })

  it('has a name of its own', async () => {
    const { name } = (await create(mdm())).body.data
    expect((await create(tenant({ name }))).body.errors).toEqual({ name: ['has already been taken'] })
  })

  it('never shows its secret, not even on record', async () => {
    const { id } = (await create(mdm())).body.data
    expect((await account.call(listProviders)).text).not.toContain('api_token')
    expect((await commitsOf(account.id)).at(-1)?.changes[0]?.after?.api_token).toBe('[redacted]')
    expect((await stored(id)).api_token).not.toContain('inventory-token')
  })
})

describe('PATCH /mdm_posture_providers/{id}', () => {
  it('changes what is sent; another type is refused', async () => {
    const provider = (await create(mdm())).body.data
    expect((await update(provider.id, { type: 'mdm' })).body.data).toEqual(provider)
    expect((await update(provider.id, { type: 'tenant' })).body.errors).toEqual({ type: ['cannot be changed'] })
    expect((await update(provider.id, { subdomain: '' })).body.errors).toEqual({ subdomain: ["can't be blank"] })
    expect((await update(provider.id, { tenant_id: 'ignored' })).body.data).toEqual(provider)
  })

  it('is verified until its connection changes', async () => {
    const { id } = (await create(mdm())).body.data
    const verify = async () => updateRow(account.id, postureProviders, await stored(id), { is_verified: true })
    await verify()
    const verified = async (fields: Fields) => (await update(id, fields)).body.data.is_verified
    expect(await verified({ name: `Renamed ${count++}`, api_token: 'inventory-token-0123' })).toBe(true)
    expect(await verified({ region: 'us' })).toBe(false)
    await verify()
    expect(await verified({ api_token: 'another' })).toBe(false)
  })

  it('clears what was wrong when it is enabled, and starts a run', async () => {
    const { id } = (await create(tenant({ is_disabled: true }))).body.data
    await updateRow(account.id, postureProviders, await stored(id), { error: 'no answer', error_count: 3 })
    const enabled = (await update(id, { is_disabled: false, accept_deletions: true })).body.data
    expect(enabled).toMatchObject({ is_disabled: false, error: null, error_count: 0 })
    expect(await stored(id)).toMatchObject({ accept_deletions: true, sync_requested_at: expect.stringMatching(/Z$/) })
  })
})

describe('DELETE /mdm_posture_providers/{id}', () => {
  it('takes its devices along, which are not on record', async () => {
    const own = await newAccount()
    const provider = (await create(mdm(), own)).body.data
    for (let at = 0; at < 80; at += 20) {
      await commit({ accountId: own.id, subject: null }, async (transaction) => {
        for (let i = at; i < at + 20; i++) {
          transaction.insert(mdmDevices, {
            account_id: own.id,
            posture_provider_id: provider.id,
            mdm_id: `vendor-${i}`,
            synced_at: '2026-01-01T00:00:00.000000Z',
          })
        }
      })
    }
    expect((await own.call(listDevices)).body.metadata.total).toBe(80)
    const answer = await own.call(deleteProvider, { method: 'DELETE', params: { id: provider.id } })
    expect(answer.body.data).toEqual(provider)
    await followUpAll(own.id)
    expect((await own.call(listDevices)).body.metadata.total).toBe(0)
    const objects = (await commitsOf(own.id)).flatMap(({ changes }) => changes.map(({ object }) => object))
    expect(objects).not.toContain('mdm_devices')
  })
})

it('needs the feature, told before the body is read (A4)', async () => {
  const without = await newAccount({ features: { device_posture: false } })
  for (const answer of [
    await without.call(createProvider, { method: 'POST', rawBody: '{' }),
    await without.call(listProviders, { query: 'limit=x' }),
    await without.call(listDevices),
  ]) {
    expect([answer.status, answer.body.code, answer.body.feature]).toEqual([
      403,
      'feature_not_enabled',
      'device_posture',
    ])
  }
})
