import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { handler as getAccount } from '#functions/api/account/get-account.ts'
import { handler as deleteActor } from '#functions/api/actors/delete-actor.ts'
import { handler as updateActor } from '#functions/api/actors/update-actor.ts'
import { handler as deleteProviderOfAnyKind } from '#functions/api/auth-providers/delete-auth-provider.ts'
import { handler as sendPasscode } from '#functions/sign-in/passcodes/send-passcode.ts'
import { handler as verifyPasscode } from '#functions/sign-in/passcodes/verify-passcode.ts'
import { clock } from '#shared/core/clock.ts'
import type { ActorRow } from '#shared/domain/actors/actor.ts'
import { authProviders } from '#shared/domain/auth-providers/auth-provider.ts'
import { clientTokens } from '#shared/domain/client-tokens/client-token.ts'
import { externalIdentities } from '#shared/domain/external-identities/external-identity.ts'
import { passcodeKey } from '#shared/domain/passcodes/passcode.ts'
import { passcodeProvider } from '#shared/sign-in/passcodes/passcode-text.ts'
import { getItem, rowsBy } from '#shared/table/read.ts'
import { type Account, call, newAccount, withRoute } from '#test/support/accounts/account.ts'
import { insertProvider } from '#test/support/accounts/portal-sessions.ts'
import { insertActor, updateRow } from '#test/support/accounts/rows.ts'
import { mustBe } from '#test/support/form-messages.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'
import { catchMails, countHashes, mailedPasscode, passcodeIn, useCheapHashes } from '#test/support/sign-in/mails.ts'

const deleteProvider = withRoute(deleteProviderOfAnyKind, 'DELETE /email_otp_auth_providers/{id}')

