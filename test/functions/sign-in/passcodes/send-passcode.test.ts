import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { handler as sendPasscode } from '#functions/sign-in/passcodes/send-passcode.ts'
import { handler as provision } from '#functions/tasks/provision-account.ts'
import { clock } from '#shared/core/clock.ts'
import type { ActorRow } from '#shared/domain/actors/actor.ts'
import { type AuthProviderRow, authProviders } from '#shared/domain/auth-providers/auth-provider.ts'
import { passcodeKey } from '#shared/domain/passcodes/passcode.ts'
import { getItem } from '#shared/table/read.ts'
import { type Account, call, newAccount } from '#test/support/accounts/account.ts'
import { insertProvider } from '#test/support/accounts/portal-sessions.ts'
import { insertActor, updateRow } from '#test/support/accounts/rows.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'
import { catchMails, countHashes, passcodeIn, useCheapHashes } from '#test/support/sign-in/mails.ts'
import { countWaiting } from '#test/support/table/count-waiting.ts'

let account: Account
let provider: AuthProviderRow
let post: Awaited<ReturnType<typeof catchMails>>
let source = 0
beforeAll(async () => {
  useCheapHashes()
  account = await newAccount()
  provider = await insertProvider(account.id, 'email_otp')
})
beforeEach(async () => {
  post = await catchMails()
  source++
})
afterEach(async () => {
  await post.stop()
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

const ask = (sign_in: object, { slug = account.slug, sourceIp = `192.0.2.${100 + source}` } = {}) =>
  call(sendPasscode, {
    method: 'POST',
    path: `/sign_in/${slug}/email_otp`,
    params: { slug },
    body: { sign_in: { context: 'client', ...sign_in } },
    sourceIp,
  })
const person = (fields: Partial<ActorRow> = {}) =>
  insertActor(account.id, {
    type: 'account_user',
    name: 'Grace',
    email: `${randomUUID()}@example.com`,
    allow_email_otp_sign_in: true,
    ...fields,
  })

describe('POST /sign_in/{slug}/email_otp (I2.1)', () => {
  it('returns the same response for any address, and mails only people who can sign in (I8.3)', async () => {
    const nobodies: [string, string, string][] = [
      ['nobody@example.com', 'client', 'actor_unknown'],
      [(await person({ is_disabled: true })).email ?? '', 'client', 'actor_disabled'],
      [(await person({ allow_email_otp_sign_in: false })).email ?? '', 'client', 'email_otp_not_allowed'],
      [(await person()).email ?? '', 'portal', 'actor_not_admin'],
    ]
    const log = catchLog()
    for (const [email, context] of nobodies) {
      const { status, body } = await ask({ email, context })
      expect([status, body]).toEqual([202, { data: { status: 'sent' } }])
    }
    await post.settled()
    const lines = log.lines().filter(({ event }) => event === 'sign_in_refused')
    const text = log.text()
    vi.restoreAllMocks()
    expect(lines.map(({ reason }) => reason).toSorted()).toEqual(nobodies.map(([, , reason]) => reason).toSorted())
    for (const [email] of nobodies) expect(text).not.toContain(email)
    expect(post.mails).toEqual([])
  })

  it('sends no mail to an address with half a surrogate pair', async () => {
    const { status, body } = await ask({ email: 'a\ud800@example.com' })
    expect([status, body.errors]).toEqual([422, { email: ['is an invalid email address'] }])
    await post.settled()
    expect(post.mails).toEqual([])
  })

  it('sends no mail to a domain that the provider does not allow', async () => {
    const { email } = await person()
    const bound = await updateRow(account.id, authProviders.email_otp, provider, { domains: ['example.net'] })
    const log = catchLog('WARN')
    await ask({ email })
    await post.settled()
    const { reason } = log.lines().find(({ event }) => event === 'sign_in_refused') ?? {}
    provider = await updateRow(account.id, authProviders.email_otp, bound, { domains: null })
    expect([reason, post.mails]).toEqual(['email_domain_other', []])
  })

  it('costs one hash for any address, because hashes on one machine wait for each other (I2.5)', async () => {
    const knownEmail = String((await person()).email)
    const tries: [string, string][] = [
      ['nobody@example.com', 'client'],
      [knownEmail, 'client'],
      [knownEmail, 'portal'],
      [String((await person({ is_disabled: true })).email), 'client'],
      ...Array.from({ length: 5 }, (): [string, string] => [knownEmail, 'client']),
    ]
    const hashes = countHashes()
    const counted: number[] = []
    for (const [i, [email, context]] of tries.entries()) {
      await ask({ email, context }, { sourceIp: `198.51.100.${i}` })
      await post.settled()
      counted.push(hashes())
    }
    expect([counted, post.mails.length]).toEqual([tries.map(() => 1), 5])
  })

  it('sends no mail while the provider is disabled, nor above the users limit', async () => {
    const { email } = await person()
    const off = await updateRow(account.id, authProviders.email_otp, provider, { is_disabled: true })
    await ask({ email })
    await post.settled()
    provider = await updateRow(account.id, authProviders.email_otp, off, { is_disabled: false })
    const limitTo = (users_count: number | null) =>
      provision({ operation: 'update_account', account_id: account.id, account: { limits: { users_count } } })
    await limitTo(1)
    await ask({ email })
    await post.settled()
    await limitTo(null)
    expect(post.mails).toEqual([])
    await ask({ email })
    await post.settled()
    expect(post.mails).toHaveLength(1)
  })

  it('stores the passcode only as a slow hash, which replaces an earlier one', async () => {
    const { id, email } = await person()
    await ask({ email })
    await post.settled()
    const first = await getItem(passcodeKey(account.id, id))
    await ask({ email })
    await post.settled()
    const second = await getItem(passcodeKey(account.id, id))
    const passcodes = post.mails.map(passcodeIn)
    expect(new Set(passcodes).size).toBe(2)
    expect(second?.hash).toMatch(/^\$scrypt\$ln=\d+,r=8,p=1\$/)
    expect(second?.hash).not.toBe(first?.hash)
    for (const passcode of passcodes) expect(JSON.stringify([first, second])).not.toContain(passcode)
    for (const { text } of post.mails) expect(text).not.toMatch(/https?:/)
  })

  it('mails an address five times in 15 minutes, and again afterwards', async () => {
    const { email } = await person()
    for (let i = 0; i < 7; i++) {
      expect((await ask({ email }, { sourceIp: `198.51.100.${100 + i}` })).status).toBe(202)
      await post.settled()
    }
    expect(post.mails).toHaveLength(5)
    const real = clock.now
    vi.spyOn(clock, 'now').mockImplementation(() => real() + 15 * 60_000_000)
    await ask({ email }, { sourceIp: '198.51.100.120' })
    await post.settled()
    expect(post.mails).toHaveLength(6)
  })

  it('retries a refused mail, and gives up after three passcodes', async () => {
    await post.stop()
    countWaiting()
    let failures = 2
    const tried = new Set<string>()
    post = await catchMails(async ({ text }) => {
      tried.add(text)
      if (failures-- > 0) throw new Error('The server does not take mails.')
    })
    vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const { email } = await person()
    expect((await ask({ email })).status).toBe(202)
    await vi.waitFor(() => expect(post.mails).toHaveLength(1), 10_000)
    failures = Number.POSITIVE_INFINITY
    tried.clear()
    const other = await person()
    expect((await ask({ email: other.email })).status).toBe(202)
    await vi.waitFor(() => expect(tried.size).toBe(3), 10_000)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect([tried.size, post.mails.length]).toEqual([3, 1])
  })

  it('returns 404 for an unknown slug and a disabled account', async () => {
    const disabledAccount = await newAccount()
    await provision({ operation: 'update_account', account_id: disabledAccount.id, account: { is_disabled: true } })
    for (const slug of ['nobody-has-this', disabledAccount.slug, 'x', account.id]) {
      expect((await ask({ email: 'a@example.com' }, { slug })).status).toBe(404)
    }
  })

  it('is refused after 20 at once for one address, known or not, and not for other addresses', async () => {
    const { email } = await person()
    for (const address of [email, `${randomUUID()}@example.com`]) {
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, i) => ask({ email: address }, { sourceIp: `198.18.${source}.${i}` })),
      )
      const refused = answers.filter(({ status }) => status === 429)
      expect(refused.length).toBeGreaterThanOrEqual(25)
      expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThanOrEqual(1)
      await post.settled()
    }
    expect(post.mails.length).toBeLessThanOrEqual(5)
    expect((await ask({ email: `${randomUUID()}@example.com` })).status).toBe(202)
  })
})
