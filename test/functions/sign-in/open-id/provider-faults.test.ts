import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { clock } from '#shared/core/clock.ts'
import { encryptSecret } from '#shared/core/secrets/stored-secret.ts'
import { type AuthProviderRow, authProviders } from '#shared/domain/auth-providers/auth-provider.ts'
import { presenceItemKey } from '#shared/table/keys.ts'
import { getItem } from '#shared/table/read.ts'
import { type Endpoint, jwt, type PlainProvider, startPlainProvider } from '#test/fakes/plain-provider.ts'
import { providers } from '#test/support/accounts/auth-providers.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'
import { beginSignIn, redirectParams, returnFromProvider, signInBy } from '#test/support/sign-in/sign-in.ts'
import { newSubject, signInWorld, useProviderForEveryKind } from '#test/support/sign-in/sign-in-world.ts'

type Misbehaviour = Parameters<PlainProvider['misbehave']>[1]

const world = await signInWorld()
const { account, fake } = world
useProviderForEveryKind(fake)
beforeEach(() => {
  vi.stubEnv('LOG_LEVEL', 'ERROR')
})

const claimsOf = async () => ({ sub: newSubject(), email: await world.emailOf(), email_verified: true })
const signIn = async (provider: AuthProviderRow, claims?: Record<string, unknown>) =>
  signInBy(fake, provider, account.slug, claims ?? (await claimsOf()))
const getProvider = async ({ id }: AuthProviderRow) => (await providers.oidc.get(account, id)).body.data
const faultOf = async (provider: AuthProviderRow) => (await getProvider(provider)).last_error

const respondWith =
  (status: number, error: string, headers: Record<string, string> = {}): Misbehaviour =>
  (answer) =>
    answer
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify({ error, error_description: 'Described by the provider.' }))
const challenge = { 'www-authenticate': 'Basic realm="provider", error="invalid_client"' }
const idToken =
  (made: string): Misbehaviour =>
  (answer) =>
    fake.send(answer, 200, { token_type: 'Bearer', access_token: 'x', expires_in: 60, id_token: made })

