import { createPublicKey, sign, verify as verifySignature } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { handler as provision } from '#functions/tasks/provision-account.ts'
import { type ActorRow, actors } from '#shared/actors/actor.ts'
import { openSecret } from '#shared/auth/sealed-secret.ts'
import { authProviders } from '#shared/auth-providers/auth-provider.ts'
import { clientTokens } from '#shared/client-tokens/client-token.ts'
import { mintClientToken } from '#shared/client-tokens/mint-client-token.ts'
import { type DirectoryKind, directories, directoryKinds } from '#shared/directories/directory.ts'
import { externalIdentities } from '#shared/external-identities/external-identity.ts'
import { groups } from '#shared/groups/group.ts'
import { policies } from '#shared/policies/policy.ts'
import { commit } from '#shared/table/commit.ts'
import { getRow, rowsBy } from '#shared/table/read.ts'
import { newAccount } from '#test/support/account.ts'
import { commitsOf, followUpAll } from '#test/support/commit-stream.ts'
import { insertIdentity } from '#test/support/identities.ts'
import { loadEntries } from '#test/support/operations.ts'
import { insertActor, insertRow, updateRow } from '#test/support/rows.ts'

type Fields = Record<string, unknown>
type Account = Awaited<ReturnType<typeof newAccount>>

const handlers = new Map((await loadEntries()).map(({ name, handler }) => [name, handler]))
const key = '{"private_key":"suite-key-0123456789"}'

let account: Account
beforeAll(async () => {
  account = await newAccount({ limits: { api_capacity: 100_000, api_refill_rate: 100_000 } })
})

let count = 0
const fieldsOf: Record<DirectoryKind, () => Fields> = {
  suite: () => ({
    name: `Suite ${count++}`,
    domain: `Company-${count}.example.com`,
    impersonation_email: 'Sync@Example.COM',
    service_account_key: key,
  }),
  tenant: () => ({ name: `Tenant ${count++}`, tenant_id: `tenant-${count}` }),
  idp: () => ({ name: `Idp ${count++}`, client_id: `client-${count}`, idp_domain: 'idp.example.com' }),
}
const send = (kind: DirectoryKind, method: string, request: Fields & { id?: string; on?: Account } = {}) => {
  const { id, on = account, fields, ...rest } = request
  const handler = handlers.get(`${method} /${kind}_directories${id ? '/{id}' : ''}`)
  if (!handler) throw new Error(`${method} ${kind}`)
  return on.call(handler, {
    method,
    ...(id ? { params: { id } } : {}),
    ...(fields ? { body: { [`${kind}_directory`]: fields } } : {}),
    ...rest,
  })
}
const create = (kind: DirectoryKind, fields: Fields = {}, on: Account = account) =>
  send(kind, 'POST', { on, fields: { ...fieldsOf[kind](), ...fields } })
const made = async (kind: DirectoryKind, on: Account = account) => (await create(kind, {}, on)).body.data
const stored = (kind: DirectoryKind, id: string, on: Account = account) => getRow(directories[kind], on.id, id)

