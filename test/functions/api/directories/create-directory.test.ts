import { createPublicKey, sign, verify as verifySignature } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { decryptSecret } from '#shared/core/secrets/stored-secret.ts'
import { type DirectoryKind, directoryKinds } from '#shared/domain/directories/directory.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { withScopes } from '#test/support/accounts/api-tokens.ts'
import { mustBe } from '#test/support/form-messages.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'
import { withTitles } from '#test/support/run/titles.ts'
import { directoriesApi, storedDirectory } from '#test/support/sync/directories.ts'

type Fields = Record<string, unknown>

let account: Account
beforeAll(async () => {
  account = await newAccount({ limits: { api_capacity: 100_000, api_refill_rate: 100_000 } })
})

describe.each(directoryKinds)('POST /%s_directories (A26)', (kind) => {
  it('creates a directory, enabled and without an error', async () => {
    const ownAccount = await newAccount()
    const created = await directoriesApi[kind].create(ownAccount)
    expect(created.body.errors).toBeUndefined()
    const { public_jwk: _jwk, ...directory } = created.body.data
    expect([created.status, created.headers.location]).toEqual([201, `/${kind}_directories/${directory.id}`])
    expect(directory).toMatchObject({
      account_id: ownAccount.id,
      is_disabled: false,
      disabled_reason: null,
      synced_at: null,
      error: null,
      error_count: 0,
      error_emailed_at: null,
    })
    const shown = await directoriesApi[kind].get(ownAccount, directory.id)
    expect([shown.body, shown.headers.etag]).toEqual([{ data: directory }, created.headers.etag])
  })

  it('requests a run, unless it is disabled (A26.2)', async () => {
    const { id } = await directoriesApi[kind].createAndGet(account)
    const first = await storedDirectory(account, kind, id)
    expect(first.sync_requested_at).toBe(first.inserted_at)
    const disabled = (await directoriesApi[kind].create(account, { is_disabled: true })).body.data
    expect((await storedDirectory(account, kind, disabled.id)).sync_requested_at).toBeNull()
  })

  it('requires the feature, before validation (A26.2)', async () => {
    const without = await newAccount({ features: { idp_sync: false } })
    const answer = await directoriesApi[kind].create(without, { name: 7 })
    expect([answer.status, answer.body.code, answer.body.feature]).toEqual([403, 'feature_not_enabled', 'idp_sync'])
  })

  it('has a unique name within its kind', async () => {
    const { name } = await directoriesApi[kind].createAndGet(account)
    expect((await directoriesApi[kind].create(account, { name })).body.errors).toEqual({
      name: ['has already been taken'],
    })
  })

  it('never returns or logs a secret', async () => {
    const ownAccount = await newAccount()
    const created = await directoriesApi[kind].create(ownAccount)
    expect(created.text + (await directoriesApi[kind].list(ownAccount)).text).not.toMatch(
      /private|service_account_key|client_secret/,
    )
    const after = (await readCommits(ownAccount.id)).at(-1)?.changes[0]?.after
    expect(after?.service_account_key).toBe(kind === 'suite' ? '[redacted]' : undefined)
    expect(after?.client_secret).toBe(kind === 'tenant' ? '[redacted]' : undefined)
    expect(after?.private_key).toBe(kind === 'idp' ? '[redacted]' : undefined)
    expect(JSON.stringify(await storedDirectory(ownAccount, kind, created.body.data.id))).not.toMatch(
      /suite-key|tenant-secret|BEGIN PRIVATE/,
    )
  })
})

it.each(
  withTitles<[DirectoryKind, Fields, Record<string, string[]>]>([
    [
      'suite',
      { name: undefined, domain: undefined, impersonation_email: undefined, service_account_key: undefined },
      { name: ["can't be blank"], impersonation_email: ["can't be blank"], service_account_key: ["can't be blank"] },
    ],
    ['suite', { domain: 'no host' }, { domain: [mustBe.hostName] }],
    ['suite', { impersonation_email: 'sync' }, { impersonation_email: ['is an invalid email address'] }],
    ['suite', { group_sync_mode: 'some' }, { group_sync_mode: [mustBe.oneOf('all', 'filtered', 'disabled')] }],
    ['suite', { orgunit_sync_enabled: 'x' }, { orgunit_sync_enabled: [mustBe.boolean] }],
    ['tenant', { tenant_id: 'x'.repeat(254) }, { tenant_id: ['should be at most 253 character(s)'] }],
    ...['../..', '$&', 'common', 'tenant id', '1111111-1111-4111-8111-111111111111'].map(
      (tenant_id): [DirectoryKind, Fields, Record<string, string[]>] => [
        'tenant',
        { tenant_id },
        { tenant_id: ['should be the GUID or a domain name of a tenant'] },
      ],
    ),
    [
      'tenant',
      { client_id: undefined, client_secret: '' },
      { client_id: ["can't be blank"], client_secret: ["can't be blank"] },
    ],
    ['tenant', { client_id: 'x'.repeat(256) }, { client_id: ['should be at most 255 character(s)'] }],
    ['tenant', { email_field: 'email' }, { email_field: [mustBe.oneOf('userPrincipalName', 'mail')] }],
    [
      'idp',
      { idp_domain: 'https://idp.example.com', client_id: ' ' },
      { idp_domain: [mustBe.hostName], client_id: ["can't be blank"] },
    ],
  ]),
)('refuses a directory: %s', async (_name, kind, fields, errors) => {
  const answer = await directoriesApi[kind].create(account, fields)
  expect([answer.status, answer.body.errors]).toEqual([422, errors])
})

