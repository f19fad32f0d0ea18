import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { ResponseCache } from '#shared/outside/response-cache.ts'
import { fetchDocument } from '#shared/sign-in/providers/provider-app.ts'
import { type PlainProvider, startPlainProvider } from '#test/fakes/plain-provider.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { captureOperatorLog } from '#test/support/sign-in/operator-log.ts'
import { beginSignIn, insertLocalProvider, redirectParams, returnFromProvider } from '#test/support/sign-in/sign-in.ts'
import { newSubject } from '#test/support/sign-in/sign-in-world.ts'

let account: Account
let fake: PlainProvider
beforeAll(async () => {
  account = await newAccount()
})
beforeEach(async () => {
  vi.stubEnv('ALLOW_INSECURE_PROVIDERS', '1')
  fake = await startPlainProvider()
})
afterEach(async () => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  await fake.close()
})
afterAll(() => {
  vi.unstubAllEnvs()
})

async function comesBack(begun: Awaited<ReturnType<typeof beginSignIn>>) {
  const code = fake.codeFor(begun.url, { sub: newSubject() })
  const { answer, ...operator } = await captureOperatorLog(() =>
    returnFromProvider(begun, { state: begun.providerState, code }),
  )
  return { status: answer.status, params: redirectParams(answer), ...operator }
}

const whole = (more: object = {}) => JSON.stringify({ ...fake.document(), ...more })
const without = (name: string) => JSON.stringify({ ...fake.document(), [name]: undefined })
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

describe('an invalid discovery document', () => {
  const forms: [string, () => string, string][] = [
    ['no JSON', () => '<!doctype html><title>Sign in</title>', 'provider_answer'],
    ['nothing', () => '', 'provider_answer'],
    ['cut short', () => whole().slice(0, -2), 'provider_answer'],
    ['a list', () => `[${whole()}]`, 'provider_answer'],
    ['a text', () => JSON.stringify(whole()), 'provider_answer'],
    ['null', () => 'null', 'provider_answer'],
    ['without an issuer', () => without('issuer'), 'provider_answer'],
    ['without an authorization endpoint', () => without('authorization_endpoint'), 'provider_answer'],
    ['without a token endpoint', () => without('token_endpoint'), 'provider_answer'],
    ['without keys', () => without('jwks_uri'), 'provider_answer'],
    ['with an endpoint that is no text', () => whole({ token_endpoint: 7 }), 'provider_answer'],
    ['with an endpoint that is a list', () => whole({ jwks_uri: [fake.document().jwks_uri] }), 'provider_answer'],
    ['with an endpoint that is an object', () => whole({ userinfo_endpoint: { href: 'x' } }), 'provider_answer'],
    ['with an endpoint by HTTP', () => whole({ token_endpoint: 'http://login.example.com/token' }), 'provider_answer'],
    [
      'with a script for an endpoint',
      () => whole({ authorization_endpoint: 'javascript:alert(1)' }),
      'provider_answer',
    ],
    [
      'with an endpoint that is too long',
      () => whole({ jwks_uri: `${fake.base}/${'x'.repeat(2_048)}` }),
      'provider_answer',
    ],
    ['with methods that are no list', () => whole({ token_endpoint_auth_methods_supported: 7 }), 'provider_answer'],
    [
      'with algorithms that are no texts',
      () => whole({ id_token_signing_alg_values_supported: [null, {}] }),
      'provider_answer',
    ],
    [
      'with a flag that is a text',
      () => whole({ authorization_response_iss_parameter_supported: 'false' }),
      'provider_answer',
    ],
    ['that says it all in __proto__', () => `{"__proto__":${whole()}}`, 'provider_answer'],
    ['nested deeper than a stack is', () => nested(400_000), 'provider_answer'],
    ['of 5 MB', () => whole({ more: 'x'.repeat(5_000_000) }), 'provider_unreachable'],
  ]

  it.each(forms)('%s is 503 at the start, and a fault at the callback', async (_form, body, reason) => {
    const answering = body()
    const provider = await insertLocalProvider(account.id, fake)
    // Disables the cache, so that the callback reads the document again.
    const keep = vi.spyOn(ResponseCache.prototype, 'set').mockReturnValue()
    const begun = await beginSignIn(provider.id, { slug: account.slug })
    keep.mockRestore()
    fake.misbehave('discovery', (answer) => answer.end(answering))
    fake.requests.length = 0
    const { status, params, refused, counted } = await comesBack(begun)
    expect([status, params]).toEqual([303, { state: begun.state, error: 'temporarily_unavailable' }])
    expect(refused).toMatchObject({ reason, at: 'discovery', account_id: account.id })
    expect(counted).toEqual([1, reason])
    expect(fake.requests).toEqual(['discovery'])
    const { answer } = await beginSignIn(provider.id, { slug: account.slug })
    expect([answer.status, answer.body.code]).toEqual([503, 'unavailable'])
    // Expects that the invalid document was not cached.
    fake.behave()
    expect((await beginSignIn(provider.id, { slug: account.slug })).answer.status).toBe(201)
  })

  it('is valid with any additional members, which are ignored', async () => {
    const more = `,"__proto__":{"token_endpoint":"x"},"deep":${nested(100_000)},"claims_supported":{"not":"a list"}}`
    const answering = `${whole().slice(0, -1)}${more}`
    fake.misbehave('discovery', (answer) => answer.end(answering))
    const provider = await insertLocalProvider(account.id, fake)
    const begun = await beginSignIn(provider.id, { slug: account.slug })
    expect(begun.answer.status).toBe(201)
    expect((await comesBack(begun)).refused).toMatchObject({ reason: 'email_missing' })
    expect(fake.requests).toContain('token')
  })
})

