import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { handler as getAccount } from '#functions/api/account/get-account.ts'
import { handler as deleteActor } from '#functions/api/actors/delete-actor.ts'
import { handler as updateActor } from '#functions/api/actors/update-actor.ts'
import { handler as createApiToken } from '#functions/api/api-tokens/create-api-token.ts'
import { handler as deleteProviderOfAnyKind } from '#functions/api/auth-providers/delete-auth-provider.ts'
import { handler as updateProviderOfAnyKind } from '#functions/api/auth-providers/update-auth-provider.ts'
import { handler as deleteIdentity } from '#functions/api/external-identities/delete-external-identity.ts'
import { handler as createGroup } from '#functions/api/groups/create-group.ts'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import { handler as provision } from '#functions/tasks/provision-account.ts'
import { handler as listUsers } from '#functions/v0/users/list-v0-users.ts'
import { actors } from '#shared/domain/actors/actor.ts'
import { portalSessions } from '#shared/domain/portal-sessions/portal-session.ts'
import { getRow, rowsBy } from '#shared/table/read.ts'
import { type Account, call, newAccount, withRoute } from '#test/support/accounts/account.ts'
import { insertIdentity } from '#test/support/accounts/identities.ts'
import { signInWith } from '#test/support/accounts/portal-sessions.ts'
import { updateRow } from '#test/support/accounts/rows.ts'
import { writeChangeLogOf } from '#test/support/logs/commit-stream.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'

const deleteProvider = withRoute(deleteProviderOfAnyKind, 'DELETE /tenant_auth_providers/{id}')
const updateProvider = withRoute(updateProviderOfAnyKind, 'PATCH /tenant_auth_providers/{id}')

type World = { account: Account } & Awaited<ReturnType<typeof signInWith>>

let world: World
beforeEach(async () => {
  const account = await newAccount()
  world = { account, ...(await signInWith(account, 'portal')) }
})
afterEach(() => {
  vi.restoreAllMocks()
})

const status = async (token = world.token) => (await call(getAccount, { token })).status
const stored = ({ account, actor } = world) => rowsBy(portalSessions, account.id, 'actor_id', actor.id)
const asAdmin = (handler: Parameters<typeof call>[0], id: string, body?: unknown, params = {}) =>
  world.account.call(handler, { method: body ? 'PATCH' : 'DELETE', params: { id, ...params }, body })
const setAccount = (is_disabled: boolean) =>
  provision({ operation: 'update_account', account_id: world.account.id, account: { is_disabled } })

describe('a portal session ends (A29, A30)', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['with its provider', () => asAdmin(deleteProvider, world.provider.id)],
    [
      'when its provider is disabled',
      () => asAdmin(updateProvider, world.provider.id, { tenant_auth_provider: { is_disabled: true } }),
    ],
    ['with its actor', () => asAdmin(deleteActor, world.actor.id)],
    ['when its actor is disabled', () => asAdmin(updateActor, world.actor.id, { actor: { is_disabled: true } })],
    ['when its actor is demoted', () => asAdmin(updateActor, world.actor.id, { actor: { type: 'account_user' } })],
    [
      'with the identity of its issuer',
      async () => {
        const { id } = await insertIdentity(world.account.id, world.actor.id, { issuer: world.provider.issuer })
        return asAdmin(deleteIdentity, id, undefined, { actor_id: world.actor.id })
      },
    ],
    [
      'when the email changes that its identity was matched by',
      async () => {
        await insertIdentity(world.account.id, world.actor.id, { issuer: world.provider.issuer })
        return asAdmin(updateActor, world.actor.id, { actor: { email: 'other@example.com' } })
      },
    ],
    ['when its account is disabled', () => setAccount(true)],
  ])('%s, before the response to the change', async (_when, change) => {
    expect(await status()).toBe(200)
    await change()
    expect(await status()).toBe(401)
    expect(await stored()).toEqual([])
  })

  it.each<[string, () => Promise<unknown>]>([
    [
      'its provider is enabled',
      () => asAdmin(updateProvider, world.provider.id, { tenant_auth_provider: { is_disabled: false } }),
    ],
    ['its actor is renamed', () => asAdmin(updateActor, world.actor.id, { actor: { name: 'Ada' } })],
    [
      'an identity of another issuer is deleted',
      async () => {
        const { id } = await insertIdentity(world.account.id, world.actor.id)
        return asAdmin(deleteIdentity, id, undefined, { actor_id: world.actor.id })
      },
    ],
  ])('not when %s', async (_when, change) => {
    await change()
    expect(await status()).toBe(200)
  })

  it('permanently, even if its causes are enabled again', async () => {
    await setAccount(true)
    await setAccount(false)
    expect(await status()).toBe(401)
    const again = await signInWith(world.account, 'portal', { actorId: world.actor.id, provider: world.provider })
    await asAdmin(updateActor, world.actor.id, { actor: { is_disabled: true } })
    await asAdmin(updateActor, world.actor.id, { actor: { is_disabled: false } })
    expect(await status(again.token)).toBe(401)
  })

  it('individually, in as many commits as necessary', async () => {
    const { account, actor, provider } = world
    for (let i = 0; i < 40; i++) await signInWith(account, 'portal', { actorId: actor.id, provider })
    expect((await asAdmin(deleteProvider, provider.id)).status).toBe(200)
    expect(await stored()).toEqual([])
  })
})

