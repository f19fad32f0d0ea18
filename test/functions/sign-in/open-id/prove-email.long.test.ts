import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { handler as sendPasscode } from '#functions/sign-in/passcodes/send-passcode.ts'
import { handler as verifyPasscode } from '#functions/sign-in/passcodes/verify-passcode.ts'
import type { AuthProviderRow } from '#shared/domain/auth-providers/auth-provider.ts'
import { externalIdentities } from '#shared/domain/external-identities/external-identity.ts'
import { rowsBy } from '#shared/table/read.ts'
import type { PlainProvider } from '#test/fakes/plain-provider.ts'
import { call } from '#test/support/accounts/account.ts'
import { moveEmail } from '#test/support/accounts/identities.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'
import { catchMails, mailedPasscode, passcodeIn, useCheapHashes } from '#test/support/sign-in/mails.ts'
import {
  beginSignIn,
  newSource,
  newVerifier,
  redeemWith,
  redirectParams,
  returnFromProvider,
} from '#test/support/sign-in/sign-in.ts'
import { newSubject, type SignInWorld, signInWorld, stubProviders } from '#test/support/sign-in/sign-in-world.ts'
import { interceptEngine } from '#test/support/table/intercept-engine.ts'

let world: SignInWorld
let fake: PlainProvider
let provider: AuthProviderRow
beforeAll(async () => {
  useCheapHashes()
  world = await signInWorld()
  fake = world.fake
  provider = await world.newProvider('oidc', { email_verification_method: 'proof' })
})
beforeEach(() => stubProviders(fake))
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})
afterAll(() => fake.close())

/** Signs in with an email that the provider has not verified. Returns the passcode that was mailed as proof. */
async function claim(email: string, sub = newSubject()) {
  const post = await catchMails()
  const begun = await beginSignIn(provider.id, { slug: world.account.slug })
  const result = redirectParams(
    await returnFromProvider(begun, { state: begun.providerState, code: fake.codeFor(begun.url, { sub, email }) }),
  )
  await post.settled()
  const mails = [...post.mails]
  await post.stop()
  return { params: result, mails, sub, code: result.code, code_verifier: begun.verifier }
}

describe('an email that a provider has not verified (I2.3)', () => {
  it('is proven by a passcode before the first link, and not again', async () => {
    const person = await world.person()
    const { params, mails, sub, code, code_verifier } = await claim(String(person.email))
    expect(params).toEqual({ state: expect.any(String), proof_required: 'true', code: expect.any(String) })
    expect(mails).toMatchObject([{ to: person.email }])
    const without = await redeemWith({ code, code_verifier })
    expect([without.status, without.body.errors]).toEqual([422, { passcode: ["can't be blank"] }])
    expect((await redeemWith({ code, code_verifier, passcode: '222222' })).status).toBe(401)
    const passcode = passcodeIn(mails[0]).toLowerCase()
    const given = await redeemWith({ code, code_verifier, passcode })
    expect([given.status, given.body.data?.actor.id]).toEqual([201, person.id])
    expect((await redeemWith({ code, code_verifier, passcode })).status).toBe(401)
    const again = await claim('somebody-else@example.com', sub)
    expect([again.params.proof_required, again.mails]).toEqual([undefined, []])
    const { code: second, code_verifier: verifier } = again
    expect((await redeemWith({ code: second, code_verifier: verifier })).body.data.actor.id).toBe(person.id)
  })

  it('prompts for a passcode for any address, and mails only people who may sign in', async () => {
    const disabled = await world.emailOf({ is_disabled: true })
    for (const email of ['nobody@example.com', disabled]) {
      const { params, mails, code, code_verifier } = await claim(email)
      expect([params.proof_required, mails]).toEqual(['true', []])
      expect((await redeemWith({ code, code_verifier, passcode: '222222' })).status).toBe(401)
    }
  })

  it('is rejected after three wrong passcodes, and with a wrong verifier', async () => {
    const first = await claim(await world.emailOf())
    const passcode = passcodeIn(first.mails[0])
    const tries = ['222222', '333333', '444444', passcode].map(
      (tried) => () => redeemWith({ code: first.code, code_verifier: first.code_verifier, passcode: tried }),
    )
    for (const attempt of tries) expect((await attempt()).status).toBe(401)
    const second = await claim(await world.emailOf())
    const known = passcodeIn(second.mails[0])
    const { code, code_verifier } = second
    expect((await redeemWith({ code, code_verifier: newVerifier().verifier, passcode: known })).status).toBe(401)
    expect((await redeemWith({ code, code_verifier, passcode: known })).status).toBe(401)
  })

  it('is proven only by the passcode of its own sign-in', async () => {
    const person = await world.person()
    const first = await claim(String(person.email))
    const second = await claim(String(person.email))
    const passcode = passcodeIn(second.mails[0])
    for (let i = 0; i < 4; i++) {
      expect((await redeemWith({ code: first.code, code_verifier: first.code_verifier, passcode })).status).toBe(401)
    }
    const { code, code_verifier } = second
    expect((await redeemWith({ code, code_verifier, passcode })).body.data.actor.id).toBe(person.id)
  })

  it('is not proven by a passcode for signing in, and its own passcode does not sign in', async () => {
    const signing = await mailedPasscode(world.account.id)
    const { mails, code, code_verifier } = await claim(signing.email)
    // Uses a passcode that was mailed as proof of the email, and not for a sign-in.
    const passcode = passcodeIn(mails[0])
    const verify = () =>
      call(verifyPasscode, {
        method: 'POST',
        params: { slug: world.account.slug },
        body: { sign_in: { email: signing.email, passcode, context: 'client' } },
        sourceIp: newSource(),
      })
    for (let i = 0; i < 4; i++) expect((await verify()).status).toBe(401)
    expect((await redeemWith({ code, code_verifier, passcode })).status).toBe(201)

    const other = await world.person({ allow_email_otp_sign_in: true })
    const claimed = await claim(String(other.email))
    const post = await catchMails()
    await call(sendPasscode, {
      method: 'POST',
      params: { slug: world.account.slug },
      body: { sign_in: { email: other.email, context: 'client' } },
      sourceIp: newSource(),
    })
    await post.settled()
    await post.stop()
    const { code: waiting, code_verifier: own } = claimed
    expect((await redeemWith({ code: waiting, code_verifier: own, passcode: passcodeIn(post.mails[0]) })).status).toBe(
      401,
    )
  })

  it('does not sign in another person to whom it belongs by then', async () => {
    const [person, other] = [await world.person(), await world.person()]
    const { mails, code, code_verifier } = await claim(String(person.email))
    const passcode = passcodeIn(mails[0])
    let isMoved = false
    // Moves the email to another person between the verification of the passcode and the commit.
    const leave = interceptEngine(async ({ operation, input, send: ask }) => {
      const answer = await ask()
      if (!isMoved && operation === 'UpdateItem' && JSON.stringify(input).includes('#passcodes')) {
        isMoved = true
        await moveEmail(world.account, person, other)
      }
      return answer
    })
    const log = catchLog()
    const refused = await redeemWith({ code, code_verifier, passcode })
    leave()
    const lines = log.lines().filter(({ event }) => event === 'sign_in_refused')
    vi.restoreAllMocks()
    expect([refused.status, isMoved]).toEqual([401, true])
    expect(lines).toMatchObject([{ reason: 'passcode', actor_id: person.id }])
    expect(await rowsBy(externalIdentities, world.account.id, 'actor_id', other.id)).toEqual([])
  })

  it('is refused without a pending proof', async () => {
    expect((await claim('nonsense')).params.error).toBe('access_denied')
  })
})
