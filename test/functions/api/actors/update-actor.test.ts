import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { handler as getAccount } from '#functions/api/account/get-account.ts'
import { handler as updateActor } from '#functions/api/actors/update-actor.ts'
import { handler as createApiToken } from '#functions/api/api-tokens/create-api-token.ts'
import { handler as createClientToken } from '#functions/api/client-tokens/create-client-token.ts'
import { handler as listClientTokens } from '#functions/api/client-tokens/list-client-tokens.ts'
import { handler as listExternalIdentities } from '#functions/api/external-identities/list-external-identities.ts'
import type { ActorRow } from '#shared/domain/actors/actor.ts'
import { clientTokens } from '#shared/domain/client-tokens/client-token.ts'
import { portalSessions } from '#shared/domain/portal-sessions/portal-session.ts'
import { rowsBy } from '#shared/table/read.ts'
import { type Account, call, newAccount } from '#test/support/accounts/account.ts'
import { blank, person, robot } from '#test/support/accounts/actors.ts'
import { apiTokensApi, inAnHour, newApiClient, withScopes } from '#test/support/accounts/api-tokens.ts'
import { providers } from '#test/support/accounts/auth-providers.ts'
import { actorsApi } from '#test/support/accounts/collections.ts'
import { insertIdentity, mintProviderToken, newIssuer, newPerson } from '#test/support/accounts/identities.ts'
import { insertAdmin, signInWith } from '#test/support/accounts/portal-sessions.ts'
import { insertActor } from '#test/support/accounts/rows.ts'
import { mustBe } from '#test/support/form-messages.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'
import { withTitles } from '#test/support/run/titles.ts'

type Fields = Record<string, unknown>

const { create, get, update } = actorsApi

let account: Account
beforeAll(async () => {
  account = await newAccount()
})

describe('PATCH /actors/{id}', () => {
  it.each([
    ['account_user', 'account_admin_user', null],
    ['account_admin_user', 'account_user', null],
    ['account_user', 'service_account', 'users and admins cannot become service accounts or API clients'],
    ['account_admin_user', 'api_client', 'users and admins cannot become service accounts or API clients'],
    ['service_account', 'api_client', 'service accounts and API clients cannot change their type'],
    ['service_account', 'account_user', 'service accounts and API clients cannot change their type'],
    ['api_client', 'account_admin_user', 'service accounts and API clients cannot change their type'],
    ['api_client', 'api_client', null],
  ] as const)('from %s to %s returns the message %j (A12.3)', async (from, to, message) => {
    const email = from.startsWith('account') ? (person().email as string) : null
    const { id } = await insertActor(account.id, { type: from, email })
    const { status, body } = await update(account, id, { type: to })
    expect([status, body.errors]).toEqual(message ? [422, { type: [message] }] : [200, undefined])
    expect((await get(account, id)).body.data.type).toBe(message ? from : to)
  })

  it('refuses fields that the type does not have', async () => {
    const { id } = (await create(account, person())).body.data
    expect((await update(account, id, { email: null, name: '' })).body.errors).toEqual({
      email: [blank],
      type: ['is invalid'],
      name: [blank],
    })
    expect((await update(account, id, { email: 'ada@EXAMPLE.com' })).body.errors).toEqual({
      email: ['has already been taken'],
    })
    const machine = (await create(account, robot)).body.data
    expect((await update(account, machine.id, { email: 'a@example.com' })).body.errors).toEqual({
      email: ['must be blank'],
      type: ['is invalid'],
    })
    expect((await update(account, machine.id, { email: '' })).status).toBe(200)
  })

  it.each(
    withTitles<[Fields, Record<string, string[]>]>([
      [{ name: 'x'.repeat(256) }, { name: ['should be at most 255 character(s)'] }],
      [
        { name: null, is_disabled: null },
        { name: [blank], is_disabled: [blank] },
      ],
      [
        { type: 'robot' },
        { type: [mustBe.oneOf('account_user', 'account_admin_user', 'service_account', 'api_client')] },
      ],
      [{ email: 'nobody' }, { email: ['is an invalid email address'] }],
      [{ allow_email_otp_sign_in: 7 }, { allow_email_otp_sign_in: [mustBe.boolean] }],
    ]),
  )('refuses %s', async (_name, fields, errors) => {
    const actor = (await create(account, person())).body.data
    const answer = await update(account, actor.id, fields)
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
    expect((await get(account, actor.id)).body.data).toEqual(actor)
  })

  it('changes the case of an email, which stays taken in any case', async () => {
    const { id } = (await create(account, person({ email: 'case@example.com' }))).body.data
    expect((await update(account, id, { email: 'CASE@example.com' })).body.data.email).toBe('CASE@example.com')
    expect((await create(account, person({ email: 'case@example.com' }))).status).toBe(422)
    expect((await update(account, id, { email: 'moved@example.com' })).status).toBe(200)
    expect((await create(account, person({ email: 'case@example.com' }))).status).toBe(201)
  })

  it('writes nothing if all values are equal (A2.8, A12.4)', async () => {
    const ownAccount = await newAccount()
    const actor = (await create(ownAccount, robot)).body.data
    const commits = (await readCommits(ownAccount.id)).length
    for (const change of [{}, { name: 'Robot', is_disabled: 'false' }, { type: 'service_account' }, { id: 'x' }]) {
      expect((await update(ownAccount, actor.id, change)).body.data).toEqual(actor)
    }
    expect((await readCommits(ownAccount.id)).length).toBe(commits)
    const disabled = (await update(ownAccount, actor.id, { is_disabled: true })).body.data
    expect((await update(ownAccount, actor.id, { is_disabled: true })).body.data).toEqual(disabled)
  })
})