describe('a portal session acts as its administrator (A3.1(2))', () => {
  const create = (token = world.token) =>
    call(createGroup, { method: 'POST', path: '/groups', token, body: { group: { name: `G ${Math.random()}` } } })

  it('with every scope, and can create tokens of every scope', async () => {
    expect((await create()).status).toBe(201)
    expect((await call(listUsers, { path: '/v0/users', token: world.token })).status).toBe(200)
    const minted = await call(createApiToken, {
      method: 'POST',
      token: world.token,
      params: { actor_id: world.account.apiClient.id },
      body: { api_token: { expires_at: '2099-01-01T00:00:00Z', scopes: ['*'] } },
    })
    expect(minted.status).toBe(201)
  })

  it('and is logged as such (L5, L7.3)', async () => {
    const { account, actor, provider, token } = world
    const made = await create()
    await writeChangeLogOf(account.id)
    const [session] = await stored()
    const subject = { actor_id: actor.id, token_id: session?.id }
    const changes = await account.call(listLogs, { query: { type: 'change', actor_id: actor.id } })
    expect(changes.body.data).toMatchObject([
      {
        after: { id: made.body.data.id },
        subject: {
          ...subject,
          actor_name: actor.name,
          actor_type: 'account_admin_user',
          actor_email: actor.email,
          auth_provider_id: provider.id,
          device_id: null,
          gateway_id: null,
        },
      },
    ])
    const requests = await call(listLogs, { token, query: { type: 'api_request', actor_id: actor.id } })
    expect(requests.body.data).toMatchObject([
      { method: 'GET', actor_id: actor.id, api_token_id: null },
      { method: 'POST', path: '/groups', actor_id: actor.id, api_token_id: null },
    ])
  })

  it('and cannot delete or demote its own administrator (A12.4)', async () => {
    for (const change of [{ is_disabled: true }, { type: 'account_user' }]) {
      const refused = await call(updateActor, {
        method: 'PATCH',
        token: world.token,
        params: { id: world.actor.id },
        body: { actor: change },
      })
      expect([refused.status, refused.body.code]).toEqual([403, 'own_actor'])
    }
  })

  it('who must still be one: an actor demoted directly in the table is refused everything (A3.2)', async () => {
    const { account, actor, token } = world
    const row = await getRow(actors, account.id, actor.id)
    if (row) await updateRow(account.id, actors, row, { type: 'account_user' })
    expect([await status(), (await create(token)).body.code]).toEqual([403, 'forbidden'])
  })

  it('with the rate limit of its account, and the idempotency keys of its session (A8.3, A9)', async () => {
    const { account, actor, provider, token } = world
    const headers = { 'idempotency-key': 'same' }
    const ask = (by: string) =>
      call(createGroup, { method: 'POST', path: '/groups', token: by, headers, body: { group: { name: 'Same' } } })
    const first = await ask(token)
    expect(first.headers['ratelimit-policy']).toMatch(/^"account";/)
    expect((await ask(token)).text).toBe(first.text)
    const other = await signInWith(account, 'portal', { actorId: actor.id, provider })
    expect((await ask(other.token)).status).toBe(422)
  })

  it('at the table costs of an API token', async () => {
    const { account, token } = world
    // Returns the lowest cost of several requests, because some of them also renew the rate limit's lease or store the last-used time.
    const minCost = async (by: string) => {
      const all = []
      for (let i = 0; i < 6; i++) all.push(await measure(() => call(getAccount, { token: by })))
      return all.toSorted((one, other) => one.requests - other.requests)[0]
    }
    const [session, api] = [await minCost(token), await minCost(account.token)]
    // Expects one fewer read than for an API token, because a portal session has no last-used time.
    expect(session).toEqual({ ...api, reads: (api?.reads ?? 0) - 1 })
  })
})
