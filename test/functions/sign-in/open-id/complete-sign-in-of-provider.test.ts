import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { router } from '#infra/local/api/routes.ts'
import { type PlainProvider, startPlainProvider } from '#test/fakes/plain-provider.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'
import { loadEntries } from '#test/support/operations/operations.ts'
import { beginSignIn, comeBack, ledTo, plainHome, providerBehind, redeemWith } from '#test/support/sign-in/sign-in.ts'
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
  fake.asked.length = 0
  hostile.asked.length = 0
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

/** Where the browser is led, and why by the service's own log. */
async function outcome(...back: Parameters<typeof comeBack>) {
  const log = catchLog('WARN')
  const answer = await comeBack(...back)
  const refused = log.lines().find(({ event }) => event === 'sign_in_refused')
  vi.restoreAllMocks()
  return { told: ledTo(answer), reason: refused?.reason }
}

describe.each(['oidc', 'idp'] as const)(
  'a mix-up of two providers of kind %s, which name themselves nowhere',
  (kind) => {
    /** Somebody is at the hostile provider of another account, whose administrator has begun a sign-in at the honest one. */
    async function attack() {
      const provider = await world.behind(kind, kind === 'idp' ? { idp_domain: 'company.idp.example' } : {})
      const bait = await providerBehind(elsewhere.id, hostile)
      return {
        honest: await beginSignIn(provider.id, { slug: world.account.slug }),
        begun: await beginSignIn(bait.id, { slug: elsewhere.slug }),
      }
    }

    it('gives the code of one to nobody else: it came to another address than the sign-in was begun with', async () => {
      const { honest, begun } = await attack()
      fake.asked.length = hostile.asked.length = 0
      // The hostile one leads on to the honest one, which leads back to the one address that it knows.
      const code = fake.codeFor(honest.url, await claimsOf())
      const { told, reason } = await outcome(honest, { state: begun.own, code })
      expect([told, reason]).toEqual([{ state: begun.state, error: 'access_denied' }, 'callback_other'])
      expect([...fake.asked, ...hostile.asked]).toEqual([])
    })

    it('takes a code under the state that it is for at the address of that sign-in alone', async () => {
      for (const homeOf of [
        ({ begun }: Awaited<ReturnType<typeof attack>>) => begun.home,
        () => `${plainHome.home}/${randomUUID()}`,
        () => plainHome.home,
      ]) {
        const attacked = await attack()
        const { honest } = attacked
        const code = fake.codeFor(honest.url, await claimsOf())
        const { told, reason } = await outcome({ home: homeOf(attacked) }, { state: honest.own, code })
        expect([told, reason]).toEqual([{ state: honest.state, error: 'access_denied' }, 'callback_other'])
        // It was the one try of this sign-in.
        expect((await comeBack(honest, { state: honest.own, code })).status).toBe(400)
      }
      expect(fake.asked).not.toContain('token')
    })

    it('does not take in place of a person whom the hostile one got a code of, which is for another address', async () => {
      const { honest, begun } = await attack()
      // An honest provider that leads back to whatever begins like the address that it knows.
      const url = new URL(honest.url)
      url.searchParams.set('redirect_uri', begun.home)
      const code = fake.codeFor(url.href, await claimsOf())
      expect((await outcome(begun, { state: begun.own, code })).told.error).toBe('access_denied')
      expect(hostile.asked).toContain('token')
      const { told, reason } = await outcome(honest, { state: honest.own, code })
      expect([told, reason]).toEqual([{ state: honest.state, error: 'access_denied' }, 'provider_refused'])
    })

    it('leaves who was led nowhere else signed in', async () => {
      const { honest } = await attack()
      const { told } = await outcome(honest, { state: honest.own, code: fake.codeFor(honest.url, await claimsOf()) })
      expect((await redeemWith({ code: told.code, code_verifier: honest.verifier })).status).toBe(201)
    })
  },
)

it('leads back to a service whose address has a path of its own', async () => {
  vi.stubEnv('SERVICE_URL', 'https://access.example.com/network')
  const provider = await world.behind()
  const { home, url, own, verifier } = await beginSignIn(provider.id, { slug: world.account.slug })
  const path = `/sign_in/callback/${provider.id}`
  expect(home).toBe(`https://access.example.com/network${path}`)
  const code = fake.codeFor(url, await claimsOf())
  const { told } = await outcome({ home: `https://access.example.com${path}` }, { state: own, code })
  expect((await redeemWith({ code: told.code, code_verifier: verifier })).status).toBe(201)
})

it('takes no answer of a provider of the deployment, whose address is another', async () => {
  const provider = await world.behind('suite')
  const begun = await beginSignIn(provider.id, { slug: world.account.slug })
  const code = fake.codeFor(begun.url, await claimsOf())
  const { told, reason } = await outcome({ home: `${begun.home}/${provider.id}` }, { state: begun.own, code })
  expect([told.error, reason]).toEqual(['access_denied', 'callback_other'])
})

it('has an address that is no page of an account, whatever stands at its end', async () => {
  const routes = (await loadEntries()).map(({ name }) => ({ key: name, target: name }))
  const pages = ['GET /sign_in/{slug}', 'POST /sign_in/{slug}', 'GET /sign_in/{slug}/start']
  const match = router([...routes, ...pages.map((key) => ({ key, target: key }))])
  for (const end of ['0191e0b7-4b5e-7c3a-8f1d-2a6b9c0d1e2f', 'start', 'providers', 'email_otp', 'token', '%2e%2e']) {
    expect(match('GET', `/sign_in/callback/${end}`)?.key).toBe('GET /sign_in/callback/{auth_provider_id}')
  }
  expect(match('GET', '/sign_in/callback')?.key).toBe('GET /sign_in/callback')
  // An API that preferred the other one would look for an account that there cannot be.
  await expect(newAccount({ slug: 'callback' })).rejects.toThrow(/slug/)
  for (const end of ['start', '', 'x'.repeat(3_000)]) {
    expect((await comeBack({ home: `${plainHome.home}/${end}` }, { state: 'x', code: 'y' })).status).toBe(400)
  }
})