describe('the limits of PATCH /actors/{id} (A11)', () => {
  const refused = (answer: { status: number; body: Fields }) => [answer.status, answer.body.code, answer.body.limit]

  it('of admins is checked by a promotion; demoting and enabling check none', async () => {
    const ownAccount = await newAccount({ limits: { users_count: 2, account_admin_users_count: 2 } })
    const { id } = (await create(ownAccount, person({ type: 'account_admin_user' }))).body.data
    const user = await insertActor(ownAccount.id, { type: 'account_user', email: 'user@example.com' })
    expect(refused(await update(ownAccount, user.id, { type: 'account_admin_user' }))).toEqual([
      403,
      'limit_reached',
      'account_admin_users',
    ])
    expect((await update(ownAccount, id, { type: 'account_user' })).status).toBe(200)
    expect((await update(ownAccount, user.id, { type: 'account_admin_user' })).status).toBe(200)
    expect((await update(ownAccount, id, { is_disabled: true })).status).toBe(200)
    await insertActor(ownAccount.id, { type: 'account_user', email: 'late@example.com' })
    expect((await update(ownAccount, id, { is_disabled: false })).status).toBe(200)
  })
})

describe('actors that PATCH /actors/{id} protects (A12.4)', () => {
  const code = ({ status, body }: { status: number; body: Fields }) => [status, body.code]

  it('renames the acting actor, but neither disables it nor changes its type', async () => {
    const ownAccount = await newAccount()
    expect(code(await update(ownAccount, ownAccount.apiClient.id, { is_disabled: true }))).toEqual([403, 'own_actor'])
    expect(code(await update(ownAccount, ownAccount.apiClient.id, { type: 'service_account' }))).toEqual([
      403,
      'own_actor',
    ])
    const changes = { name: 'Renamed', is_disabled: false, type: 'api_client' }
    expect((await update(ownAccount, ownAccount.apiClient.id, changes)).status).toBe(200)
  })

  it('keeps the last enabled administrator, and checks this before the fields', async () => {
    const ownAccount = await newAccount()
    await create(ownAccount, person({ type: 'account_admin_user', is_disabled: true }))
    expect(code(await update(ownAccount, ownAccount.admin.id, { is_disabled: true, name: '' }))).toEqual([
      403,
      'last_admin',
    ])
    expect(code(await update(ownAccount, ownAccount.admin.id, { type: 'account_user' }))).toEqual([403, 'last_admin'])
    expect((await update(ownAccount, ownAccount.admin.id, { name: 'Augusta', is_disabled: false })).status).toBe(200)
    await create(ownAccount, person({ type: 'account_admin_user' }))
    expect((await update(ownAccount, ownAccount.admin.id, { type: 'account_user' })).status).toBe(200)
  })
})

