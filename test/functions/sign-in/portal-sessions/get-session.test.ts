import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { handler as getAccount } from '#functions/api/account/get-account.ts'
import { handler as startClientSession } from '#functions/api/client-sessions/start-client-session.ts'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import { handler as createSite } from '#functions/api/sites/create-site.ts'
import { handler as endPortalSession } from '#functions/sign-in/portal-sessions/end-portal-session.ts'
import { handler as getSession } from '#functions/sign-in/portal-sessions/get-session.ts'
import { handler as listUsers } from '#functions/v0/users/list-v0-users.ts'
import { type Account, type Answer, call, newAccount } from '#test/support/accounts/account.ts'
import { withScopes } from '#test/support/accounts/api-tokens.ts'
import { signInWith } from '#test/support/accounts/portal-sessions.ts'
import { type Consumed, measure } from '#test/support/table/consumed-capacity.ts'

let account: Account
let other: Account
let token: string
let otherToken: string
let adminId: string
let providerId: string
beforeAll(async () => {
  ;[account, other] = [await newAccount(), await newAccount()]
  const issued = await signInWith(account, 'portal')
  token = issued.token
  adminId = issued.actor.id
  providerId = issued.provider.id
  otherToken = (await signInWith(other, 'portal')).token
})
beforeEach(() => {
  vi.stubEnv('SERVICE_URL', 'https://access.example.com')
})
afterEach(() => vi.unstubAllEnvs())

const cookieOf = ({ slug }: Account, value: string) => `__Host-console-${slug}=${value}`
const headersOf = ({ slug }: Account) => ({ 'x-console': slug, 'sec-fetch-site': 'same-origin' })

describe('GET /sign_in/session (K11.G1)', () => {
  it('returns the state of a portal session', async () => {
    const { status, body, headers } = await call(getSession, { token })
    expect([status, headers['cache-control'], body.data]).toEqual([
      200,
      'private, no-cache',
      {
        account: { id: account.id, slug: account.slug, name: 'Test account' },
        actor: { id: adminId, name: 'Grace', email: expect.any(String), type: 'account_admin_user' },
        credential: {
          kind: 'portal_session',
          id: expect.any(String),
          context: 'portal',
          auth_provider_id: providerId,
          expires_at: expect.any(String),
        },
        scopes: ['*'],
        change_count: expect.any(Number),
      },
    ])
  })

  it('returns the scopes of an API token, and needs none', async () => {
    const narrow = await withScopes(account, 'sites:read')
    const { status, body } = await narrow.call(getSession)
    const credential = { kind: 'api_token', context: null, auth_provider_id: null }
    expect([status, body.data]).toMatchObject([200, { credential, scopes: ['sites:read'] }])
  })

  it('counts the entries of the change log', async () => {
    const count = async () => (await call(getSession, { token })).body.data.change_count
    const before = await count()
    await account.call(createSite, { method: 'POST', body: { site: { name: 'Counted' } } })
    expect(await count()).toBe(before + 1)
  })

  it('costs at most 6 read units and no write unit, and has no entry in the request log', async () => {
    for (const credential of [token, account.token]) {
      // Measures several requests, because a request may also renew a lease of the rate limit.
      const costs: Consumed[] = []
      for (let i = 0; i < 4; i++) costs.push(await measure(() => call(getSession, { token: credential })))
      for (const { reads } of costs) expect(reads).toBeLessThanOrEqual(6)
      expect(costs.map(({ writes }) => writes)).toContain(0)
    }
    const { body } = await account.call(listLogs, { query: { type: 'api_request', actor_id: adminId } })
    expect(body.data.filter(({ path }: { path: string }) => path.startsWith('/sign_in'))).toEqual([])
  })

  it("uses the account's rate limit (A9)", async () => {
    expect((await call(getSession, { token })).headers['ratelimit-policy']).toMatch(/^"account";/)
  })
})

type Attempt = { headers?: Record<string, string>; cookies?: string[] }