it.each<[string, () => string]>([
  ['no JSON', () => '<html>'],
  ['a list', () => '[]'],
  ['no list', () => '{"keys":{"kty":"EC"}}'],
  ['nothing in the list', () => '{"keys":[null,7,"x"]}'],
  ['a key that is none', () => '{"keys":[{"kty":"EC","kid":"first","crv":"P-256","x":7,"y":[]}]}'],
  ['nested deeper than a stack is', () => `{"keys":${nested(200_000)}}`],
])('keys that are none are a fault at the callback: %s', async (_form, body) => {
  const provider = await insertLocalProvider(account.id, fake)
  const begun = await beginSignIn(provider.id, { slug: account.slug })
  fake.misbehave('keys', (answer) => answer.end(body()))
  const { status, params, counted } = await comesBack(begun)
  expect([status, counted[0]]).toEqual([303, 1])
  expect(params.error).toMatch(/^(server_error|temporarily_unavailable)$/)
  expect(counted[1]).toMatch(/^(id_token|provider_answer)$/)
})

describe('concurrent requests for a discovery document', () => {
  const app = (issuer = fake.issuer) => ({
    issuer,
    documentUri: fake.documentUri,
    clientId: 'x',
    secret: () => Promise.resolve(''),
  })

  it('share one request, and each waits for its own timeout', async () => {
    const open = Promise.withResolvers<void>()
    fake.misbehave('discovery', async (answer) => {
      await open.promise
      fake.send(answer, 200, fake.document())
    })
    const short = fetchDocument(app(), 50).catch((error) => error)
    const long = fetchDocument(app(), 20_000)
    expect(await short).toMatchObject({
      reason: 'provider_unreachable',
      details: { at: 'discovery', failure: 'timeout' },
    })
    open.resolve()
    expect((await long).issuer).toBe(fake.issuer)
    expect(fake.requests).toEqual(['discovery'])
  })

  it('do not reuse a failed request', async () => {
    let times = 0
    fake.misbehave('discovery', (answer) =>
      times++ === 0 ? setTimeout(() => answer.destroy(), 20) : fake.send(answer, 200, fake.document()),
    )
    const [first, second] = await Promise.allSettled([fetchDocument(app(), 5_000), fetchDocument(app(), 5_000)])
    expect([first?.status, second?.status, fake.requests.length]).toEqual(['rejected', 'fulfilled', 2])
  })

  it('are separate per issuer, even with the same address', async () => {
    const [own, other] = await Promise.allSettled([
      fetchDocument(app(), 5_000),
      fetchDocument(app('https://x.example.com'), 5_000),
    ])
    expect([own?.status, other?.status]).toEqual(['fulfilled', 'rejected'])
    expect((await fetchDocument(app(), 5_000)).issuer).toBe(fake.issuer)
    expect(fake.requests).toHaveLength(2)
  })
})