describe.each(directoryKinds)('%s directories', (kind) => {
  it('are created, shown, listed, changed and deleted', async () => {
    const own = await newAccount()
    const created = await create(kind, {}, own)
    expect(created.body.errors).toBeUndefined()
    const { public_jwk: _jwk, ...directory } = created.body.data
    expect([created.status, created.headers.location]).toEqual([201, `/${kind}_directories/${directory.id}`])
    expect(directory).toMatchObject({
      account_id: own.id,
      is_disabled: false,
      disabled_reason: null,
      synced_at: null,
      error: null,
      error_count: 0,
      error_emailed_at: null,
    })
    const shown = await send(kind, 'GET', { on: own, id: directory.id })
    expect([shown.body, shown.headers.etag]).toEqual([{ data: directory }, created.headers.etag])
    expect((await send(kind, 'GET', { on: own, query: { name: directory.name } })).body.data).toEqual([directory])
    const changed = await send(kind, 'PATCH', { on: own, id: directory.id, fields: { name: 'Renamed' } })
    expect(changed.body.data).toEqual({ ...directory, name: 'Renamed', updated_at: changed.body.data.updated_at })
    expect((await send(kind, 'DELETE', { on: own, id: directory.id })).body).toEqual(changed.body)
    expect((await send(kind, 'GET', { on: own, id: directory.id })).status).toBe(404)
  })

  it('ask for a run when they are created or enabled, which clears what was wrong', async () => {
    const { id } = await made(kind)
    const first = await stored(kind, id)
    expect(first?.sync_requested_at).toBe(first?.inserted_at)
    expect((await stored(kind, (await create(kind, { is_disabled: true })).body.data.id))?.sync_requested_at).toBeNull()
    if (!first) throw new Error('It is gone.')
    await updateRow(account.id, directories[kind], first, {
      is_disabled: true,
      disabled_reason: 'sync',
      error: 'no answer',
      error_count: 7,
    })
    const enabled = (await send(kind, 'PATCH', { id, fields: { is_disabled: false } })).body.data
    expect(enabled).toMatchObject({ is_disabled: false, disabled_reason: null, error: null, error_count: 0 })
    const after = await stored(kind, id)
    expect((after?.sync_requested_at as string) > (first.sync_requested_at as string)).toBe(true)
  })

  it('need the feature to be created and enabled, before validation', async () => {
    const own = await newAccount()
    const directory = await made(kind, own)
    await send(kind, 'PATCH', { on: own, id: directory.id, fields: { is_disabled: true } })
    const features = { idp_sync: false }
    await provision({ operation: 'update_account', account_id: own.id, account: { features } })
    for (const answer of [
      await send(kind, 'POST', { on: own, fields: {} }),
      await send(kind, 'PATCH', { on: own, id: directory.id, fields: { is_disabled: false, name: 7 } }),
    ]) {
      expect([answer.status, answer.body.code, answer.body.feature]).toEqual([403, 'feature_not_enabled', 'idp_sync'])
    }
    const renamed = await send(kind, 'PATCH', { on: own, id: directory.id, fields: { name: 'Still mine' } })
    expect(renamed.status).toBe(200)
  })

  it('remember that deletions are accepted', async () => {
    const { id } = await made(kind)
    expect((await stored(kind, id))?.accept_deletions).toBe(false)
    const answer = await send(kind, 'PATCH', { id, fields: { accept_deletions: true } })
    expect(answer.text).not.toContain('accept_deletions')
    expect((await stored(kind, id))?.accept_deletions).toBe(true)
  })

  it('have a name of their own within the kind', async () => {
    const { name } = await made(kind)
    expect((await create(kind, { name })).body.errors).toEqual({ name: ['has already been taken'] })
  })

  it('never show a secret, not even on record', async () => {
    const own = await newAccount()
    const created = await create(kind, {}, own)
    expect(created.text + (await send(kind, 'GET', { on: own })).text).not.toMatch(/private|service_account_key/)
    const after = (await commitsOf(own.id)).at(-1)?.changes[0]?.after
    expect(after?.service_account_key).toBe(kind === 'suite' ? '[redacted]' : undefined)
    expect(after?.private_key).toBe(kind === 'idp' ? '[redacted]' : undefined)
    expect(JSON.stringify(await stored(kind, created.body.data.id, own))).not.toMatch(/suite-key|BEGIN PRIVATE/)
  })
})

