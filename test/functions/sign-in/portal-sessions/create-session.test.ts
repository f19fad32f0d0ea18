import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { handler as getAccount } from '#functions/api/account/get-account.ts'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import { handler as createSession } from '#functions/sign-in/portal-sessions/create-session.ts'
import { clock } from '#shared/core/clock.ts'
import { type ActorRow, actors } from '#shared/domain/actors/actor.ts'
import type { AuthProviderRow } from '#shared/domain/auth-providers/auth-provider.ts'
import { portalSessions } from '#shared/domain/portal-sessions/portal-session.ts'
import type { LocalCode } from '#shared/sign-in/browser/local-code.ts'
import { mintOneTimeToken, oneTimeItem } from '#shared/sign-in/one-time-token.ts'
import { putItem } from '#shared/table/put-item.ts'
import { queryItems, rowsBy } from '#shared/table/read.ts'
import { type PlainProvider, startPlainProvider } from '#test/fakes/plain-provider.ts'
import { type Account, type Answer, call, newAccount } from '#test/support/accounts/account.ts'
import { providers } from '#test/support/accounts/auth-providers.ts'
import { newPerson } from '#test/support/accounts/identities.ts'
import { insertAdmin } from '#test/support/accounts/portal-sessions.ts'
import { updateRow } from '#test/support/accounts/rows.ts'
import { captureOperatorLog } from '#test/support/sign-in/operator-log.ts'
import {
  beginSignIn,
  insertLocalProvider,
  newSource,
  newVerifier,
  redeemWith,
  redirectParams,
  returnFromProvider,
} from '#test/support/sign-in/sign-in.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { movableClock } from '#test/support/table/movable-clock.ts'

let fake: PlainProvider
let account: Account
let provider: AuthProviderRow
beforeAll(async () => {
  fake = await startPlainProvider()
  account = await newAccount()
  provider = await insertLocalProvider(account.id, fake)
})
beforeEach(() => {
  vi.stubEnv('ALLOW_INSECURE_PROVIDERS', '1')
  vi.stubEnv('SERVICE_URL', 'https://access.example.com')
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})
afterAll(() => fake.close())

const sameOrigin = { 'sec-fetch-site': 'same-origin' }

const post = (sign_in: object, headers: Record<string, string> = sameOrigin): Promise<Answer> =>
  call(createSession, { method: 'POST', path: '/sign_in/session', body: { sign_in }, headers, sourceIp: newSource() })

async function withCode(context = 'portal', by = provider, as?: ActorRow) {
  const person = as ?? (context === 'portal' ? await insertAdmin(account.id) : await newPerson(account))
  const begun = await beginSignIn(by.id, { slug: account.slug, fields: { context } })
  const claims = { sub: String(person.id), email: person.email, email_verified: true }
  const back = await returnFromProvider(begun, { state: begun.providerState, code: fake.codeFor(begun.url, claims) })
  return { person, sign_in: { code: redirectParams(back).code ?? '', code_verifier: begun.verifier } }
}

const sessionsOf = ({ id }: { id: string }) => rowsBy(portalSessions, account.id, 'actor_id', id)

const statusAndCode = ({ status, body }: Answer) => [status, body.code]

/** Returns the token in the cookie of a response. */
const tokenIn = ({ cookies }: Answer): string => /=(nap_[^;]*);/.exec(cookies[0] ?? '')?.[1] ?? ''

