import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AuthProviderRow } from '#shared/domain/auth-providers/auth-provider.ts'
import type { PlainProvider } from '#test/fakes/plain-provider.ts'
import { catchMails, hashQuickly, passcodeIn } from '#test/support/mails.ts'
import { beginSignIn, comeBack, ledTo, newVerifier, redeemWith } from '#test/support/sign-in.ts'
import { newSubject, type SignInWorld, signInWorld, stubProviders } from '#test/support/sign-in-world.ts'

let world: SignInWorld
let fake: PlainProvider
let provider: AuthProviderRow
beforeAll(async () => {
  hashQuickly()
  world = await signInWorld()
  fake = world.fake
  provider = await world.behind('oidc', { email_verification_method: 'proof' })
})
beforeEach(() => stubProviders(fake))
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})
afterAll(() => fake.close())

/** Somebody comes back who says that an address is theirs; what was mailed for it. */
async function claim(email: string, sub = newSubject()) {
  const post = await catchMails()
  const begun = await beginSignIn(provider.id, { slug: world.account.slug })
  const told = ledTo(await comeBack({ state: begun.own, code: fake.codeFor(begun.url, { sub, email }) }))
  await post.settled()
  const mails = [...post.mails]
  await post.stop()
  return { told, mails, sub, code: told.code, code_verifier: begun.verifier }
}

describe('an email that a provider does not vouch for (I2.3)', () => {
  it('is proven by a passcode before the first link, and not again', async () => {
    const person = await world.person()
    const { told, mails, sub, code, code_verifier } = await claim(String(person.email))
    expect(told).toEqual({ state: expect.any(String), proof_required: 'true', code: expect.any(String) })
    expect(mails).toMatchObject([{ to: person.email }])
    const without = await redeemWith({ code, code_verifier })
    expect([without.status, without.body.errors]).toEqual([422, { passcode: ["can't be blank"] }])
    expect((await redeemWith({ code, code_verifier, passcode: '222222' })).status).toBe(401)
    const passcode = passcodeIn(mails[0]).toLowerCase()
    const given = await redeemWith({ code, code_verifier, passcode })
    expect([given.status, given.body.data?.actor.id]).toEqual([201, person.id])
    expect((await redeemWith({ code, code_verifier, passcode })).status).toBe(401)
    const again = await claim('somebody-else@example.com', sub)
    expect([again.told.proof_required, again.mails]).toEqual([undefined, []])
    const { code: second, code_verifier: verifier } = again
    expect((await redeemWith({ code: second, code_verifier: verifier })).body.data.actor.id).toBe(person.id)
  })

  it('is asked for whoever has it, and mailed only to who may sign in', async () => {
    const disabled = await world.emailOf({ is_disabled: true })
    for (const email of ['nobody@example.com', disabled]) {
      const { told, mails, code, code_verifier } = await claim(email)
      expect([told.proof_required, mails]).toEqual(['true', []])
      expect((await redeemWith({ code, code_verifier, passcode: '222222' })).status).toBe(401)
    }
  })

  it('is given up after three wrong passcodes, and by who does not know the verifier', async () => {
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

  it('is refused where it is none', async () => {
    expect((await claim('nonsense')).told.error).toBe('access_denied')
  })
})
