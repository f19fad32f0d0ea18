import { OAuth2Server } from 'oauth2-mock-server'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { AuthProviderRow } from '#shared/domain/auth-providers/auth-provider.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { newPerson } from '#test/support/accounts/identities.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'
import {
  beginSignIn,
  insertLocalProvider,
  redeemWith,
  redirectParams,
  returnFromProvider,
} from '#test/support/sign-in/sign-in.ts'

type Payload = Record<string, unknown>

let server: OAuth2Server
let account: Account
let provider: AuthProviderRow
beforeAll(async () => {
  server = new OAuth2Server()
  await server.issuer.keys.generate('RS256')
  await server.start(0, '127.0.0.1')
  const { port } = server.address()
  server.issuer.url = `http://127.0.0.1:${port}`
  account = await newAccount()
  const issuer = server.issuer.url
  const documentUri = `${issuer}/.well-known/openid-configuration`
  provider = await insertLocalProvider(account.id, { issuer, documentUri, secret: 'any' })
})
beforeEach(() => {
  vi.stubEnv('ALLOW_INSECURE_PROVIDERS', '1')
})
afterEach(() => {
  server.service.removeAllListeners('beforeTokenSigning')
  server.service.removeAllListeners('beforeResponse')
  server.service.removeAllListeners('beforeUserinfo')
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})
afterAll(() => server.stop())

/** Signs in at a third-party server that puts these claims into its ID token. */
async function signIn(claims: Payload) {
  server.service.prependListener('beforeTokenSigning', ({ payload }) => {
    for (const [name, value] of Object.entries({ aud: provider.client_id, ...claims })) {
      if (value === undefined) delete payload[name]
      else payload[name] = value as never
    }
  })
  const begun = await beginSignIn(provider.id, { slug: account.slug })
  const redirected = await fetch(begun.url, { redirect: 'manual' })
  const home = new URL(redirected.headers.get('location') ?? '')
  const log = catchLog('WARN')
  const back = await returnFromProvider({ home: home.href }, home.search.slice(1))
  const [line] = log.lines().filter(({ event }) => event === 'sign_in_refused')
  vi.restoreAllMocks()
  const result = redirectParams(back)
  if (result.code === undefined) return { params: result, reason: line?.reason, line }
  const redeemed = await redeemWith({ code: result.code, code_verifier: begun.verifier })
  return { params: result, reason: redeemed.status === 201 ? 'signed in' : redeemed.text }
}
const newClaims = async () => ({
  sub: crypto.randomUUID(),
  email: (await newPerson(account)).email,
  email_verified: true,
})

it('accepts true claims', async () => {
  const { reason, line } = await signIn(await newClaims())
  expect([reason, line]).toEqual(['signed in', undefined])
})

const seconds = (more: number) => Math.floor(Date.now() / 1_000) + more
it.each<[string, Payload]>([
  ['issuer', { iss: 'http://127.0.0.1:1' }],
  ['issuer with a slash', { iss: 'SLASH' }],
  ['audience', { aud: 'somebody-else' }],
  ['audiences', { aud: ['somebody-else', 'others'] }],
  ['party', { azp: 'somebody-else' }],
  ['nonce', { nonce: 'of another sign-in' }],
  ['missing nonce', { nonce: undefined }],
  ['end', { exp: seconds(-60) }],
  ['beginning', { nbf: seconds(3_600) }],
])('refuses another %s', async (_name, wrong) => {
  const claims = Object.fromEntries(
    Object.entries(wrong).map(([name, value]) => [name, value === 'SLASH' ? `${server.issuer.url}/` : value]),
  )
  const { params, reason } = await signIn({ ...(await newClaims()), ...claims })
  expect([params.error, reason]).toEqual(['server_error', 'id_token'])
})

it('refuses a foreign algorithm or key, and accepts a newly published key', async () => {
  const claims = await newClaims()
  const forged = (header: Payload) =>
    server.service.once('beforeResponse', (response) => {
      const { body } = response as { body: { id_token: string } }
      const [, payload] = body.id_token.split('.')
      const encodedHeader = Buffer.from(JSON.stringify(header)).toString('base64url')
      body.id_token = `${encodedHeader}.${payload}.${header.alg === 'none' ? '' : 'AAAA'}`
    })
  for (const header of [{ alg: 'none' }, { alg: 'HS256' }, { alg: 'RS256', kid: 'unknown' }, { alg: 'ES256' }]) {
    forged(header)
    const { params, reason } = await signIn(claims)
    expect([header.alg, params.error, reason]).toEqual([
      header.alg,
      expect.stringMatching(/^(server_error|temporarily_unavailable)$/),
      expect.stringMatching(/id_token|provider_answer/),
    ])
  }
  await server.issuer.keys.generate('RS256')
  expect((await signIn(claims)).reason).toBe('signed in')
})

it('refuses another subject at userinfo', async () => {
  server.service.once('beforeUserinfo', (response) => {
    response.body = { sub: 'somebody-else', email: 'x@example.com', email_verified: true }
  })
  const { params, reason } = await signIn({ sub: crypto.randomUUID() })
  expect([params.error, reason]).toEqual(['server_error', 'userinfo'])
})