describe('distinguishes a fault of a provider from a refusal', () => {
  it.each<[string, Endpoint, Misbehaviour, string, string | null]>([
    ['closes the connection', 'token', (answer) => answer.destroy(), 'temporarily_unavailable', 'could not be reached'],
    [
      'answers 500',
      'token',
      (answer) => answer.writeHead(500).end('<html>'),
      'temporarily_unavailable',
      'cannot be used',
    ],
    [
      'is overloaded',
      'token',
      respondWith(503, 'temporarily_unavailable'),
      'temporarily_unavailable',
      'cannot be used',
    ],
    ['returns an outage page', 'token', (answer) => answer.end('<html>'), 'temporarily_unavailable', 'cannot be used'],
    [
      'returns an empty object',
      'token',
      (answer) => fake.send(answer, 200, {}),
      'temporarily_unavailable',
      'cannot be used',
    ],
    ['has no keys', 'keys', (answer) => answer.writeHead(502).end(), 'temporarily_unavailable', 'key set'],
    [
      'has no userinfo',
      'userinfo',
      (answer) => answer.writeHead(502).end(),
      'temporarily_unavailable',
      'userinfo endpoint',
    ],
    ['refuses the secret', 'token', respondWith(401, 'invalid_client'), 'server_error', 'client secret is wrong'],
    [
      'refuses it with a challenge',
      'token',
      respondWith(401, 'invalid_client', challenge),
      'server_error',
      'client secret is wrong',
    ],
    [
      'does not know the client',
      'token',
      respondWith(400, 'unauthorized_client'),
      'server_error',
      'unauthorized_client',
    ],
    ['wants DPoP', 'token', respondWith(400, 'invalid_request'), 'server_error', 'invalid_request'],
    ['does not know the scope', 'token', respondWith(400, 'invalid_scope'), 'server_error', 'invalid_scope'],
    ['signs with HS256', 'token', idToken(jwt({}, { key: null, alg: 'HS256' })), 'server_error', null],
    [
      'encrypts its ID tokens',
      'token',
      idToken('eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.a.b.c.d'),
      'server_error',
      null,
    ],
    ['refuses the code', 'token', respondWith(400, 'invalid_grant'), 'access_denied', ''],
    ['refuses the person with its own error code', 'token', respondWith(400, 'blocked'), 'access_denied', ''],
  ])('that %s', async (_name, endpoint, misbehaviour, errorCode, sentence) => {
    const ownProvider = await startPlainProvider()
    const provider = await world.newProvider('oidc', {
      issuer: ownProvider.issuer,
      discovery_document_uri: ownProvider.documentUri,
    })
    ownProvider.misbehave(endpoint, misbehaviour)
    const { sub, ...more } = await claimsOf()
    const userinfo = endpoint === 'userinfo' ? { sub, ...more } : null
    const begun = await beginSignIn(provider.id, { slug: account.slug })
    const code = ownProvider.codeFor(begun.url, endpoint === 'userinfo' ? { sub } : { sub, ...more }, userinfo)
    expect(redirectParams(await returnFromProvider(begun, { state: begun.providerState, code }))).toEqual({
      state: begun.state,
      error: errorCode,
    })
    const shown = await getProvider(provider)
    if (sentence === '') expect([shown.last_error, shown.last_error_at]).toEqual([null, null])
    else {
      expect(shown.last_error).toMatch(sentence ?? /ID token|cannot be used/)
      expect(shown.last_error).not.toContain('Described')
      expect(Date.parse(shown.last_error_at)).not.toBeNaN()
    }
    await ownProvider.close()
  })

  it.each([
    ['invalid_request', 'server_error'],
    ['invalid_scope', 'server_error'],
    ['unauthorized_client', 'server_error'],
    ['server_error', 'temporarily_unavailable'],
    ['temporarily_unavailable', 'temporarily_unavailable'],
    ['access_denied', 'access_denied'],
    ['login_required', 'access_denied'],
    ['blocked_by_rule', 'access_denied'],
  ])('of %s in a callback redirects with %s', async (error, errorCode) => {
    const provider = await world.newProvider()
    const begun = await beginSignIn(provider.id, { slug: account.slug })
    const query = { state: begun.providerState, error, error_description: 'Ring 555 0100.' }
    expect(redirectParams(await returnFromProvider(begun, query))).toEqual({ state: begun.state, error: errorCode })
    const fault = await faultOf(provider)
    if (errorCode === 'access_denied') expect(fault).toBeNull()
    else {
      expect([fault.includes(error), fault.includes('555')]).toEqual([true, false])
      // Expects a message that does not blame the provider, because any caller can send an error to the callback.
      expect(fault).toMatch(/^A browser came back/)
    }
  })

  it('is shown if the document has no authorization endpoint', async () => {
    const ownProvider = await startPlainProvider()
    const provider = await world.newProvider('oidc', {
      issuer: ownProvider.issuer,
      discovery_document_uri: ownProvider.documentUri,
    })
    await ownProvider.close()
    expect((await beginSignIn(provider.id, { slug: account.slug })).answer.status).toBe(503)
    expect(await faultOf(provider)).toBe('The server of the discovery document could not be reached.')
  })
})