describe('POST /sign_in/session (K11.G1)', () => {
  it('opens a session that only reads for a user with portal_scopes, and none without them (K11.G14)', async () => {
    const user = await newPerson(account)
    expect((await withCode('portal', provider, user)).sign_in.code).toBe('')
    const auditor = await updateRow(account.id, actors, user, { portal_scopes: ['*:read'] })
    const late = await withCode('portal', provider, auditor)
    const former = await updateRow(account.id, actors, auditor, { portal_scopes: null })
    expect(statusAndCode(await post(late.sign_in))).toEqual([401, 'unauthorized'])
    await updateRow(account.id, actors, former, { portal_scopes: ['*:read'] })
    const answer = await post((await withCode('portal', provider, auditor)).sign_in)
    expect([answer.status, answer.body.data.scopes, answer.body.data.actor.type]).toEqual([
      201,
      ['*:read'],
      'account_user',
    ])
    const [session] = await sessionsOf(auditor)
    const entries = await account.call(listLogs, { query: { type: 'session', actor_id: auditor.id } })
    expect(entries.body.data).toMatchObject([{ context: 'portal', subject: { token_id: session?.id } }])
  })

  it('returns the session, and its token only in a cookie of this host', async () => {
    const { person, sign_in } = await withCode()
    const answer = await post(sign_in)
    const [session] = await sessionsOf(person)
    expect([answer.status, answer.headers['cache-control'], answer.body]).toEqual([
      201,
      'no-store',
      {
        data: {
          account: { id: account.id, slug: account.slug, name: 'Test account' },
          actor: { id: person.id, name: 'Grace', email: person.email, type: 'account_admin_user' },
          credential: {
            ...{ kind: 'portal_session', id: session?.id, context: 'portal', expires_at: session?.expires_at },
            auth_provider_id: provider.id,
          },
          scopes: ['*'],
          change_count: expect.any(Number),
        },
      },
    ])
    expect(answer.cookies).toEqual([
      `__Host-console-${account.slug}=${tokenIn(answer)}; Secure; HttpOnly; SameSite=Strict; Path=/`,
    ])
    expect(answer.text).not.toContain(tokenIn(answer))
    expect(JSON.stringify(answer.headers)).not.toContain(tokenIn(answer))
    expect((await call(getAccount, { token: tokenIn(answer) })).status).toBe(200)
  })

  it.each([
    ['no Sec-Fetch-Site', {}],
    ['another port or host of the site', { 'sec-fetch-site': 'same-site' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a navigation', { 'sec-fetch-site': 'none' }],
    ['two values', { 'sec-fetch-site': 'same-origin, same-origin' }],
    ['another case', { 'sec-fetch-site': 'Same-Origin' }],
  ])('refuses %s, and leaves the code valid (login CSRF)', async (_what, headers) => {
    const { person, sign_in } = await withCode()
    const refused = await post(sign_in, headers)
    expect([...statusAndCode(refused), refused.cookies]).toEqual([403, 'forbidden', []])
    expect(await sessionsOf(person)).toEqual([])
    expect((await post(sign_in)).status).toBe(201)
  })

  it('refuses the origin before it reports invalid fields, and after an invalid body (A4)', async () => {
    expect((await post({}, {})).status).toBe(403)
    expect((await post({})).body.errors).toEqual({ code: ["can't be blank"], code_verifier: ["can't be blank"] })
    const broken = { method: 'POST', rawBody: '{', sourceIp: newSource() }
    expect(statusAndCode(await call(createSession, broken))).toEqual([400, 'invalid_json'])
    const text = { method: 'POST', rawBody: '{"sign_in":{}}', headers: { ...sameOrigin, 'content-type': 'text/plain' } }
    expect((await call(createSession, { ...text, sourceIp: newSource() })).status).toBe(400)
  })

  it('refuses the code of a client, which no portal session may come from', async () => {
    const { person, sign_in } = await withCode('client')
    const { answer, refused } = await captureOperatorLog(() => post(sign_in))
    expect([...statusAndCode(answer), answer.cookies, refused?.reason, refused?.context]).toEqual([
      401,
      'unauthorized',
      [],
      'code_unknown',
      'client',
    ])
    expect(await sessionsOf(person)).toEqual([])
  })

  it('requires the verifier, and revokes the code after a wrong one', async () => {
    const { person, sign_in } = await withCode()
    expect((await post({ ...sign_in, code_verifier: newVerifier().verifier })).status).toBe(401)
    expect((await post(sign_in)).status).toBe(401)
    expect(await sessionsOf(person)).toEqual([])
  })

  it('redeems a code once, here or at /sign_in/token', async () => {
    const [one, two] = [await withCode(), await withCode()]
    expect((await post(one.sign_in)).status).toBe(201)
    expect((await redeemWith(one.sign_in)).status).toBe(401)
    expect((await redeemWith(two.sign_in)).status).toBe(201)
    expect((await post(two.sign_in)).status).toBe(401)
  })

  it('opens one session for 20 concurrent requests with a code', async () => {
    const { person, sign_in } = await withCode()
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(sign_in)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(401)])
    expect(answers.flatMap(({ cookies }) => cookies)).toHaveLength(1)
    expect(await sessionsOf(person)).toHaveLength(1)
  })

  it.each([
    ['disabled', { is_disabled: true }],
    ['a user', { type: 'account_user' }],
  ] as const)('refuses a person who is %s since the code was issued', async (_what, change) => {
    const { person, sign_in } = await withCode()
    await updateRow(account.id, actors, person, change)
    expect(statusAndCode(await post(sign_in))).toEqual([401, 'unauthorized'])
    expect(await sessionsOf(person)).toEqual([])
  })

  it.each([{ is_disabled: true }, { context: 'clients_only' }])(
    'refuses a code whose provider is now %j',
    async (change) => {
      const own = await insertLocalProvider(account.id, fake)
      const { sign_in } = await withCode('portal', own)
      expect((await providers.oidc.update(account, own.id, change)).status).toBe(200)
      expect((await post(sign_in)).status).toBe(401)
    },
  )

  it('is in the session log and not in the request log, and names no secret in the log of the operator', async () => {
    const { person, sign_in } = await withCode()
    const { answer, text } = await captureOperatorLog(() => post(sign_in))
    expect(answer.status).toBe(201)
    for (const secret of [sign_in.code, sign_in.code_verifier, tokenIn(answer)]) expect(text).not.toContain(secret)
    const again = await captureOperatorLog(() => post(sign_in))
    for (const secret of [sign_in.code, sign_in.code_verifier]) {
      expect(again.text).not.toContain(secret)
      expect(again.answer.text).not.toContain(secret)
    }
    const { handler: listLogs } = await import('#functions/api/logs/list-logs.ts')
    const of = async (type: string) =>
      (await account.call(listLogs, { query: { type, actor_id: person.id } })).body.data as { context: string }[]
    expect((await of('session')).map(({ context }) => context)).toEqual(['portal'])
    expect(await of('api_request')).toEqual([])
  })

  it('costs as much as POST /sign_in/token', async () => {
    const { handler: redeem } = await import('#functions/sign-in/open-id/redeem-code.ts')
    const source = newSource()
    /** Returns the lowest cost of four requests, because a request may also renew a lease of the rate limit. */
    const costOf = async (handler: typeof redeem) => {
      const costs: string[] = []
      for (let i = 0; i < 4; i++) {
        const request = { body: { sign_in: (await withCode()).sign_in }, headers: sameOrigin, sourceIp: source }
        const { reads, writes } = await measure(() => call(handler, { method: 'POST', ...request }))
        costs.push(`${reads} ${writes}`)
      }
      return costs.sort()[0]
    }
    expect(await costOf(createSession)).toBe(await costOf(redeem))
  })
})

