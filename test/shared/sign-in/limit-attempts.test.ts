import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { handler as sendEmail } from '#functions/public/sign-in-email.ts'
import { handler as showPage } from '#functions/public/sign-in-page.ts'
import { handler as startPage } from '#functions/public/sign-in-start.ts'
import { handler as listProviders } from '#functions/sign-in/open-id/list-providers.ts'
import { handler as redeemCode } from '#functions/sign-in/open-id/redeem-code.ts'
import { handler as startSignIn } from '#functions/sign-in/open-id/start-sign-in.ts'
import { handler as sendPasscode } from '#functions/sign-in/passcodes/send-passcode.ts'
import { handler as verifyPasscode } from '#functions/sign-in/passcodes/verify-passcode.ts'
import { clock } from '#shared/core/clock.ts'
import { limitAttempts, limitEmailAttempts } from '#shared/sign-in/limit-attempts.ts'
import { call, newAccount } from '#test/support/accounts/account.ts'
import { newSource, redeemWith, returnFromProvider, sharedCallback } from '#test/support/sign-in/sign-in.ts'
import { visitPage } from '#test/support/sign-in/visit-page.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'

const many = <T>(count: number, work: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => work(i))
const passed = async (attempts: Promise<unknown>[]) =>
  (await Promise.allSettled(attempts)).filter(({ status }) => status === 'fulfilled').length

afterEach(() => vi.restoreAllMocks())

describe('attempts to sign in (decision 0022)', () => {
  it('are limited separately for each way to sign in to an account', async () => {
    // Stops the clock, so that the bucket does not refill.
    const now = clock.now()
    vi.spyOn(clock, 'now').mockImplementation(() => now)
    const id = randomUUID()
    const [allowed, others] = [await passed(many(500, () => limitAttempts(id, 'passcodes'))), randomUUID()]
    expect(allowed).toBeGreaterThanOrEqual(300)
    expect(allowed).toBeLessThan(400)
    await limitAttempts(id, 'providers')
    await limitAttempts(others, 'passcodes')
    await expect(limitAttempts(id, 'passcodes')).rejects.toMatchObject({ code: 'rate_limited' })
  })

  it('are limited by email address, ignoring case', async () => {
    const email = `${randomUUID()}@example.com`
    const allowed = await passed(many(50, (i) => limitEmailAttempts(i % 2 ? email : email.toUpperCase())))
    expect(allowed).toBeGreaterThanOrEqual(20)
    expect(allowed).toBeLessThan(24)
    await limitEmailAttempts(`other-${email}`)
  })

  it('cost at most one write each, and a refused one also one read', async () => {
    const email = `${randomUUID()}@example.com`
    await limitEmailAttempts(email)
    const one = await measure(() => limitEmailAttempts(email))
    expect([one.writes, one.reads]).toEqual([1, 0])
    await passed(many(50, () => limitEmailAttempts(email)))
    const refused = await measure(() => limitEmailAttempts(email).catch(() => {}))
    expect(refused.writes).toBeLessThanOrEqual(1)
    expect(refused.reads).toBeLessThanOrEqual(1)
  })

  it('are limited per step, so that 20 people behind one address can sign in at once, and load the page more often', async () => {
    const { slug } = await newAccount()
    const sourceIp = newSource()
    // Stops the clock, so that no limit is refilled during the requests.
    const now = clock.now()
    vi.spyOn(clock, 'now').mockImplementation(() => now)
    const body = { sign_in: {} }
    const page = { slug, query: {}, sourceIp }
    const form = (fields: Record<string, string>) => () => visitPage(sendEmail, { ...page, form: fields })
    const steps: Record<string, () => Promise<{ status: number }>> = {
      'the operation that lists providers': () => call(listProviders, { params: { slug }, sourceIp }),
      'the operation that begins': () => call(startSignIn, { method: 'POST', params: { slug }, body, sourceIp }),
      'the callback': () => returnFromProvider(sharedCallback, { state: 'x', code: 'y' }, sourceIp),
      'the passcode that is entered on the page': form({ email: 'a@example.com', passcode: 'ABC234' }),
      'the code that is redeemed': () => redeemWith({}, sourceIp),
    }
    const refusals: Record<string, number> = {}
    for (const [step, ask] of Object.entries(steps)) {
      const statuses = (await Promise.all(many(24, ask))).map(({ status }) => status)
      refusals[step] = statuses.filter((status) => status === 429).length
    }
    expect(refusals).toEqual(Object.fromEntries(Object.keys(steps).map((step) => [step, 4])))
    const seen = (await Promise.all(many(104, () => visitPage(showPage, page)))).map(({ status }) => status)
    expect([seen.length, seen.filter((status) => status === 429).length]).toEqual([104, 4])
    // Expects refusals on the page too, because it shares the limits that the operations have used up.
    const spent = [
      await visitPage(startPage, page),
      await form({ email: 'a@example.com' })(),
      await call(sendPasscode, { method: 'POST', params: { slug }, body, sourceIp }),
      await call(verifyPasscode, { method: 'POST', params: { slug }, body, sourceIp }),
    ]
    expect(spent.map(({ status }) => status)).toEqual([429, 429, 429, 429])
  })

  it.each([
    ['start', startSignIn, 422, '203.0.113.31'],
    ['token', redeemCode, 401, '203.0.113.32'],
  ] as const)('with %s are limited by source address, with 50 at once', async (name, handler, otherwise, own) => {
    const { slug } = await newAccount()
    const sign_in =
      name === 'start'
        ? {
            auth_provider_id: randomUUID(),
            context: 'client',
            redirect_uri: 'http://127.0.0.1/callback',
            state: 's',
            code_challenge: 'a'.repeat(43),
          }
        : { code: 'x', code_verifier: 'y' }
    const ask = (sourceIp: string) =>
      call(handler, { method: 'POST', params: name === 'start' ? { slug } : {}, body: { sign_in }, sourceIp }).then(
        ({ status }) => status,
      )
    const statuses = await Promise.all(many(50, () => ask(own)))
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(25)
    expect(statuses.filter((status) => status === otherwise).length).toBeGreaterThanOrEqual(20)
    expect(await ask('203.0.113.99')).toBe(otherwise)
  })
})
