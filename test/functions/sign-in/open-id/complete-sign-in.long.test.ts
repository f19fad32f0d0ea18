import { describe, expect, it } from 'vitest'
import { jwt, newKey, type PlainProvider, startPlainProvider } from '#test/fakes/plain-provider.ts'
import { beginSignIn, insertLocalProvider, redirectParams, returnFromProvider } from '#test/support/sign-in/sign-in.ts'
import { newSubject, signInWorld, useProviderForEveryKind } from '#test/support/sign-in/sign-in-world.ts'

type Claims = Record<string, unknown>

const world = await signInWorld()
const { fake } = world
useProviderForEveryKind(fake)

describe('an invalid ID token (I2.2)', () => {
  const ago = (seconds: number) => Math.floor(Date.now() / 1_000) - seconds
  it.each<[string, Claims]>([
    ['of another issuer', { iss: 'https://login.example.com' }],
    ['of the issuer with a slash', { iss: 'SLASH' }],
    ['for another audience', { aud: 'another' }],
    ['for several audiences without an authorized party', { aud: ['another', 'AUD'] }],
    ['for another authorized party', { azp: 'another' }],
    ['with another nonce', { nonce: 'another' }],
    ['without a nonce', { nonce: undefined }],
    ['that has expired', { exp: ago(31) }],
    ['without an expiry', { exp: undefined }],
    ['from tomorrow', { nbf: ago(-3_600) }],
    ['without a subject', { sub: undefined }],
    ['with a long subject', { sub: 'x'.repeat(256) }],
  ])('%s', async (_name, wrong) => {
    const provider = await world.newProvider()
    const changed = Object.fromEntries(
      Object.entries(wrong).map(([name, value]) => [
        name,
        value === 'SLASH' ? `${fake.issuer}/` : Array.isArray(value) ? ['another', provider.client_id] : value,
      ]),
    )
    const claims = { sub: newSubject(), email: await world.emailOf(), email_verified: true, ...changed }
    expect(await world.signInOutcome(provider, claims)).toMatch(/^(id_token|subject_missing|provider_answer)/)
  })

  it('expires 30 seconds late to allow for clock skew, and may be for several audiences', async () => {
    const provider = await world.newProvider()
    const several = { aud: [provider.client_id, 'another'], azp: provider.client_id }
    const claims = { sub: newSubject(), email: await world.emailOf(), email_verified: true, exp: ago(25), ...several }
    expect(await world.signInOutcome(provider, claims)).toBe('signed in')
  })

  it.each<[string, (claims: Claims) => string]>([
    ['by another key', (claims) => jwt(claims, { key: newKey(), kid: 'first' })],
    ['by no key', (claims) => jwt(claims, { key: null, alg: 'none' })],
    ['by an unpublished key', (claims) => jwt(claims, { key: newKey(), kid: 'unknown' })],
    ['by an unlisted algorithm', (claims) => jwt(claims, { key: newKey(), alg: 'ES384', kid: 'first' })],
    ['by a shared secret', (claims) => jwt(claims, { key: newKey(), alg: 'HS256' })],
    ['cut short', (claims) => fake.idToken(claims).slice(0, -10)],
    [
      'with other claims',
      (claims) =>
        fake.idToken(claims).replace(/\.[^.]+\./, `.${jwt({ ...claims, sub: 'b' }, { key: null }).split('.')[1]}.`),
    ],
  ])('signed %s', async (_name, tokenOf) => {
    const provider = await world.newProvider()
    const claims = { sub: newSubject(), email: await world.emailOf(), email_verified: true }
    fake.misbehave('token', (answer, _incoming, body) => {
      const known = JSON.parse(Buffer.from(body.get('code') ?? '', 'base64url').toString()).claims
      fake.send(answer, 200, { token_type: 'Bearer', access_token: 'x', id_token: tokenOf(known) })
    })
    expect(await world.signInOutcome(provider, claims)).toMatch(/^(id_token|provider_answer)/)
  })

  it('signed by a new key is accepted', async () => {
    const provider = await world.newProvider()
    const claims = async () => ({ sub: newSubject(), email: await world.emailOf(), email_verified: true })
    expect(await world.signInOutcome(provider, await claims())).toBe('signed in')
    fake.requests.length = 0
    expect(await world.signInOutcome(provider, await claims())).toBe('signed in')
    // Expects only a token request, because the keys and the discovery document are cached.
    expect(fake.requests).toEqual(['token'])
    fake.rotateKey()
    expect(await world.signInOutcome(provider, await claims())).toBe('signed in')
    expect(fake.requests).toEqual(['token', 'token', 'keys'])
  })
})