describe('the last fault of a provider', () => {
  const stranger = () => ({ sub: newSubject(), email: 'nobody@example.com', email_verified: true })
  const fail = async (provider: AuthProviderRow, error = 'invalid_client') => {
    fake.misbehave('token', respondWith(401, error))
    const { error: errorCode } = await signIn(provider, stranger())
    fake.behave()
    return errorCode
  }

  it('costs no commit, does not change the tag for edits, and is shown in the list', async () => {
    const provider = await world.newProvider()
    const before = await providers.oidc.get(account, provider.id)
    const { length } = await readCommits(account.id)
    expect(await fail(provider)).toBe('server_error')
    expect(await readCommits(account.id)).toHaveLength(length)
    const after = await providers.oidc.get(account, provider.id)
    const [stored, presence] = [before, after].map(({ headers }) => headers.etag?.replaceAll('"', '').split('.'))
    expect([after.body.data.updated_at, presence?.[0]]).toEqual([before.body.data.updated_at, stored?.[0]])
    expect(presence?.[1]).not.toBe(stored?.[1])
    const { body } = await providers.oidc.list(account)
    const listed = body.data.find(({ id }: { id: string }) => id === provider.id)
    expect(listed).toEqual(after.body.data)
    expect((await getProvider(await world.newProvider())).last_error).toBeNull()
  })

  it('is written at most once a minute', async () => {
    const provider = await world.newProvider()
    await fail(provider)
    const first = await getProvider(provider)
    await fail(provider, 'invalid_scope')
    expect(await getProvider(provider)).toEqual(first)
    const real = clock.now.bind(clock)
    const later = vi.spyOn(clock, 'now').mockImplementation(() => real() + 61_000_000)
    await fail(provider, 'invalid_scope')
    later.mockRestore()
    const second = await getProvider(provider)
    expect(second.last_error).toContain('invalid_scope')
    expect(second.last_error_at > first.last_error_at).toBe(true)
  })

  it('is cleared by the next person who signs in, not by a refused one', async () => {
    const provider = await world.newProvider()
    await fail(provider)
    expect((await signIn(provider, stranger())).error).toBe('access_denied')
    expect(await faultOf(provider)).not.toBeNull()
    expect((await signIn(provider)).error).toBeUndefined()
    expect(await getProvider(provider)).toMatchObject({ last_error: null, last_error_at: null })
  })

  it('is not cleared by a person whose email is not proven yet', async () => {
    const provider = await world.newProvider('oidc', { email_verification_method: 'proof' })
    await fail(provider)
    const begun = await beginSignIn(provider.id, { slug: account.slug })
    const errorCode = redirectParams(
      await returnFromProvider(begun, { state: begun.providerState, code: fake.codeFor(begun.url, stranger(), null) }),
    )
    expect(errorCode).toMatchObject({ proof_required: 'true' })
    expect(await faultOf(provider)).toContain('invalid_client')
  })

  it('is cleared by a change of the settings, and deleted with the provider', async () => {
    const provider = await world.newProvider()
    const presence = () => getItem(presenceItemKey(account.id, authProviders.oidc.name, provider.id))
    await fail(provider)
    expect((await providers.oidc.update(account, provider.id, {})).body.data.last_error).toContain('invalid_client')
    expect(await presence()).toBeDefined()
    const changed = await providers.oidc.update(account, provider.id, { client_secret: 'the right one' })
    expect(changed.body.data.last_error).toBeNull()
    expect(await presence()).toBeUndefined()
    await fail(provider)
    expect((await providers.oidc.remove(account, provider.id)).body.data.last_error).toContain('invalid_client')
    expect(await presence()).toBeUndefined()
  })
})

describe('the error description of a provider', () => {
  const logged = async (provider: AuthProviderRow, description: string) => {
    fake.misbehave('token', (answer) =>
      fake.send(answer, 400, { error: 'invalid_request', error_description: description }),
    )
    const log = catchLog('WARN')
    const { back } = await signIn(provider)
    const [line] = log.lines().filter(({ event }) => event === 'sign_in_refused')
    const text = log.text()
    vi.restoreAllMocks()
    expect(back.text + JSON.stringify(back.headers)).not.toContain('Describ')
    return { description: line?.description, text }
  }

  it('is logged for the operator, on one line and shortened', async () => {
    const provider = await world.newProvider()
    const { description } = await logged(provider, `Described: PAR is required.\n\u0007\u202e${'x'.repeat(1_000)}`)
    expect(description).toMatch(/^Described: PAR is required\. x+$/)
    expect(String(description)).toHaveLength(500)
  })

  it('omits the secret in any encoding, tokens and email addresses', async () => {
    const secret = ' s3cret/+&"ä '
    const id = randomUUID()
    const provider = await world.newProvider('oidc', {
      id,
      client_id: `spelled out ${newSubject()}`,
      client_secret: await encryptSecret({ accountId: account.id, objectId: id }, secret),
    })
    const form = (text: string) => new URLSearchParams([['', text]]).toString().slice(1)
    const basic = Buffer.from(`${form(provider.client_id ?? '')}:${form(secret)}`).toString('base64')
    const spellings = [
      secret,
      encodeURIComponent(secret),
      form(secret),
      form(secret).toLowerCase(),
      JSON.stringify(secret).slice(1, -1),
      Buffer.from(secret).toString('base64'),
      basic,
    ]
    for (const spelling of spellings) {
      const { description, text } = await logged(provider, `Described <${spelling}> of ada@example.com`)
      expect(description).toMatch(/^Described <\[secret\]=*> of \[email\]$/)
      expect(text).not.toContain(spelling)
    }
  })
})