describe('effects of PATCH /actors/{id} (A12.5, A30)', () => {
  it('changing an email deletes all identities in the same commit, with the tokens of their issuers', async () => {
    const actor = await newPerson(account)
    const issuer = newIssuer()
    await insertIdentity(account.id, actor.id, { issuer })
    await insertIdentity(account.id, actor.id, { issuer: newIssuer() })
    await mintProviderToken(account, actor.id, issuer)
    const identities = async () =>
      (await account.call(listExternalIdentities, { params: { actor_id: actor.id } })).body.metadata.total
    expect((await update(account, actor.id, { email: (actor.email as string).toUpperCase() })).status).toBe(200)
    expect(await identities()).toBe(2)
    expect((await update(account, actor.id, { email: `new-${actor.email}` })).status).toBe(200)
    expect(await identities()).toBe(0)
    expect(await rowsBy(clientTokens, account.id, 'actor_id', actor.id)).toEqual([])
    const objects = (await readCommits(account.id)).at(-1)?.changes.map(({ object }) => object)
    expect(objects?.sort()).toEqual(['actors', 'client_tokens', 'external_identities', 'external_identities'])
  })

  it('disallowing passcodes deletes only the tokens and sessions from passcodes, in the same commit', async () => {
    const ownAccount = await newAccount()
    const { id } = await insertActor(ownAccount.id, { type: 'account_admin_user', email: 'ada@example.com' })
    await update(ownAccount, id, { allow_email_otp_sign_in: true })
    await signInWith(ownAccount, 'client', { actorId: id, kind: 'email_otp' })
    const [provider] = (await providers.email_otp.list(ownAccount)).body.data
    await signInWith(ownAccount, 'portal', { actorId: id, kind: 'email_otp', provider })
    const other = await signInWith(ownAccount, 'client', { actorId: id })
    await update(ownAccount, id, { allow_email_otp_sign_in: true })
    expect(await rowsBy(clientTokens, ownAccount.id, 'actor_id', id)).toHaveLength(2)
    await update(ownAccount, id, { allow_email_otp_sign_in: false })
    expect(await rowsBy(clientTokens, ownAccount.id, 'actor_id', id)).toMatchObject([
      { auth_provider_id: other.provider.id },
    ])
    expect(await rowsBy(portalSessions, ownAccount.id, 'actor_id', id)).toEqual([])
    const objects = (await readCommits(ownAccount.id)).at(-1)?.changes.map(({ object }) => object)
    expect(objects).toEqual(['client_tokens', 'actors'])
  })

  it('disabling a service account deletes its client tokens permanently', async () => {
    const { id } = (await create(account, robot)).body.data
    const client_token = { expires_at: '2099-01-01T00:00:00Z' }
    await account.call(createClientToken, { method: 'POST', params: { actor_id: id }, body: { client_token } })
    const tokens = async () => (await account.call(listClientTokens, { params: { actor_id: id } })).body.data.length
    expect(await tokens()).toBe(1)
    await update(account, id, { is_disabled: true })
    await update(account, id, { is_disabled: false })
    expect(await tokens()).toBe(0)
  })

  it('the API tokens of a disabled API client are refused until it is enabled', async () => {
    const { id } = (await create(account, { name: 'Pipeline', type: 'api_client' })).body.data
    const api_token = { expires_at: '2099-01-01T00:00:00Z' }
    const made = await account.call(createApiToken, { method: 'POST', params: { actor_id: id }, body: { api_token } })
    const status = async () => (await call(getAccount, { token: made.body.data.token })).status
    expect(await status()).toBe(200)
    await update(account, id, { is_disabled: true })
    expect(await status()).toBe(401)
    await update(account, id, { is_disabled: false })
    expect(await status()).toBe(200)
  })
})