describe('a callback to the service', () => {
  it('succeeds for one of 50 concurrent requests', async () => {
    const provider = await world.newProvider()
    const begun = await beginSignIn(provider.id, { slug: world.account.slug })
    const claims = { sub: newSubject(), email: await world.emailOf(), email_verified: true }
    const query = { state: begun.providerState, code: fake.codeFor(begun.url, claims) }
    const answers = await Promise.all(Array.from({ length: 50 }, () => returnFromProvider(begun, query)))
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(49)
    expect(fake.requests.filter((endpoint) => endpoint === 'token')).toHaveLength(1)
  })

  it('belongs to the provider of its sign-in', async () => {
    const other = await startPlainProvider()
    const [one, two] = [await world.newProvider(), await insertLocalProvider(world.account.id, other)]
    const claims = { sub: newSubject(), email: await world.emailOf(), email_verified: true }
    // Sends this provider's state with a code that a different provider issued. The code must not be redeemed at that provider.
    const [begun, elsewhere] = await Promise.all(
      [one, two].map(({ id }) => beginSignIn(id, { slug: world.account.slug })),
    )
    if (!begun || !elsewhere) throw new Error('Nothing was begun.')
    const mixed = await returnFromProvider(begun, {
      state: begun.providerState,
      code: other.codeFor(elsewhere.url, claims),
    })
    expect(redirectParams(mixed)).toMatchObject({ error: 'access_denied' })
    expect(other.requests).not.toContain('token')
    const attempt = await beginSignIn(one.id, { slug: world.account.slug })
    fake.requests.length = 0
    const query = { state: attempt.providerState, code: fake.codeFor(attempt.url, claims), iss: other.issuer }
    expect(redirectParams(await returnFromProvider(attempt, query))).toMatchObject({ error: 'temporarily_unavailable' })
    // Expects that a response with a different issuer is refused before its code is sent (RFC 9207).
    expect(fake.requests).not.toContain('token')
    await other.close()
  })
})

describe('a failing provider', () => {
  it('is awaited no longer than a browser waits', async () => {
    const provider = await world.newProvider()
    const begun = await beginSignIn(provider.id, { slug: world.account.slug })
    fake.misbehave('token', (answer) => {
      // Keeps sending bytes, so that the response never ends.
      const timer = setInterval(() => answer.write(' '), 500)
      answer.on('close', () => clearInterval(timer))
    })
    const query = { state: begun.providerState, code: fake.codeFor(begun.url, { sub: newSubject() }) }
    const startedAt = performance.now()
    expect(redirectParams(await returnFromProvider(begun, query))).toMatchObject({ error: 'temporarily_unavailable' })
    expect(performance.now() - startedAt).toBeLessThan(29_000)
    // Expects that the sign-in cannot be completed after the timeout, even if the provider works again.
    fake.behave()
    expect((await returnFromProvider(begun, query)).status).toBe(400)
  })

  it.each<[string, Parameters<PlainProvider['misbehave']>, string]>([
    ['returns no JSON', ['token', (answer) => answer.end('<html>')], 'provider_answer'],
    ['returns an error', ['token', (answer) => fake.send(answer, 400, { error: 'invalid_grant' })], 'provider_refused'],
    [
      'returns no ID token',
      ['token', (answer) => fake.send(answer, 200, { token_type: 'Bearer', access_token: 'x' })],
      '',
    ],
    [
      'redirects',
      ['token', (answer) => answer.writeHead(302, { location: 'http://169.254.169.254/' }).end()],
      'provider_answer',
    ],
    ['hangs up', ['token', (answer) => answer.destroy()], 'provider_unreachable'],
    ['sends 5 MB', ['token', (answer) => answer.end('x'.repeat(5_000_000))], 'provider_unreachable'],
    ['sends 5 MB of keys', ['keys', (answer) => answer.end('x'.repeat(5_000_000))], 'provider_unreachable'],
    ['sends 5 MB of userinfo', ['userinfo', (answer) => answer.end('x'.repeat(5_000_000))], 'provider_unreachable'],
  ])('%s', async (_name, [endpoint, answering], expected) => {
    const provider = await world.newProvider()
    if (endpoint === 'keys') fake.rotateKey()
    fake.misbehave(endpoint, answering)
    const claims = {
      sub: newSubject(),
      ...(endpoint !== 'userinfo' && { email: await world.emailOf(), email_verified: true }),
    }
    const outcome = await world.signInOutcome(provider, claims)
    expect(outcome).not.toBe('signed in')
    expect(outcome.startsWith(expected)).toBe(true)
  })
})
