import { beforeAll, describe, expect, it } from 'vitest'
import { handler as getAccount } from '#functions/api/account/get-account.ts'
import { handler as startClientSession } from '#functions/api/client-sessions/start-client-session.ts'
import { handler as listClientTokens } from '#functions/api/client-tokens/list-client-tokens.ts'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import { handler as provision } from '#functions/tasks/provision-account.ts'
import { clientTokens } from '#shared/domain/client-tokens/client-token.ts'
import { rowsBy } from '#shared/table/read.ts'
import { publicKey } from '#test/support/access/public-key.ts'
import { type Account, call, newAccount } from '#test/support/accounts/account.ts'
import { insertAdmin, insertProvider, signInOrigin, signInWith } from '#test/support/accounts/portal-sessions.ts'
import { insertActor } from '#test/support/accounts/rows.ts'
import { writeChangeLogOf } from '#test/support/logs/commit-stream.ts'

let account: Account
beforeAll(async () => {
  account = await newAccount()
})

const secondsUntil = (at: string) => (Date.parse(at) - Date.now()) / 1000
const logs = async (type: string, actor_id?: string) =>
  (await account.call(listLogs, { query: { type, ...(actor_id && { actor_id }) } })).body.data

describe('a sign-in for a client (I2.6)', () => {
  it('issues a client token of the actor and provider, with the lifetime of the provider', async () => {
    const provider = await insertProvider(account.id, 'idp', { client_session_lifetime_secs: 7_200 })
    const user = await insertActor(account.id, { type: 'account_user', name: 'Grace', email: 'grace@example.com' })
    const issued = await signInWith(account, 'client', { actorId: user.id, provider, kind: 'idp' })
    expect(issued).toMatchObject({
      token: expect.stringMatching(/^nac_/),
      actor: { id: user.id, name: 'Grace', email: 'grace@example.com', type: 'account_user' },
    })
    expect(Object.keys(issued.actor)).toHaveLength(4)
    expect(secondsUntil(issued.expires_at)).toBeGreaterThan(7_100)
    expect(secondsUntil(issued.expires_at)).toBeLessThanOrEqual(7_200)

    const session = { svc_id: 'laptop', public_key: publicKey(), version: '1.4.0' }
    expect((await call(startClientSession, { method: 'POST', token: issued.token, body: { session } })).status).toBe(
      201,
    )
    const listed = await account.call(listClientTokens, { params: { actor_id: user.id } })
    expect(listed.body.data).toMatchObject([{ actor_id: user.id, expires_at: issued.expires_at }])
    const [token] = await rowsBy(clientTokens, account.id, 'actor_id', user.id)
    expect(token?.auth_provider_id).toBe(provider.id)

    await writeChangeLogOf(account.id)
    const changes = (await logs('change')).filter(({ after }: { after: { id?: string } }) => after?.id === token?.id)
    expect(changes).toMatchObject([{ object: 'client_tokens', operation: 'insert', subject: null }])
    expect(await logs('session', user.id)).toMatchObject([
      { context: 'client', subject: { auth_provider_id: provider.id } },
    ])
  })
})

describe('a sign-in for the portal (I2.6)', () => {
  it('issues a session for the account API, and logs it', async () => {
    const provider = await insertProvider(account.id, 'tenant', { portal_session_lifetime_secs: 300 })
    const admin = await insertAdmin(account.id)
    const issued = await signInWith(account, 'portal', { actorId: admin.id, provider })
    expect(issued.token).toMatch(/^nap_/)
    expect(secondsUntil(issued.expires_at)).toBeGreaterThan(200)
    expect(secondsUntil(issued.expires_at)).toBeLessThanOrEqual(300)
    expect((await call(getAccount, { token: issued.token })).body.data.id).toBe(account.id)

    const [entry, ...others] = await logs('session', admin.id)
    expect(others).toEqual([])
    expect(entry).toMatchObject({ type: 'session', context: 'portal' })
    expect(entry.subject).toEqual({
      actor_id: admin.id,
      actor_name: admin.name,
      actor_type: 'account_admin_user',
      actor_email: admin.email,
      auth_provider_id: provider.id,
      device_id: null,
      gateway_id: null,
      token_id: expect.any(String),
      ...signInOrigin,
    })
  })

  it('records no change, and creates no client token', async () => {
    const admin = await insertAdmin(account.id)
    await writeChangeLogOf(account.id)
    const before = (await logs('change')).length
    const { provider } = await signInWith(account, 'portal', { actorId: admin.id })
    await writeChangeLogOf(account.id)
    const entries = await logs('change')
    expect(entries.slice(0, entries.length - before).map(({ after }: { after: { id: string } }) => after.id)).toEqual([
      provider.id,
    ])
    expect(await rowsBy(clientTokens, account.id, 'actor_id', admin.id)).toEqual([])
  })
})

describe('a sign-in that is refused (I2.4)', () => {
  it('reports its reason and actor internally, and stores nothing', async () => {
    const user = await insertActor(account.id, { type: 'account_user', name: 'Alan', email: 'alan@example.com' })
    await expect(signInWith(account, 'portal', { actorId: user.id })).rejects.toMatchObject({
      reason: 'actor_not_admin',
      actorId: user.id,
    })
    expect(await logs('session', user.id)).toEqual([])
  })

  it('checks the users limit for clients, but not for the portal', async () => {
    const crowded = await newAccount()
    const user = await insertActor(crowded.id, { type: 'account_user', name: 'Alan', email: 'alan@example.com' })
    const limitTo = (users_count: number) =>
      provision({ operation: 'update_account', account_id: crowded.id, account: { limits: { users_count } } })
    await limitTo(1)
    await expect(signInWith(crowded, 'client', { actorId: user.id })).rejects.toMatchObject({
      reason: 'above_users_limit',
    })
    expect((await signInWith(crowded, 'portal', { actorId: crowded.admin.id })).token).toMatch(/^nap_/)
    await limitTo(2)
    expect((await signInWith(crowded, 'client', { actorId: user.id })).token).toMatch(/^nac_/)
  })
})
