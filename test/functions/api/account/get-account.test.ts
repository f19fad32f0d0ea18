import { afterEach, describe, expect, it, vi } from 'vitest'
import { handler as getAccount } from '#functions/api/account/get-account.ts'
import { handler as startSession } from '#functions/api/client-sessions/start-client-session.ts'
import { handler as createSite } from '#functions/api/sites/create-site.ts'
import { handler as provision } from '#functions/tasks/provision-account.ts'
import { commit } from '#shared/commit/commit.ts'
import { clock } from '#shared/core/clock.ts'
import { actors } from '#shared/domain/actors/actor.ts'
import { mintClientToken } from '#shared/domain/client-tokens/client-token.ts'
import { publicKey } from '#test/support/access/public-key.ts'
import { call, newAccount } from '#test/support/accounts/account.ts'
import { insertActor, updateRow } from '#test/support/accounts/rows.ts'

type Account = Awaited<ReturnType<typeof newAccount>>

afterEach(() => {
  vi.restoreAllMocks()
})

const limitsOf = async (account: Account) => (await account.call(getAccount)).body.data.limits

async function useDevice(account: Account, actorId: string, svc_id: string): Promise<void> {
  const { token } = await commit({ accountId: account.id, subject: null }, (transaction) =>
    mintClientToken(transaction, actorId, { expires_at: '2099-01-01T00:00:00Z', auth_provider_id: null }),
  )
  const session = { svc_id, public_key: publicKey(), version: '1.4.0' }
  const { status, text } = await call(startSession, { method: 'POST', token, body: { session } })
  expect(status, text).toBe(201)
}

describe('GET /account (A11)', () => {
  it('shows exactly these fields, without unset limits', async () => {
    const account = await newAccount({ slug: undefined, name: 'Shown', legal_name: ' Shown Ltd ' })
    const { status, body } = await account.call(getAccount)
    expect(status).toBe(200)
    expect(body).toEqual({
      data: {
        id: account.id,
        slug: expect.stringMatching(/^shown(-[a-z0-9]{6})?$/),
        key: expect.stringMatching(/^[a-z0-9]{6}$/),
        name: 'Shown',
        legal_name: 'Shown Ltd',
        limits: {},
      },
    })
  })

  it('requires no scope', async () => {
    const account = await newAccount()
    const api_token = { expires_at: '2099-01-01T00:00:00Z', scopes: ['logs:read'] }
    const made = await provision({
      operation: 'create_api_token',
      token_in: 'answer',
      account_id: account.id,
      api_token,
    })
    const { token } = (made as { data: { api_token: { token: string } } }).data.api_token
    expect((await account.call(getAccount, { token })).status).toBe(200)
  })

  it('counts enabled actors by type, and sites without the Internet Site', async () => {
    const account = await newAccount({
      limits: { users_count: 10, service_accounts_count: 1, account_admin_users_count: 0, sites_count: 5 },
    })
    await insertActor(account.id, { type: 'account_user', email: 'a@example.com' })
    await insertActor(account.id, { type: 'account_user', email: 'b@example.com', is_disabled: true })
    await insertActor(account.id, { is_disabled: true })
    await insertActor(account.id)
    await insertActor(account.id, { type: 'api_client' })
    await account.call(createSite, { method: 'POST', body: { site: { name: 'Berlin' } } })
    expect(await limitsOf(account)).toEqual({
      users: { used: 2, available: 8, total: 10 },
      service_accounts: { used: 1, available: 0, total: 1 },
      account_admin_users: { used: 1, available: 0, total: 0 },
      sites: { used: 2, available: 3, total: 5 },
    })
  })

  it('counts every person with a device seen within the last month once', async () => {
    const account = await newAccount({ limits: { monthly_active_users_count: 3 } })
    expect(await limitsOf(account)).toEqual({ monthly_active_users: { used: 0, available: 3, total: 3 } })

    const person = (email: string) => insertActor(account.id, { type: 'account_user', email })
    const [ann, eve] = [await person('ann@example.com'), await person('eve@example.com')]
    await person('never-seen@example.com')
    const robot = await insertActor(account.id)
    for (const [actor, device] of [
      [ann, 'laptop'],
      [ann, 'phone'],
      [eve, 'laptop'],
      [robot, 'server'],
    ] as const) {
      await useDevice(account, actor.id, device)
    }
    expect((await limitsOf(account)).monthly_active_users).toEqual({ used: 2, available: 1, total: 3 })
    const updated = await provision({ operation: 'update_account', account_id: account.id, account: {} })
    expect(updated).toMatchObject({ data: { account: { limits: { monthly_active_users: { used: 2 } } } } })

    await updateRow(account.id, actors, eve, { is_disabled: true })
    expect((await limitsOf(account)).monthly_active_users.used).toBe(1)

    const real = clock.now
    vi.spyOn(clock, 'now').mockImplementation(() => real() + 31 * 86_400_000_000)
    expect((await limitsOf(account)).monthly_active_users.used).toBe(0)
  })
})