let account: Account
let sources = 0
beforeAll(async () => {
  useCheapHashes()
  account = await newAccount()
  await insertProvider(account.id, 'email_otp', { issuer: 'https://access.example.com' })
})
let source: string
beforeEach(() => {
  source = `203.0.113.${++sources}`
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

type Fields = { email?: string; passcode?: string; context?: string }
const verify = (sign_in: Fields, sourceIp = source) =>
  call(verifyPasscode, {
    method: 'POST',
    path: `/sign_in/${account.slug}/email_otp/verify`,
    params: { slug: account.slug },
    body: { sign_in: { context: 'client', ...sign_in } },
    sourceIp,
  })
const ask = (email: string, context = 'client') =>
  call(sendPasscode, {
    method: 'POST',
    path: `/sign_in/${account.slug}/email_otp`,
    params: { slug: account.slug },
    body: { sign_in: { email, context } },
    sourceIp: source,
  })
const person = (fields: Partial<ActorRow> = {}) =>
  insertActor(account.id, {
    type: 'account_admin_user',
    name: 'Grace',
    email: `grace-${Math.random()}@example.com`,
    allow_email_otp_sign_in: true,
    ...fields,
  })

describe('a passcode (I2.5)', () => {
  it('is mailed to the owner of the address, and signs in once, in any case', async () => {
    const post = await catchMails()
    const admin = await person({ email: 'Ada.Admin@example.com' })
    expect((await ask('ada.admin@EXAMPLE.com', 'portal')).body).toEqual({ data: { status: 'sent' } })
    await post.settled()
    expect(post.mails).toMatchObject([{ from: 'access@example.net', to: 'Ada.Admin@example.com' }])
    const passcode = passcodeIn(post.mails[0])
    expect(passcode).toMatch(/^[23456789ABCDEFGHJKMNPQRSTUVWXYZ]{6}$/)
    await post.stop()

    const sign_in = { email: 'ADA.admin@example.com', passcode: passcode.toLowerCase(), context: 'portal' }
    const answer = await verify(sign_in)
    expect([answer.status, answer.headers['cache-control']]).toEqual([201, 'no-store'])
    expect(answer.body.data).toEqual({
      token: expect.stringMatching(/^nap_/),
      expires_at: expect.any(String),
      actor: { id: admin.id, name: admin.name, email: admin.email, type: 'account_admin_user' },
    })
    expect((await call(getAccount, { token: answer.body.data.token })).status).toBe(200)
    expect((await verify(sign_in)).status).toBe(401)
    const identities = await rowsBy(externalIdentities, account.id, 'actor_id', admin.id)
    expect(identities).toMatchObject([
      { idp_id: 'ada.admin@example.com', issuer: 'https://access.example.com', directory_id: null },
    ])
  })

  it('signs in once for concurrent attempts', async () => {
    const { actor, email, passcode } = await mailedPasscode(account.id)
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => verify({ email, passcode }, `198.51.100.${i}`)),
    )
    const count = (status: number) => answers.filter((answer) => answer.status === status).length
    // Expects some refusals, because at most 20 attempts per email are allowed at once.
    expect([count(201), count(201) + count(401) + count(429)]).toEqual([1, 50])
    expect(count(429)).toBeGreaterThan(0)
    expect(await rowsBy(clientTokens, account.id, 'actor_id', actor.id)).toHaveLength(1)
  })

  it('allows three attempts, and no more, right or wrong', async () => {
    const { email, passcode } = await mailedPasscode(account.id)
    for (const wrong of ['ZZZZZZ', 'ABC23', '']) {
      expect((await verify({ email, passcode: wrong })).status).toBe(wrong ? 401 : 422)
    }
    expect((await verify({ email, passcode: 'ZZZZZZ' })).status).toBe(401)
    expect((await verify({ email, passcode })).status).toBe(401)
  })

  it('is valid for 15 minutes, for its address and its account', async () => {
    const { email, passcode } = await mailedPasscode(account.id)
    const real = clock.now
    vi.spyOn(clock, 'now').mockImplementation(() => real() + 901_000_000)
    expect((await verify({ email, passcode })).status).toBe(401)
    vi.restoreAllMocks()
    const { actor } = await mailedPasscode(account.id)
    const other = await mailedPasscode(account.id)
    const elsewhere = `moved-${actor.id}@example.com`
    await account.call(updateActor, {
      method: 'PATCH',
      params: { id: other.actor.id },
      body: { actor: { email: elsewhere } },
    })
    expect((await verify({ email: elsewhere, passcode })).status).toBe(401)
    expect((await verify({ email, passcode })).status).toBe(201)
  })

  it('is useless for people who may not sign in with it, and is not logged', async () => {
    const { actor, email, passcode } = await mailedPasscode(account.id)
    await account.call(updateActor, {
      method: 'PATCH',
      params: { id: actor.id },
      body: { actor: { allow_email_otp_sign_in: false } },
    })
    const log = catchLog()
    const refused = await verify({ email, passcode })
    const text = log.text()
    vi.restoreAllMocks()
    expect([refused.status, refused.body.detail]).toEqual([401, 'Credentials are missing or invalid.'])
    expect(text).toContain('"reason":"email_otp_not_allowed"')
    expect(text).toContain(actor.id)
    for (const secret of [email, passcode, 'Grace']) expect(text).not.toContain(secret)
  })

  it('is useless for an email of a domain that the provider does not allow', async () => {
    const ownAccount = await newAccount()
    const provider = await insertProvider(ownAccount.id, 'email_otp')
    const { actor, email, passcode } = await mailedPasscode(ownAccount.id)
    await updateRow(ownAccount.id, authProviders.email_otp, provider, { domains: ['example.net'] })
    const log = catchLog('WARN')
    const answer = await call(verifyPasscode, {
      method: 'POST',
      path: `/sign_in/${ownAccount.slug}/email_otp/verify`,
      params: { slug: ownAccount.slug },
      body: { sign_in: { context: 'client', email, passcode } },
      sourceIp: source,
    })
    expect([answer.status, log.lines().at(-1)?.reason]).toEqual([401, 'email_domain_other'])
    expect(await rowsBy(clientTokens, ownAccount.id, 'actor_id', actor.id)).toEqual([])
  })

  it('is deleted with its actor', async () => {
    const { actor, email, passcode } = await mailedPasscode(account.id)
    expect(await getItem(passcodeKey(account.id, actor.id))).toBeDefined()
    await account.call(deleteActor, { method: 'DELETE', params: { id: actor.id } })
    expect(await getItem(passcodeKey(account.id, actor.id))).toBeUndefined()
    expect((await verify({ email, passcode })).status).toBe(401)
  })
})