describe('PATCH /actors/{id} by a token without the scope * (A12.4(4))', () => {
  const admin = { type: 'account_admin_user' as const, allow_email_otp_sign_in: false, is_disabled: false }
  const user = { ...admin, type: 'account_user' as const }
  const readOnly = { portal_scopes: ['*:read' as const] }

  it.each<[string, Fields, Fields]>([
    ['does not promote', { type: 'account_user' }, { type: 'account_admin_user' }],
    ['does not enable an administrator', { ...admin, is_disabled: true }, { is_disabled: false }],
    ["does not change an administrator's email", admin, { email: `${randomUUID()}@example.com` }],
    ['does not allow passcodes to an administrator', admin, { allow_email_otp_sign_in: true }],
    ['does not set portal_scopes', { type: 'account_user' }, { portal_scopes: ['*:read'] }],
    ['does not limit an administrator', admin, { portal_scopes: ['*:read'] }],
    ['does not free a limited administrator', { ...admin, ...readOnly }, { portal_scopes: null }],
    ['does not enable a read-only person', { ...user, ...readOnly, is_disabled: true }, { is_disabled: false }],
    ["does not change a read-only person's email", { ...user, ...readOnly }, { email: `${randomUUID()}@example.com` }],
    ['does not allow passcodes to a read-only person', { ...user, ...readOnly }, { allow_email_otp_sign_in: true }],
    [
      'does not disallow passcodes to an administrator',
      { ...admin, allow_email_otp_sign_in: true },
      { allow_email_otp_sign_in: false },
    ],
  ])('%s, checked before validation', async (_name, fields, change) => {
    const actor = await insertActor(account.id, { email: `${randomUUID()}@example.com`, ...fields })
    const narrow = await withScopes(account, 'actors:write', 'tokens:write', '*:read')
    const { length } = await readCommits(account.id)
    const answer = await update(narrow, actor.id, { name: '', ...change })
    expect([answer.status, answer.body.code]).toEqual([403, 'scope_exceeded'])
    expect(answer.body.detail).toContain('requires a token with the scope *')
    expect(await readCommits(account.id)).toHaveLength(length)
    expect((await update(account, actor.id, change)).status).toBe(200)
  })

  it('renames, demotes and disables an administrator, and accepts equal values', async () => {
    const email = `${randomUUID()}@example.com`
    const actor = await insertActor(account.id, { ...admin, email, name: 'Grace' })
    const narrow = await withScopes(account, 'actors:write')
    for (const change of [{ name: 'Grace H.', email, ...admin }, { is_disabled: true }, { type: 'account_user' }]) {
      expect((await update(narrow, actor.id, change)).body.data).toMatchObject(change)
    }
  })

  it('repeats the portal_scopes of a person, and takes them away only with the scope *', async () => {
    const actor = await insertActor(account.id, { ...user, ...readOnly, email: `${randomUUID()}@example.com` })
    const narrow = await withScopes(account, 'actors:write')
    expect((await update(narrow, actor.id, { ...readOnly, name: 'Audit' })).body.data).toMatchObject(readOnly)
    expect((await update(narrow, actor.id, { portal_scopes: null })).body.code).toBe('scope_exceeded')
    expect((await get(account, actor.id)).body.data).toMatchObject(readOnly)
  })

  it.each<[string, string[], string, number]>([
    ['a wider token', ['*'], inAnHour(), 403],
    ['a token with other scopes', ['groups:read'], inAnHour(), 403],
    ['a token whose scopes are covered', ['actors:read'], inAnHour(), 200],
    ['no token', [], '', 200],
  ])('enables an API client with %s: %#', async (_name, scopes, expires_at, status) => {
    const id = await newApiClient(account)
    if (expires_at) await apiTokensApi.create(account, id, { expires_at, scopes })
    await update(account, id, { is_disabled: true })
    const narrow = await withScopes(account, 'actors:write')
    const answer = await update(narrow, id, { is_disabled: false })
    expect([answer.status, answer.body.code]).toEqual([status, status === 403 ? 'scope_exceeded' : undefined])
    expect((await get(account, id)).body.data.is_disabled).toBe(status === 403)
    expect((await update(account, id, { is_disabled: false })).status).toBe(200)
  })
})

