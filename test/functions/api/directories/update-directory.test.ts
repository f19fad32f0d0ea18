import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { handler as provision } from '#functions/tasks/provision-account.ts'
import { decryptSecret } from '#shared/core/secrets/stored-secret.ts'
import { type DirectoryKind, directories, directoryKinds } from '#shared/domain/directories/directory.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { withScopes } from '#test/support/accounts/api-tokens.ts'
import { updateRow } from '#test/support/accounts/rows.ts'
import { mustBe } from '#test/support/form-messages.ts'
import { directoriesApi, storedDirectory } from '#test/support/sync/directories.ts'

type Fields = Record<string, unknown>

let account: Account
beforeAll(async () => {
  account = await newAccount({ limits: { api_capacity: 100_000, api_refill_rate: 100_000 } })
})

describe.each(directoryKinds)('PATCH /%s_directories/{id} (A26)', (kind) => {
  it('changes the sent fields, and nothing for an empty object', async () => {
    const ownAccount = await newAccount()
    const directory = await directoriesApi[kind].createAndGet(ownAccount)
    const changed = await directoriesApi[kind].update(ownAccount, directory.id, { name: 'Renamed' })
    expect(changed.body.data).toEqual({ ...directory, name: 'Renamed', updated_at: changed.body.data.updated_at })
    expect((await directoriesApi[kind].update(ownAccount, directory.id, {})).body).toEqual(changed.body)
  })

  it('requests a run when it is enabled, and clears its error (A26.2)', async () => {
    const { id } = await directoriesApi[kind].createAndGet(account)
    const first = await storedDirectory(account, kind, id)
    await updateRow(account.id, directories[kind], first, {
      is_disabled: true,
      disabled_reason: 'sync',
      error: 'no answer',
      error_count: 7,
    })
    const enabled = (await directoriesApi[kind].update(account, id, { is_disabled: false })).body.data
    expect(enabled).toMatchObject({ is_disabled: false, disabled_reason: null, error: null, error_count: 0 })
    const after = await storedDirectory(account, kind, id)
    expect((after.sync_requested_at as string) > (first.sync_requested_at as string)).toBe(true)
  })

  it('requires the feature to be enabled, before validation, and for no other change (A26.2)', async () => {
    const ownAccount = await newAccount()
    const { id } = await directoriesApi[kind].createAndGet(ownAccount)
    await directoriesApi[kind].update(ownAccount, id, { is_disabled: true })
    await provision({
      operation: 'update_account',
      account_id: ownAccount.id,
      account: { features: { idp_sync: false } },
    })
    const answer = await directoriesApi[kind].update(ownAccount, id, { is_disabled: false, name: 7 })
    expect([answer.status, answer.body.code, answer.body.feature]).toEqual([403, 'feature_not_enabled', 'idp_sync'])
    expect((await directoriesApi[kind].update(ownAccount, id, { name: 'Still mine' })).status).toBe(200)
  })

  it('stores that deletions are accepted', async () => {
    const { id } = await directoriesApi[kind].createAndGet(account)
    expect((await storedDirectory(account, kind, id))?.accept_deletions).toBe(false)
    const answer = await directoriesApi[kind].update(account, id, { accept_deletions: true })
    expect(answer.text).not.toContain('accept_deletions')
    expect((await storedDirectory(account, kind, id))?.accept_deletions).toBe(true)
  })

  it('refuses invalid fields, and keeps the directory', async () => {
    const directory = await directoriesApi[kind].createAndGet(account)
    const other = await directoriesApi[kind].createAndGet(account)
    const answer = await directoriesApi[kind].update(account, directory.id, { name: '', is_disabled: null })
    expect([answer.status, answer.body.errors]).toEqual([
      422,
      { name: ["can't be blank"], is_disabled: ["can't be blank"] },
    ])
    expect((await directoriesApi[kind].update(account, directory.id, { name: other.name })).body.errors).toEqual({
      name: ['has already been taken'],
    })
    expect((await directoriesApi[kind].get(account, directory.id)).body.data).toEqual(directory)
  })
})

it.each<[DirectoryKind, Fields, Record<string, string[]>]>([
  [
    'suite',
    { domain: 'no host', group_sync_mode: 'some' },
    { domain: [mustBe.hostName], group_sync_mode: [mustBe.oneOf('all', 'filtered', 'disabled')] },
  ],
  ['suite', { service_account_key: '' }, { service_account_key: ["can't be blank"] }],
  [
    'tenant',
    { tenant_id: '', email_field: 'email' },
    { tenant_id: ["can't be blank"], email_field: [mustBe.oneOf('userPrincipalName', 'mail')] },
  ],
  ['idp', { idp_domain: 'no host', client_id: null }, { idp_domain: [mustBe.hostName], client_id: ["can't be blank"] }],
])('refuses for a %s directory %j', async (kind, fields, errors) => {
  const { id } = await directoriesApi[kind].createAndGet(account)
  const answer = await directoriesApi[kind].update(account, id, fields)
  expect([answer.status, answer.body.errors]).toEqual([422, errors])
})