describe('the purpose of a passcode', () => {
  it('is its only use, and attempts for another purpose do not use up its three', async () => {
    const post = await catchMails()
    const { email } = await person()
    await ask(String(email), 'portal')
    await post.settled()
    const passcode = passcodeIn(post.mails[0])
    expect(post.mails[0]?.text).toContain('to the administration of')
    await post.stop()
    const sign_in = { email: String(email), passcode }
    for (let i = 0; i < 4; i++) expect((await verify({ ...sign_in, context: 'client' })).status).toBe(401)
    expect((await verify({ ...sign_in, context: 'portal' })).status).toBe(201)
  })

  it('includes the provider: a new provider accepts no passcode of the previous one', async () => {
    const ownAccount = await newAccount()
    const { email, passcode } = await mailedPasscode(ownAccount.id)
    const former = await passcodeProvider(ownAccount.id)
    const signIn = () =>
      call(verifyPasscode, {
        method: 'POST',
        params: { slug: ownAccount.slug },
        body: { sign_in: { email, passcode, context: 'client' } },
        sourceIp: source,
      })
    const params = { id: former?.id ?? '' }
    expect((await ownAccount.call(deleteProvider, { method: 'DELETE', params })).status).toBe(200)
    expect((await signIn()).status).toBe(401)
    await insertProvider(ownAccount.id, 'email_otp')
    expect((await signIn()).status).toBe(401)
  })
})

describe('POST /sign_in/{slug}/email_otp/verify', () => {
  it('hashes once for any address, with or without a stored passcode', async () => {
    const { email, passcode } = await mailedPasscode(account.id)
    const disabled = await person({ is_disabled: true })
    const tries = [
      { email: `${randomUUID()}@example.com`, passcode },
      { email: String((await person()).email), passcode },
      { email: String(disabled.email), passcode },
      { email, passcode: 'ZZZZZZ' },
      { email, passcode: 'no passcode' },
      { email, passcode, context: 'portal' },
      { email, passcode },
      { email, passcode },
    ]
    const hashes = countHashes()
    const counted: number[] = []
    for (const one of tries) {
      await verify(one)
      counted.push(hashes())
    }
    expect(counted).toEqual(tries.map(() => 1))
  })

  it.each([
    ['nothing', {}, { email: ["can't be blank"], passcode: ["can't be blank"] }],
    ['no address', { email: 'grace', passcode: 'ABC234' }, { email: ['is an invalid email address'] }],
    [
      'another context',
      { email: 'a@example.com', passcode: 'ABC234', context: 'api' },
      { context: [mustBe.oneOf('client', 'portal')] },
    ],
    [
      'half a surrogate pair',
      { email: 'a\ud800@example.com', passcode: 'ABC234' },
      { email: ['is an invalid email address'] },
    ],
    ['a number', { email: 'a@example.com', passcode: 7 as unknown as string }, { passcode: ['is invalid'] }],
  ])('reports the fault of %s', async (_what, fields, errors) => {
    const answer = await verify(fields)
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
  })

  it('returns the same response for an unknown address and a wrong passcode', async () => {
    const { email } = await mailedPasscode(account.id)
    const [known, unknown] = [
      await verify({ email, passcode: 'ZZZZZZ' }),
      await verify({ email: 'nobody@example.com', passcode: 'ZZZZZZ' }),
    ]
    const toComparable = ({ status, body }: typeof known) => ({ status, ...body, request_id: '' })
    expect(toComparable(known)).toEqual(toComparable(unknown))
    expect(known.status).toBe(401)
  })

  it('is refused after 20 at once from one address, and not for other addresses', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => verify({})))
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThanOrEqual(25)
    expect(answers.filter(({ status }) => status === 422).length).toBeGreaterThanOrEqual(20)
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect((await verify({}, '203.0.113.250')).status).toBe(422)
  })

  it('counts the addresses of one IPv6 network together', async () => {
    const from = (i: number) => verify({}, `2001:db8:0:${sources}::${(i + 1).toString(16)}`)
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => from(i)))
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(25)
  })
})