it.each<[DirectoryKind, Fields, Record<string, string[]>]>([
  [
    'suite',
    { name: undefined, domain: undefined, impersonation_email: undefined, service_account_key: undefined },
    {
      name: ["can't be blank"],
      domain: ["can't be blank"],
      impersonation_email: ["can't be blank"],
      service_account_key: ["can't be blank"],
    },
  ],
  ['suite', { domain: 'no host' }, { domain: ['is invalid'] }],
  ['suite', { impersonation_email: 'sync' }, { impersonation_email: ['is an invalid email address'] }],
  ['suite', { group_sync_mode: 'some' }, { group_sync_mode: ['is invalid'] }],
  ['suite', { orgunit_sync_enabled: 'x' }, { orgunit_sync_enabled: ['is invalid'] }],
  ['tenant', { tenant_id: 'x'.repeat(256) }, { tenant_id: ['should be at most 255 character(s)'] }],
  ['tenant', { email_field: 'email' }, { email_field: ['is invalid'] }],
  [
    'idp',
    { idp_domain: 'https://idp.example.com', client_id: ' ' },
    { idp_domain: ['is invalid'], client_id: ["can't be blank"] },
  ],
])('a %s directory with %j is refused', async (kind, fields, errors) => {
  const answer = await create(kind, fields)
  expect([answer.status, answer.body.errors]).toEqual([422, errors])
})

it.each([
  ['suite', 'domain'],
  ['tenant', 'tenant_id'],
  ['idp', 'client_id'],
] as const)('a %s directory has a %s of its own', async (kind, field) => {
  const first = await made(kind)
  expect((await create(kind, { [field]: first[field] })).body.errors).toEqual({ [field]: ['has already been taken'] })
})

describe('the key of an identity-provider directory', () => {
  it('is made by the service, shown in public once, and replaced on demand', async () => {
    const created = (await create('idp')).body.data
    expect(created.public_jwk).toMatchObject({ kty: 'RSA', kid: created.kid, alg: 'RS256', use: 'sig' })
    const row = await stored('idp', created.id)
    const pem = await openSecret(account.id, row?.private_key as string)
    const signature = sign('sha256', Buffer.from('hello'), pem)
    const publicKey = createPublicKey({ key: created.public_jwk, format: 'jwk' })
    expect(verifySignature('sha256', Buffer.from('hello'), publicKey, signature)).toBe(true)

    expect((await send('idp', 'GET', { id: created.id })).body.data).not.toHaveProperty('public_jwk')
    const renamed = await send('idp', 'PATCH', { id: created.id, fields: { name: `Renamed ${count++}` } })
    expect(renamed.body.data).not.toHaveProperty('public_jwk')
    const rotated = (await send('idp', 'PATCH', { id: created.id, fields: { rotate_key: true } })).body.data
    expect(rotated.kid).not.toBe(created.kid)
    expect(rotated.public_jwk.kid).toBe(rotated.kid)
  })
})