it.each([
  ['suite', 'domain'],
  ['tenant', 'tenant_id'],
  ['idp', 'client_id'],
] as const)('requires for a %s directory a unique %s', async (kind, field) => {
  const first = await directoriesApi[kind].createAndGet(account)
  expect((await directoriesApi[kind].create(account, { [field]: first[field] })).body.errors).toEqual({
    [field]: ['has already been taken'],
  })
})

it.each([
  ['3B1F7C0E-5D2A-4F7E-9C55-0A1B2C3D4E5F', '3b1f7c0e-5d2a-4f7e-9c55-0a1b2c3d4e5f'],
  [' Contoso.OnMicrosoft.com ', 'contoso.onmicrosoft.com'],
])('stores the tenant %s in lower case', async (sent, tenant_id) => {
  const ownAccount = await newAccount()
  expect((await directoriesApi.tenant.create(ownAccount, { tenant_id: sent })).body.data).toMatchObject({ tenant_id })
})

it.each(directoryKinds)('allows at most 20 %s directories', async (kind) => {
  const ownAccount = await newAccount({ limits: { api_capacity: 1_000, api_refill_rate: 1_000 } })
  for (let i = 0; i < 20; i++) expect((await directoriesApi[kind].create(ownAccount)).status).toBe(201)
  const refused = await directoriesApi[kind].create(ownAccount)
  expect(refused).toMatchObject({ status: 403, body: { code: 'limit_reached', limit: `${kind}_directories` } })
})

it('applies to all domains of the suite by default, and allows several directories per suite', async () => {
  const ownAccount = await newAccount()
  const [first, second] = [
    await directoriesApi.suite.create(ownAccount, { domain: undefined }),
    await directoriesApi.suite.create(ownAccount, { domain: ' ' }),
  ]
  expect([first.body.data.domain, second.body.data.domain]).toEqual([null, null])
  const { id } = first.body.data
  const given = await directoriesApi.suite.update(ownAccount, id, { domain: 'Example.com' })
  expect(given.body.data.domain).toBe('example.com')
  expect((await directoriesApi.suite.update(ownAccount, id, { domain: null })).body.data.domain).toBeNull()
})

it('generates the key of an identity-provider directory, and returns its public part once', async () => {
  const created = (await directoriesApi.idp.create(account)).body.data
  expect(created.public_jwk).toMatchObject({ kty: 'RSA', kid: created.kid, alg: 'RS256', use: 'sig' })
  const row = await storedDirectory(account, 'idp', created.id)
  const pem = await decryptSecret({ accountId: account.id, objectId: created.id }, row.private_key as string)
  const signature = sign('sha256', Buffer.from('hello'), pem)
  const publicKey = createPublicKey({ key: created.public_jwk, format: 'jwk' })
  expect(verifySignature('sha256', Buffer.from('hello'), publicKey, signature)).toBe(true)
  expect((await directoriesApi.idp.get(account, created.id)).body.data).not.toHaveProperty('public_jwk')
})

it('keeps leading and trailing spaces of a client secret', async () => {
  const { id } = (await directoriesApi.tenant.create(account, { client_secret: ' a secret ' })).body.data
  const { client_secret } = await storedDirectory(account, 'tenant', id)
  expect(await decryptSecret({ accountId: account.id, objectId: id }, client_secret as string)).toBe(' a secret ')
})

describe.each(directoryKinds)('administrator matching of a new %s directory (A26.2(5))', (kind) => {
  it('follows the scope of the creator, who may disable it', async () => {
    const ownAccount = await newAccount()
    const narrow = await withScopes(ownAccount, 'directories:write')
    const of = async (by: Account, fields: Fields = {}) =>
      (await directoriesApi[kind].create(by, fields)).body.data.matches_administrators
    expect(await of(ownAccount)).toBe(true)
    expect(await of(narrow)).toBe(false)
    expect(await of(ownAccount, { matches_administrators: false })).toBe(false)
    expect(await of(narrow, { matches_administrators: false })).toBe(false)
  })

  it('is refused to a token without the scope *', async () => {
    const ownAccount = await newAccount()
    const narrow = await withScopes(ownAccount, 'directories:write')
    const answer = await directoriesApi[kind].create(narrow, { matches_administrators: true, name: '' })
    expect([answer.status, answer.body.code]).toEqual([403, 'scope_exceeded'])
    expect(answer.body.detail).toContain('requires a token with the scope *')
    expect((await directoriesApi[kind].list(ownAccount)).body.data).toEqual([])
  })
})