it('replaces the secret of a tenant directory, and keeps it when the field is absent', async () => {
  const { id } = await directoriesApi.tenant.createAndGet(account)
  const secret = async () =>
    decryptSecret(
      { accountId: account.id, objectId: id },
      (await storedDirectory(account, 'tenant', id)).client_secret as string,
    )
  await directoriesApi.tenant.update(account, id, { client_id: 'other-app' })
  expect(await secret()).toBe('tenant-secret-0123')
  await directoriesApi.tenant.update(account, id, { client_secret: 'another' })
  expect(await secret()).toBe('another')
})

it('rotates the key of an identity-provider directory, and returns its public part only then', async () => {
  const created = (await directoriesApi.idp.create(account)).body.data
  const renamed = await directoriesApi.idp.update(account, created.id, { name: randomUUID() })
  expect(renamed.body.data).not.toHaveProperty('public_jwk')
  const rotated = (await directoriesApi.idp.update(account, created.id, { rotate_key: true })).body.data
  expect(rotated.kid).not.toBe(created.kid)
  expect(rotated.public_jwk.kid).toBe(rotated.kid)
})

describe('PATCH /{kind}_directories/{id} by a token without the scope * (A26.2(5))', () => {
  const guarded: [DirectoryKind, Fields][] = [
    ...directoryKinds.flatMap((kind): [DirectoryKind, Fields][] => [
      [kind, { accept_deletions: true }],
      [kind, { matches_administrators: false }],
    ]),
    ['suite', { domain: 'other.example.com' }],
    ['suite', { impersonation_email: 'other@example.com' }],
    ['suite', { group_sync_mode: 'disabled' }],
    ['suite', { service_account_key: 'another' }],
    ['tenant', { tenant_id: 'another.example.com' }],
    ['tenant', { client_secret: 'another' }],
    ['tenant', { email_field: 'mail' }],
    ['idp', { idp_domain: 'other.example.com' }],
    ['idp', { client_id: 'another' }],
    ['idp', { rotate_key: true }],
  ]
  it.each(guarded)(
    'does not change the source of a %s directory that matches administrators: %j',
    async (kind, change) => {
      const { id } = await directoriesApi[kind].createAndGet(account)
      const narrow = await withScopes(account, 'directories:write')
      const before = await storedDirectory(account, kind, id)
      const answer = await directoriesApi[kind].update(narrow, id, { name: '', ...change })
      expect([answer.status, answer.body.code]).toEqual([403, 'scope_exceeded'])
      expect(answer.body.detail).toContain('requires a token with the scope *')
      expect(await storedDirectory(account, kind, id)).toEqual(before)
      expect((await directoriesApi[kind].update(account, id, change)).status).toBe(200)
    },
  )

  it.each(directoryKinds)('renames and disables a %s directory, and accepts equal values', async (kind) => {
    const { id, name: _name, ...directory } = await directoriesApi[kind].createAndGet(account)
    const narrow = await withScopes(account, 'directories:write')
    const secrets = {
      suite: { service_account_key: '{"private_key":"suite-key-0123456789"}' },
      tenant: { client_secret: 'tenant-secret-0123' },
      idp: {},
    }
    const change = { ...directory, ...secrets[kind], accept_deletions: false, name: randomUUID(), is_disabled: true }
    expect((await directoriesApi[kind].update(narrow, id, change)).body.data).toMatchObject({
      name: change.name,
      is_disabled: true,
    })
    expect((await directoriesApi[kind].update(narrow, id, { is_disabled: false })).body.code).toBe('scope_exceeded')
  })

  it.each(directoryKinds)('changes every field of its own %s directory except administrator matching', async (kind) => {
    const narrow = await withScopes(account, 'directories:write')
    const { id } = await directoriesApi[kind].createAndGet(narrow)
    const matched = await directoriesApi[kind].update(narrow, id, { matches_administrators: true })
    expect(matched.body.code).toBe('scope_exceeded')
    for (const [, change] of guarded.filter(([of, fields]) => of === kind && !('matches_administrators' in fields))) {
      const unique =
        change.tenant_id || change.domain || change.client_id
          ? { [Object.keys(change)[0] as string]: `${randomUUID()}.example` }
          : {}
      expect((await directoriesApi[kind].update(narrow, id, { ...change, ...unique })).status).toBe(200)
    }
  })
})
