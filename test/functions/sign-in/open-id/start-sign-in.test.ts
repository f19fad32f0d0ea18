import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { clock } from '#shared/core/clock.ts'
import type { AuthProviderRow } from '#shared/domain/auth-providers/auth-provider.ts'
import { queryItems } from '#shared/table/read.ts'
import { type PlainProvider, startPlainProvider } from '#test/fakes/plain-provider.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { insertProvider } from '#test/support/accounts/portal-sessions.ts'
import { mustBe } from '#test/support/form-messages.ts'
import { beginSignIn, insertLocalProvider } from '#test/support/sign-in/sign-in.ts'

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
})
afterEach(() => {
  fake.behave()
  vi.unstubAllEnvs()
})
afterAll(() => fake.close())

const begin = (fields: Record<string, unknown> = {}, id = provider.id) =>
  beginSignIn(id, { slug: account.slug, fields })

describe('POST /sign_in/{slug}/start (I2.2)', () => {
  it('redirects to the provider with parameters that bind its response to this sign-in', async () => {
    const { answer, url, providerState, state } = await begin()
    expect([answer.status, answer.headers['cache-control']]).toEqual([201, 'no-store'])
    const address = new URL(url)
    expect(address.origin + address.pathname).toBe(`${fake.base}/authorize`)
    expect(Object.fromEntries(address.searchParams)).toEqual({
      market: 'eu',
      response_type: 'code',
      client_id: provider.client_id,
      redirect_uri: `http://127.0.0.1/sign_in/callback/${provider.id}`,
      scope: 'openid email profile',
      state: expect.stringMatching(/^[\w-]{64}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    const minutes = (Date.parse(answer.body.data.expires_at) - Date.now()) / 60_000
    expect(minutes).toBeGreaterThan(9)
    expect(minutes).toBeLessThanOrEqual(10)
    // Expects that the caller's state stays in the service, and that stored items cannot be used to sign in.
    expect(url).not.toContain(state)
    const stored = JSON.stringify(await queryItems(`${account.id}#sign_in.pending`))
    expect(stored).not.toContain(providerState)
    expect(stored).not.toContain(address.searchParams.get('nonce'))
  })

  it('is not blocked by concurrent invalid requests', async () => {
    const ownAccount = await newAccount()
    const { id } = await insertLocalProvider(ownAccount.id, fake)
    // Freezes the clock, so that no capacity is refilled during the requests.
    const now = clock.now()
    vi.spyOn(clock, 'now').mockImplementation(() => now)
    const start = (fields: Record<string, unknown>) => beginSignIn(id, { slug: ownAccount.slug, fields })
    for (let i = 0; i < 400; i++) expect((await start({ redirect_uri: 'nowhere' })).answer.status).toBe(422)
    const { answer } = await start({})
    vi.restoreAllMocks()
    expect(answer.status).toBe(201)
  })

  it('is unique: each has its own state, nonce and challenge', async () => {
    const [one, two] = await Promise.all([begin(), begin()])
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(new URL(one.url).searchParams.get(name)).not.toBe(new URL(two.url).searchParams.get(name))
    }
  })

  it('sends the domain to a suite as a hint', async () => {
    vi.stubEnv('SUITE_ISSUER', fake.issuer)
    const ownAccount = await newAccount()
    const suite = await insertLocalProvider(ownAccount.id, fake, 'suite', { hosted_domain: 'example.com' })
    const { url } = await beginSignIn(suite.id, { slug: ownAccount.slug })
    expect(new URL(url).searchParams.get('hd')).toBe('example.com')
    expect(new URL(url).searchParams.get('client_id')).toBe('suite-app')
    // Expects the deployment's callback address, because the suite's app belongs to the deployment and not to the account.
    expect(new URL(url).searchParams.get('redirect_uri')).toBe('http://127.0.0.1/sign_in/callback')
  })

  it.each<[Record<string, unknown>, Record<string, string[]>]>([
    [{ redirect_uri: 'https://portal.example.com/signed-in' }, {}],
    [{ redirect_uri: 'http://127.0.0.1/callback' }, {}],
    [{ redirect_uri: 'http://127.0.0.1:1/callback' }, {}],
    // Expects that the console's own address needs no setting (K3.1).
    [{ redirect_uri: 'http://127.0.0.1/console/signed_in' }, {}],
    [{ redirect_uri: 'http://127.0.0.1/console/signed_in/' }, { redirect_uri: [mustBe.redirectUri] }],
    [{ redirect_uri: 'http://127.0.0.1/console/signed_in?x=y' }, { redirect_uri: [mustBe.redirectUri] }],
    [{ redirect_uri: 'http://127.0.0.1/console' }, { redirect_uri: [mustBe.redirectUri] }],
    [{ redirect_uri: 'http://127.0.0.1:8788/console/signed_in' }, { redirect_uri: [mustBe.redirectUri] }],
    [{ redirect_uri: 'https://127.0.0.1/console/signed_in' }, { redirect_uri: [mustBe.redirectUri] }],
    [{ redirect_uri: 'http://127.0.0.1@evil.example.com/console/signed_in' }, { redirect_uri: [mustBe.redirectUri] }],
    [{ redirect_uri: 'http://evil.example.com/console/signed_in' }, { redirect_uri: [mustBe.redirectUri] }],
    [{ state: 'x'.repeat(512) }, {}],
    [{ redirect_uri: 'https://portal.example.com/signed-in/' }, { redirect_uri: [mustBe.redirectUri] }],
    [{ redirect_uri: 'https://portal.example.com:444/signed-in' }, { redirect_uri: [mustBe.redirectUri] }],
    [{ redirect_uri: 'https://portal.example.com/signed-in?x=y' }, { redirect_uri: [mustBe.redirectUri] }],
    [{ redirect_uri: 'https://portal.example.com/signed-in#x' }, { redirect_uri: [mustBe.redirectUri] }],
    [
      { redirect_uri: 'https://portal.example.com/signed-in\r\nset-cookie: a=b' },
      { redirect_uri: [mustBe.redirectUri] },
    ],
    [{ redirect_uri: 'http://127.0.0.1:99999/callback' }, { redirect_uri: [mustBe.redirectUri] }],
    [{ redirect_uri: 'https://evil.example.com/signed-in' }, { redirect_uri: [mustBe.redirectUri] }],
    [{ redirect_uri: 'http://127.0.0.1:80@evil.example.com/callback' }, { redirect_uri: [mustBe.redirectUri] }],
    [{ redirect_uri: 'http://127.0.0.1.evil.example.com/callback' }, { redirect_uri: [mustBe.redirectUri] }],
    [{ redirect_uri: 'http://127.0.0.1:1:2/callback' }, { redirect_uri: [mustBe.redirectUri] }],
    [{ redirect_uri: 'http://127.0.0.1:49152/callback/../x' }, { redirect_uri: [mustBe.redirectUri] }],
    [{ redirect_uri: 'http://localhost:49152/callback' }, { redirect_uri: [mustBe.redirectUri] }],
    [{ redirect_uri: '//evil.example.com' }, { redirect_uri: [mustBe.redirectUri] }],
    [{ redirect_uri: '' }, { redirect_uri: ["can't be blank"] }],
    [{ redirect_uri: ['http://127.0.0.1/callback'] }, { redirect_uri: [mustBe.redirectUri] }],
    [{ state: '' }, { state: ["can't be blank"] }],
    [{ state: 'x'.repeat(513) }, { state: ['should be at most 512 character(s)'] }],
    [{ state: 7 }, { state: ['is invalid'] }],
    [{ code_challenge: undefined }, { code_challenge: ["can't be blank"] }],
    [{ code_challenge: 'x'.repeat(42) }, { code_challenge: [mustBe.codeChallenge] }],
    [{ code_challenge: 'x'.repeat(44) }, { code_challenge: [mustBe.codeChallenge] }],
    [{ code_challenge: `${'x'.repeat(42)}=` }, { code_challenge: [mustBe.codeChallenge] }],
    [{ context: 'both' }, { context: [mustBe.oneOf('client', 'portal')] }],
    [{ context: undefined }, { context: ["can't be blank"] }],
    [{ auth_provider_id: randomUUID() }, { auth_provider_id: ['does not exist'] }],
    [{ auth_provider_id: 'nonsense' }, { auth_provider_id: [mustBe.uuid] }],
    [
      { auth_provider_id: randomUUID(), state: '' },
      { auth_provider_id: ['does not exist'], state: ["can't be blank"] },
    ],
  ])('%j → %j', async (fields, errors) => {
    const { answer } = await begin(fields)
    const valid = Object.keys(errors).length === 0
    expect([answer.status, answer.body.errors]).toEqual(valid ? [201, undefined] : [422, errors])
  })

  it('returns 404 for a provider of another account, of passcodes, disabled, or of another context', async () => {
    const foreign = await insertLocalProvider((await newAccount()).id, fake)
    const mail = await insertProvider(account.id, 'email_otp')
    const disabled = await insertLocalProvider(account.id, fake, 'oidc', { is_disabled: true })
    const portal = await insertLocalProvider(account.id, fake, 'oidc', { context: 'portal_only' })
    for (const { id } of [foreign, mail, disabled, portal]) {
      expect((await begin({}, id)).answer.body.errors).toEqual({ auth_provider_id: ['does not exist'] })
    }
    expect((await begin({ context: 'portal' }, portal.id)).answer.status).toBe(201)
  })

  it("sends the deployment's secret only to its own issuer", async () => {
    const suite = await insertLocalProvider(account.id, fake, 'suite')
    const tenant = await insertLocalProvider(account.id, fake, 'tenant')
    fake.requests.length = 0
    for (const { id } of [suite, tenant]) {
      expect((await begin({}, id)).answer.body.errors).toEqual({ base: ['this provider kind is not configured'] })
    }
    expect(fake.requests).toEqual([])
  })

  it.each<[string, Parameters<PlainProvider['misbehave']>[1]]>([
    ['is missing', (answer) => answer.destroy()],
    ['has another issuer', (answer) => fake.send(answer, 200, { ...fake.document(), issuer: 'https://x.example.com' })],
    [
      'has the issuer with a slash',
      (answer) => fake.send(answer, 200, { ...fake.document(), issuer: `${fake.issuer}/` }),
    ],
    [
      'redirects to the internal network',
      (answer) => fake.send(answer, 200, { ...fake.document(), token_endpoint: 'http://169.254.169.254/token' }),
    ],
    ['is not a document', (answer) => answer.end('[]')],
    ['is 5 MB', (answer) => answer.end(' '.repeat(5_000_000))],
  ])('fails if the document of a provider %s', async (_name, answering) => {
    const ownProvider = await startPlainProvider()
    const { id } = await insertLocalProvider(account.id, ownProvider)
    ownProvider.misbehave('discovery', (answer, ...more) => answering(answer, ...more))
    const { answer } = await begin({}, id)
    expect([answer.status, answer.body.code, answer.headers['retry-after']]).toEqual([503, 'unavailable', '1'])
    expect(answer.body.detail).toMatch(/provider could not be reached/)
    ownProvider.behave()
    expect((await begin({}, id)).answer.status).toBe(201)
    await ownProvider.close()
  })
})

it('refuses the redirect URI of the console in a deployment without one', async () => {
  const redirect = { redirect_uri: 'http://127.0.0.1/console/signed_in' }
  expect((await begin(redirect)).answer.status).toBe(201)
  vi.stubEnv('CONSOLE', 'false')
  expect((await begin(redirect)).answer.body.errors).toEqual({ redirect_uri: [mustBe.redirectUri] })
})