describe('the deletion of a directory', () => {
  const group = (on: Account, directory_id: string, name: string) =>
    insertRow(on.id, groups, {
      name,
      entity_type: 'group',
      directory_id,
      idp_id: name,
      email: null,
      synced_at: null,
      is_managed: false,
    })

  it('takes its groups, its identities and the actors it created', async () => {
    const own = await newAccount()
    const { id } = await made('tenant', own)
    const created: ActorRow[] = []
    for (let i = 0; i < 25; i++) {
      const fields = { type: 'account_user', email: `user-${i}@example.com`, created_by_directory_id: id } as const
      created.push(await insertActor(own.id, fields))
    }
    for (const actor of created.slice(0, 3)) await insertIdentity(own.id, actor.id, { directory_id: id })
    const found = await insertActor(own.id, { type: 'account_user', email: 'found@example.com' })
    await insertIdentity(own.id, found.id, { directory_id: id, issuer: 'https://found.example.com' })
    for (let i = 0; i < 25; i++) await group(own, id, `Group ${i}`)
    expect((await send('tenant', 'DELETE', { on: own, id })).status).toBe(200)
    await followUpAll(own.id)
    const names = async (path: string) => {
      const handler = handlers.get(`GET ${path}`)
      if (!handler) throw new Error(path)
      return (await own.call(handler)).body.data.map(({ name }: { name: string }) => name)
    }
    expect(await names('/groups')).toEqual(['Everyone'])
    expect((await names('/actors')).sort()).toEqual(['Ada', 'Provisioning', 'Robot'])
    const identities = handlers.get('GET /actors/{actor_id}/external_identities')
    if (!identities) throw new Error('There is no list.')
    expect((await own.call(identities, { params: { actor_id: found.id } })).body.data).toEqual([])
  })

  it('ends all access that came from it before it answers; the rest follows with the same subject', async () => {
    const own = await newAccount()
    const { id } = await made('idp', own)
    const created: ActorRow[] = []
    for (let i = 0; i < 60; i++) {
      const fields = { type: 'account_user', email: `user-${i}@example.com`, created_by_directory_id: id } as const
      created.push(await insertActor(own.id, fields))
    }
    const admin = await insertActor(own.id, {
      type: 'account_admin_user',
      email: 'second@example.com',
      created_by_directory_id: id,
    })
    const found = await insertActor(own.id, { type: 'account_user', email: 'found@example.com' })
    const issuer = 'https://idp.example.com'
    await insertIdentity(own.id, found.id, { directory_id: id, issuer })
    const provider = await insertRow(own.id, authProviders.idp, { issuer, name: 'Idp' } as never)
    // On both sides of a page of actors, and more than one commit deletes.
    const holders = [...created.slice(0, 12), ...created.slice(48), found]
    for (const { id: holder } of holders) {
      const fields = { expires_at: '2999-01-01T00:00:00.000000Z', auth_provider_id: provider.id }
      await commit({ accountId: own.id, subject: null }, (transaction) => mintClientToken(transaction, holder, fields))
    }
    const synced = await group(own, id, 'Synced')
    const policy = await insertRow(own.id, policies, {
      group_id: synced.id,
      resource_id: own.id,
      conditions: [],
      is_disabled: false,
    } as never)

    expect((await send('idp', 'DELETE', { on: own, id })).status).toBe(200)
    expect((await send('idp', 'GET', { on: own, id })).status).toBe(404)
    for (const { id: holder } of holders) {
      expect(await rowsBy(clientTokens, own.id, 'actor_id', holder)).toEqual([])
    }
    expect(await getRow(policies, own.id, policy.id)).toMatchObject({ group_id: null })
    expect(await getRow(actors, own.id, admin.id)).toBeNull()
    expect((await rowsBy(actors, own.id, 'created_by_directory_id', id)).length).toBeGreaterThan(0)

    await followUpAll(own.id)
    expect(await rowsBy(actors, own.id, 'created_by_directory_id', id)).toEqual([])
    expect(await rowsBy(groups, own.id, 'directory_id', id)).toEqual([])
    expect(await rowsBy(externalIdentities, own.id, 'directory_id', id)).toEqual([])
    expect(await getRow(actors, own.id, found.id)).not.toBeNull()
    const deletions = (await commitsOf(own.id)).flatMap(({ subject, changes }) =>
      changes.filter(({ operation }) => operation === 'delete').map(({ object }) => ({ object, subject })),
    )
    expect(deletions.filter(({ object }) => object === 'actors')).toHaveLength(61)
    expect(deletions.filter(({ object }) => object === 'client_tokens')).toHaveLength(25)
    expect(new Set(deletions.map(({ subject }) => subject?.actor_id))).toEqual(new Set([own.apiClient.id]))
  })

  it('keeps the acting actor and the last administrator', async () => {
    const own = await newAccount()
    const { id } = await made('suite', own)
    const client = await getRow(actors, own.id, own.apiClient.id)
    const admin = await getRow(actors, own.id, own.admin.id)
    if (!client || !admin) throw new Error('They are gone.')
    await updateRow(own.id, actors, client, { created_by_directory_id: id })
    expect((await send('suite', 'DELETE', { on: own, id })).body.code).toBe('own_actor')
    await updateRow(own.id, actors, { ...client, created_by_directory_id: id }, { created_by_directory_id: null })
    await updateRow(own.id, actors, admin, { created_by_directory_id: id })
    expect((await send('suite', 'DELETE', { on: own, id })).body.code).toBe('last_admin')
    await insertActor(own.id, { type: 'account_admin_user', email: 'second@example.com' })
    expect((await send('suite', 'DELETE', { on: own, id })).status).toBe(200)
  })
})
