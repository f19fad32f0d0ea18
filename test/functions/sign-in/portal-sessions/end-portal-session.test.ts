import type { ServerResponse } from 'node:http'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { handler as getAccount } from '#functions/api/account/get-account.ts'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import { handler as endPortalSession } from '#functions/sign-in/portal-sessions/end-portal-session.ts'
import type { ProviderKind } from '#shared/domain/auth-providers/auth-provider.ts'
import { type PlainProvider, startPlainProvider } from '#test/fakes/plain-provider.ts'
import { type Account, call, newAccount } from '#test/support/accounts/account.ts'
import { signInWith } from '#test/support/accounts/portal-sessions.ts'
import { insertLocalProvider } from '#test/support/sign-in/sign-in.ts'
import { stubProviders, tenant } from '#test/support/sign-in/sign-in-world.ts'

let account: Account
beforeAll(async () => {
  account = await newAccount()
})
const end = (token: string | null) => call(endPortalSession, { method: 'DELETE', path: '/sign_in/session', token })

describe('DELETE /sign_in/session (I2.6)', () => {
  it('ends only the session of its token', async () => {
    const one = await signInWith(account, 'portal')
    const other = await signInWith(account, 'portal', { actorId: one.actor.id, provider: one.provider })
    const answer = await end(one.token)
    expect([answer.status, answer.body]).toEqual([200, { data: { id: expect.any(String), end_session_url: null } }])
    expect((await call(getAccount, { token: one.token })).status).toBe(401)
    expect((await call(getAccount, { token: other.token })).status).toBe(200)
    const logged = await account.call(listLogs, { query: { type: 'session', actor_id: one.actor.id } })
    expect(logged.body.data.map(({ subject }: { subject: { token_id: string } }) => subject.token_id)).toContain(
      answer.body.data.id,
    )
  })

  it('refuses an ended session and other credentials', async () => {
    const { token } = await signInWith(account, 'portal')
    expect((await end(token)).status).toBe(200)
    for (const wrong of [token, null, 'nap_x', account.token]) {
      const { status, body } = await end(wrong)
      expect([status, body.code]).toEqual([401, 'unauthorized'])
    }
  })

  it('is not in the request log, like all of sign-in', async () => {
    const { token, actor } = await signInWith(account, 'portal')
    await end(token)
    const logged = await account.call(listLogs, { query: { type: 'api_request', actor_id: actor.id } })
    expect(logged.body.data).toEqual([])
  })

  it('ends once for concurrent requests', async () => {
    const { token } = await signInWith(account, 'portal')
    const answers = await Promise.all(Array.from({ length: 20 }, () => end(token)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(19)
  })
})

describe('the address that ends the session at the provider', () => {
  let fake: PlainProvider
  afterEach(async () => {
    vi.unstubAllEnvs()
    await fake.close()
  })

  /** Ends a portal session whose provider returns this discovery document. */
  async function signOut(kind: ProviderKind, answering: Parameters<PlainProvider['misbehave']>[1]) {
    fake = await startPlainProvider({ path: `/${tenant}/v2.0` })
    stubProviders(fake)
    fake.misbehave('discovery', answering)
    const provider = await insertLocalProvider(account.id, fake, kind)
    const { token } = await signInWith(account, 'portal', { provider, kind })
    const { status, body } = await end(token)
    expect([status, (await call(getAccount, { token })).status]).toEqual([200, 401])
    return { url: body.data.end_session_url as string | null, clientId: provider.client_id }
  }
  const naming = (end_session_endpoint: unknown): Parameters<PlainProvider['misbehave']>[1] => {
    return (answer) => fake.send(answer, 200, { ...fake.document(), end_session_endpoint })
  }

  it("is the address of the provider's document, with the client id", async () => {
    const { url, clientId } = await signOut('oidc', naming('https://login.example.com/logout?realm=staff'))
    expect(url).toBe(`https://login.example.com/logout?realm=staff&client_id=${clientId}`)
  })

  it("has the client id of the deployment for the deployment's app", async () => {
    const { url } = await signOut('tenant', naming('https://login.example.com/logout'))
    expect(url).toBe('https://login.example.com/logout?client_id=tenant-app')
  })

  it.each([undefined, null, '', 'logout', 'http://login.example.com/logout', 'javascript:alert(1)'])(
    'is null for a document with %j',
    async (endpoint) => {
      expect((await signOut('oidc', naming(endpoint))).url).toBeNull()
    },
  )

  it('is null for a kind whose provider requires an ID token, which is not stored', async () => {
    expect((await signOut('idp', naming('https://login.example.com/logout'))).url).toBeNull()
  })

  it('is null if the provider does not respond, and signing out does not wait for it', async () => {
    let waiting: ServerResponse | undefined
    const silent = (answer: ServerResponse) => {
      waiting = answer
    }
    expect((await signOut('oidc', silent)).url).toBeNull()
    // Expects that the request to the provider is not aborted before its timeout.
    expect(waiting?.closed).toBe(false)
    await fake.close()
    expect((await signOut('oidc', (answer) => answer.destroy())).url).toBeNull()
  })
})