describe('portal_scopes (K11.G14)', () => {
  const readOnly = { portal_scopes: ['*:read'] }
  const newAdmin = (of: Account) => insertAdmin(of.id)

  it.each([
    [[]],
    [['*']],
    [['*:read', '*:read']],
    [['groups:read']],
    ['*:read'],
    [''],
    [true],
    [{ 0: '*:read' }],
    [[null]],
  ])('cannot be %j', async (portal_scopes) => {
    const { id } = await newAdmin(account)
    const { status, body } = await update(account, id, { portal_scopes })
    expect([status, body.errors]).toEqual([422, { portal_scopes: ['must be null or ["*:read"]'] }])
  })

  it.each(['service_account', 'api_client'] as const)('cannot be set on a %s, but can be null', async (type) => {
    const { id } = await insertActor(account.id, { type })
    const { status, body } = await update(account, id, readOnly)
    expect([status, body.errors]).toEqual([422, { portal_scopes: ['is invalid'] }])
    expect((await update(account, id, { portal_scopes: null })).status).toBe(200)
  })

  it('ends the portal sessions of the actor, and only a change of it does', async () => {
    const { id } = await newAdmin(account)
    const sessions = async () => (await rowsBy(portalSessions, account.id, 'actor_id', id)).length
    const signIn = () => signInWith(account, 'portal', { actorId: id })
    await signIn()
    await update(account, id, { portal_scopes: null, name: 'Same scopes' })
    expect(await sessions()).toBe(1)
    await update(account, id, readOnly)
    expect(await sessions()).toBe(0)
    await signIn()
    await update(account, id, { ...readOnly, name: 'Again the same' })
    expect(await sessions()).toBe(1)
    await update(account, id, { portal_scopes: null })
    expect(await sessions()).toBe(0)
    const [change] = (await readCommits(account.id)).at(-1)?.changes.filter(({ object }) => object === 'actors') ?? []
    expect(change).toMatchObject({ before: { portal_scopes: ['*:read'] }, after: { portal_scopes: null } })
  })

  it('cannot be changed by the actor itself', async () => {
    const { id } = await newAdmin(account)
    const { token } = await signInWith(account, 'portal', { actorId: id })
    const change = (fields: Fields) =>
      call(updateActor, { method: 'PATCH', params: { id }, body: { actor: fields }, token })
    expect((await change(readOnly)).body.code).toBe('own_actor')
    expect((await change({ portal_scopes: null, name: 'Me' })).status).toBe(200)
  })

  it('cannot limit the last full administrator, who cannot be deleted, disabled or demoted either', async () => {
    const own = await newAccount()
    const { id } = own.admin
    const limited = await insertActor(own.id, {
      ...(person({ type: 'account_admin_user', ...readOnly }) as Partial<ActorRow>),
    })
    for (const change of [readOnly, { is_disabled: true }, { type: 'account_user' }])
      expect((await update(own, id, change)).body.code).toBe('last_admin')
    expect((await actorsApi.remove(own, id)).body.code).toBe('last_admin')
    expect((await update(own, limited.id, { is_disabled: true })).status).toBe(200)
    expect((await update(own, limited.id, { is_disabled: false, portal_scopes: null })).status).toBe(200)
    expect((await update(own, id, readOnly)).status).toBe(200)
    expect((await update(own, limited.id, readOnly)).body.code).toBe('last_admin')
    expect((await actorsApi.remove(own, id)).status).toBe(200)
  })
})