describe('the code of a local server (K2.7)', () => {
  /** Stores a code as the local server does. */
  async function withLocalCode() {
    const admin = await insertAdmin(account.id)
    const { verifier, challenge } = newVerifier()
    const { text: code, key } = mintOneTimeToken(account.id, 'local')
    const content: LocalCode = { actor_id: admin.id, code_challenge: challenge }
    await putItem(oneTimeItem(key, clock.now() + 15 * 60_000_000, content))
    return { admin, sign_in: { code, code_verifier: verifier } }
  }
  const onMachine = () => vi.stubEnv('SERVICE_URL', 'http://127.0.0.1:8787')

  it('opens one session of eight hours without a provider', async () => {
    onMachine()
    const { admin, sign_in } = await withLocalCode()
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(sign_in)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(401)])
    const [session] = await sessionsOf(admin)
    const seconds = (Date.parse(session?.expires_at ?? '') - Date.parse(session?.inserted_at ?? '')) / 1_000
    expect([session?.auth_provider_id, seconds]).toEqual([null, 28_800])
    const opened = answers.find(({ status }) => status === 201) as Answer
    expect(opened.body.data.credential).toMatchObject({ id: session?.id, auth_provider_id: null })
    expect(opened.cookies).toEqual([`console-${account.slug}=${tokenIn(opened)}; HttpOnly; SameSite=Strict; Path=/`])
    expect((await call(getAccount, { token: tokenIn(opened) })).status).toBe(200)
    const { handler: end } = await import('#functions/sign-in/portal-sessions/end-portal-session.ts')
    const ended = await call(end, { method: 'DELETE', token: tokenIn(opened) })
    expect([ended.status, ended.body.data.end_session_url]).toEqual([200, null])
  })

  it.each([
    ['in a deployment', { SERVICE_URL: 'https://access.example.com' }],
    ['in a deployment with an address without HTTPS', { SERVICE_URL: 'http://access.example.com' }],
    ['in Lambda', { SERVICE_URL: 'http://127.0.0.1:8787', AWS_LAMBDA_FUNCTION_NAME: 'function' }],
  ])('opens none %s', async (_where, variables) => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
    const { admin, sign_in } = await withLocalCode()
    expect((await post(sign_in)).status).toBe(401)
    expect(await sessionsOf(admin)).toEqual([])
  })

  it('is not redeemable at /sign_in/token, which returns tokens in its body', async () => {
    onMachine()
    expect((await redeemWith((await withLocalCode()).sign_in)).status).toBe(401)
  })

  it('is revoked by a wrong verifier', async () => {
    onMachine()
    const { admin, sign_in } = await withLocalCode()
    expect((await post({ ...sign_in, code_verifier: newVerifier().verifier })).status).toBe(401)
    expect((await post(sign_in)).status).toBe(401)
    expect(await sessionsOf(admin)).toEqual([])
  })

  it('expires after 15 minutes', async () => {
    onMachine()
    const { sign_in } = await withLocalCode()
    movableClock().minutes(15)
    expect((await post(sign_in)).status).toBe(401)
  })

  it.each([{ is_disabled: true }, { type: 'account_user' }] as const)(
    'refuses an administrator who is now %j',
    async (change) => {
      onMachine()
      const { admin, sign_in } = await withLocalCode()
      await updateRow(account.id, actors, admin, change)
      const { answer, text } = await captureOperatorLog(() => post(sign_in))
      expect(answer.status).toBe(401)
      for (const secret of Object.values(sign_in)) expect(text + answer.text).not.toContain(secret)
    },
  )

  it('is stored as a hash', async () => {
    const { sign_in } = await withLocalCode()
    const stored = JSON.stringify(await queryItems(`${account.id}#sign_in.local`))
    for (const secret of Object.values(sign_in)) expect(stored).not.toContain(secret)
  })
})