/** Requests that carry the valid cookie but must not be authenticated by it, and requests with other cookies (K3.3). */
const attempts: Record<string, () => Attempt> = {
  'no X-Console': () => ({ headers: { 'sec-fetch-site': 'same-origin' } }),
  'no Sec-Fetch-Site': () => ({ headers: { 'x-console': account.slug } }),
  'a page of another port or host of the site': () => ({
    headers: { ...headersOf(account), 'sec-fetch-site': 'same-site' },
  }),
  'a page of another site': () => ({ headers: { ...headersOf(account), 'sec-fetch-site': 'cross-site' } }),
  'a navigation': () => ({ headers: { ...headersOf(account), 'sec-fetch-site': 'none' } }),
  'two values of Sec-Fetch-Site': () => ({
    headers: { ...headersOf(account), 'sec-fetch-site': 'same-origin, cross-site' },
  }),
  'an invalid Authorization': () => ({ headers: { ...headersOf(account), authorization: 'Bearer x' } }),
  'an empty Authorization': () => ({ headers: { ...headersOf(account), authorization: '' } }),
  'the slug of an account without a cookie': () => ({ headers: headersOf(other) }),
  'the slug in upper case': () => ({ headers: { ...headersOf(account), 'x-console': account.slug.toUpperCase() } }),
  'two slugs': () => ({ headers: { ...headersOf(account), 'x-console': `${account.slug}, ${account.slug}` } }),
  'an empty slug': () => ({
    headers: { ...headersOf(account), 'x-console': '' },
    cookies: [`__Host-console-=${token}`],
  }),
  'a cookie without the prefix, which another host can plant': () => ({
    cookies: [`console-${account.slug}=${token}`],
  }),
  'two cookies of the same name': () => ({ cookies: [cookieOf(account, token), cookieOf(account, token)] }),
  'a planted cookie after the own one': () => ({ cookies: [cookieOf(account, token), cookieOf(account, otherToken)] }),
  'a cookie with the session of another account (tossing)': () => ({ cookies: [cookieOf(account, otherToken)] }),
  'an API token in the cookie': () => ({ cookies: [cookieOf(account, account.token)] }),
  'a cookie within another cookie': () => ({ cookies: [`a=b,${cookieOf(account, token)}`] }),
  'a quoted token': () => ({ cookies: [cookieOf(account, `"${token}"`)] }),
  'an empty cookie': () => ({ cookies: [cookieOf(account, '')] }),
  'the Cookie header instead of the cookies of API Gateway': () => ({
    headers: { ...headersOf(account), cookie: cookieOf(account, token) },
    cookies: [],
  }),
}

describe('the cookie of the console (K3.3)', () => {
  const send = (
    handler: typeof getAccount,
    { headers = headersOf(account), cookies = [cookieOf(account, token)] }: Attempt,
  ) => call(handler, { method: handler === createSite ? 'POST' : 'GET', headers, cookies, body: undefined })

  it('authenticates reads and changes, as the administrator', async () => {
    expect((await send(getAccount, {})).body.data.id).toBe(account.id)
    expect((await send(getSession, {})).body.data.actor.id).toBe(adminId)
    const body = { site: { name: 'By cookie' } }
    const request = { method: 'POST', body, headers: headersOf(account), cookies: [cookieOf(account, token)] }
    expect((await call(createSite, request)).status).toBe(201)
  })

  it('of two accounts coexists, and X-Console selects one', async () => {
    const cookies = [cookieOf(account, token), cookieOf(other, otherToken)]
    for (const one of [account, other])
      expect((await send(getAccount, { headers: headersOf(one), cookies })).body.data.id).toBe(one.id)
  })

  it('is ignored if the request has a valid Authorization', async () => {
    const answer = await call(getAccount, {
      token: other.token,
      headers: headersOf(account),
      cookies: [cookieOf(account, token)],
    })
    expect(answer.body.data.id).toBe(other.id)
  })

  describe.each(Object.keys(attempts))('with %s', (name) => {
    it('authenticates nothing', async () => {
      const attempt = (attempts[name] as () => Attempt)()
      for (const handler of [getAccount, getSession, createSite]) {
        const { status, body, text } = await send(handler, attempt)
        expect([status, body.code]).toEqual([401, 'unauthorized'])
        expect(text).not.toContain(token)
      }
    })
  })

  it('authenticates no device, and no request to the legacy API', async () => {
    const request = { headers: headersOf(account), cookies: [cookieOf(account, token)] }
    for (const handler of [startClientSession, listUsers]) expect((await call(handler, request)).status).toBe(401)
  })

  it('is ignored in a deployment without a console', async () => {
    vi.stubEnv('CONSOLE', 'false')
    expect((await send(getAccount, {})).status).toBe(401)
    expect((await call(getAccount, { token })).status).toBe(200)
  })

  it('has no prefix on a single machine, and a deployment ignores that cookie (downgrade)', async () => {
    const plain = { cookies: [`console-${account.slug}=${token}`] }
    vi.stubEnv('SERVICE_URL', 'http://127.0.0.1:8787')
    expect((await send(getAccount, plain)).status).toBe(200)
    for (const address of ['http://access.example.com', 'http://127.0.0.1.example.com', 'https://127.0.0.1', '']) {
      vi.stubEnv('SERVICE_URL', address)
      expect((await call(getAccount, { headers: headersOf(account), ...plain, host: 'api.example.com' })).status).toBe(
        401,
      )
    }
    vi.stubEnv('SERVICE_URL', 'http://127.0.0.1:8787')
    vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'function')
    expect((await send(getAccount, plain)).status).toBe(401)
  })

  it('is cleared when its session ends, and is then refused', async () => {
    const { token: own } = await signInWith(account, 'portal')
    const request = { headers: headersOf(account), cookies: [cookieOf(account, own)] }
    const end = (more: object = {}): Promise<Answer> =>
      call(endPortalSession, { method: 'DELETE', ...request, ...more })
    expect((await end({ headers: { ...headersOf(account), 'sec-fetch-site': 'cross-site' } })).status).toBe(401)
    const ended = await end()
    expect([ended.status, ended.cookies]).toEqual([
      200,
      [`__Host-console-${account.slug}=; Max-Age=0; Secure; HttpOnly; SameSite=Strict; Path=/`],
    ])
    expect((await call(getAccount, request)).status).toBe(401)
    expect((await end()).status).toBe(401)
  })
})
