import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { router } from '#infra/local/api/routes.ts'
import { type PlainProvider, startPlainProvider } from '#test/fakes/plain-provider.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'
import { loadEntries } from '#test/support/operations/operations.ts'
import {
  beginSignIn,
  insertLocalProvider,
  redeemWith,
  redirectParams,
  returnFromProvider,
  sharedCallback,
} from '#test/support/sign-in/sign-in.ts'
import { newSubject, type SignInWorld, signInWorld, stubProviders } from '#test/support/sign-in/sign-in-world.ts'

let world: SignInWorld
let fake: PlainProvider
let hostile: PlainProvider
let elsewhere: Account
beforeAll(async () => {
  world = await signInWorld()
  fake = world.fake
  hostile = await startPlainProvider()
  elsewhere = await newAccount()
})
beforeEach(() => stubProviders(fake))
afterEach(() => {
  fake.requests.length = 0
  hostile.requests.length = 0
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})
afterAll(() => Promise.all([fake.close(), hostile.close()]))

const claimsOf = async () => ({
  sub: newSubject(),
  email: await world.emailOf(),
  email_verified: true,
  hd: 'x.example',
})

async function outcome(...back: Parameters<typeof returnFromProvider>) {
  const log = catchLog('WARN')
  const answer = await returnFromProvider(...back)
  const refused = log.lines().find(({ event }) => event === 'sign_in_refused')
  vi.restoreAllMocks()
  return { params: redirectParams(answer), reason: refused?.reason }
}

describe.each(['oidc', 'idp'] as const)(
  'a mix-up of two providers of kind %s, which do not return their issuer',
  (kind) => {
    /** Begins two sign-ins: one at the honest provider of an administrator, and one at a hostile provider of another account. */
    async function attack() {
      const provider = await world.newProvider(kind, kind === 'idp' ? { idp_domain: 'company.idp.example' } : {})
      const bait = await insertLocalProvider(elsewhere.id, hostile)
      return {
        honest: await beginSignIn(provider.id, { slug: world.account.slug }),
        begun: await beginSignIn(bait.id, { slug: elsewhere.slug }),
      }
    }

    it('does not pass the code on: its callback address differs from that of the sign-in', async () => {
      const { honest, begun } = await attack()
      fake.requests.length = hostile.requests.length = 0
      // Simulates a hostile provider that redirects to the honest provider, which returns the code to its own callback address.
      const code = fake.codeFor(honest.url, await claimsOf())
      const { params, reason } = await outcome(honest, { state: begun.providerState, code })
      expect([params, reason]).toEqual([{ state: begun.state, error: 'access_denied' }, 'callback_other'])
      expect([...fake.requests, ...hostile.requests]).toEqual([])
    })

    it('accepts a code with its state only at the callback address of that sign-in', async () => {
      for (const homeOf of [
        ({ begun }: Awaited<ReturnType<typeof attack>>) => begun.home,
        () => `${sharedCallback.home}/${randomUUID()}`,
        () => sharedCallback.home,
      ]) {
        const attacked = await attack()
        const { honest } = attacked
        const code = fake.codeFor(honest.url, await claimsOf())
        const { params, reason } = await outcome({ home: homeOf(attacked) }, { state: honest.providerState, code })
        expect([params, reason]).toEqual([{ state: honest.state, error: 'access_denied' }, 'callback_other'])
        // Expects an error even at the right callback address, because a sign-in has only one attempt.
        expect((await returnFromProvider(honest, { state: honest.providerState, code })).status).toBe(400)
      }
      expect(fake.requests).not.toContain('token')
    })

    it('refuses a code that the hostile provider obtained, because it is for another address', async () => {
      const { honest, begun } = await attack()
      // Simulates an honest provider that accepts every callback address with the registered prefix.
      const url = new URL(honest.url)
      url.searchParams.set('redirect_uri', begun.home)
      const code = fake.codeFor(url.href, await claimsOf())
      expect((await outcome(begun, { state: begun.providerState, code })).params.error).toBe('access_denied')
      expect(hostile.requests).toContain('token')
      const { params, reason } = await outcome(honest, { state: honest.providerState, code })
      expect([params, reason]).toEqual([{ state: honest.state, error: 'access_denied' }, 'provider_refused'])
    })

    it('signs in a person who was not attacked', async () => {
      const { honest } = await attack()
      const { params } = await outcome(honest, {
        state: honest.providerState,
        code: fake.codeFor(honest.url, await claimsOf()),
      })
      expect((await redeemWith({ code: params.code, code_verifier: honest.verifier })).status).toBe(201)
    })
  },
)

it('uses the callback path of a service address with a path', async () => {
  vi.stubEnv('SERVICE_URL', 'https://access.example.com/network')
  const provider = await world.newProvider()
  const { home, url, providerState, verifier } = await beginSignIn(provider.id, { slug: world.account.slug })
  const path = `/sign_in/callback/${provider.id}`
  expect(home).toBe(`https://access.example.com/network${path}`)
  const code = fake.codeFor(url, await claimsOf())
  const { params } = await outcome({ home: `https://access.example.com${path}` }, { state: providerState, code })
  expect((await redeemWith({ code: params.code, code_verifier: verifier })).status).toBe(201)
})

it("refuses a response of a deployment's provider at another callback address", async () => {
  const provider = await world.newProvider('suite')
  const begun = await beginSignIn(provider.id, { slug: world.account.slug })
  const code = fake.codeFor(begun.url, await claimsOf())
  const { params, reason } = await outcome(
    { home: `${begun.home}/${provider.id}` },
    { state: begun.providerState, code },
  )
  expect([params.error, reason]).toEqual(['access_denied', 'callback_other'])
})

it('has a callback address that never matches a page of an account', async () => {
  const routes = (await loadEntries()).map(({ name }) => ({ key: name, target: name }))
  const pages = ['GET /sign_in/{slug}', 'POST /sign_in/{slug}', 'GET /sign_in/{slug}/start']
  const match = router([...routes, ...pages.map((key) => ({ key, target: key }))])
  for (const end of ['0191e0b7-4b5e-7c3a-8f1d-2a6b9c0d1e2f', 'start', 'providers', 'email_otp', 'token', '%2e%2e']) {
    expect(match('GET', `/sign_in/callback/${end}`)?.key).toBe('GET /sign_in/callback/{auth_provider_id}')
  }
  expect(match('GET', '/sign_in/callback')?.key).toBe('GET /sign_in/callback')
  // Expects that the slug `callback` is reserved, because the API would otherwise look for an account with this slug.
  await expect(newAccount({ slug: 'callback' })).rejects.toThrow(/slug/)
  for (const end of ['start', '', 'x'.repeat(3_000)]) {
    expect(
      (await returnFromProvider({ home: `${sharedCallback.home}/${end}` }, { state: 'x', code: 'y' })).status,
    ).toBe(400)
  }
})
