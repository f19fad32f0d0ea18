import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { handler as sendEmail } from '#functions/public/sign-in-email.ts'
import { handler as showPage } from '#functions/public/sign-in-page.ts'
import { authProviders } from '#shared/domain/auth-providers/auth-provider.ts'
import { externalIdentities } from '#shared/domain/external-identities/external-identity.ts'
import { passcodeKey } from '#shared/domain/passcodes/passcode.ts'
import { getItem, getRow, rowsBy } from '#shared/table/read.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { moveEmail } from '#test/support/accounts/identities.ts'
import { insertProvider } from '#test/support/accounts/portal-sessions.ts'
import { insertActor, updateRow } from '#test/support/accounts/rows.ts'
import { mustBe } from '#test/support/form-messages.ts'
import { catchMails, mailedPasscode, passcodeIn, useCheapHashes } from '#test/support/sign-in/mails.ts'
import { newVerifier, redeemWith } from '#test/support/sign-in/sign-in.ts'
import { visitPage } from '#test/support/sign-in/visit-page.ts'

let account: Account

beforeAll(async () => {
  useCheapHashes()
  account = await newAccount({ name: 'Page & Sons' })
  await insertProvider(account.id, 'email_otp', { issuer: 'https://access.example.com' })
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

const { verifier, challenge } = newVerifier()
const request = {
  context: 'client',
  redirect_uri: 'http://127.0.0.1:49152/callback',
  state: 'line one\nline two & "more"',
  code_challenge: challenge,
}

const send = (fields: Record<string, string>, changed: Record<string, string> = {}) =>
  visitPage(sendEmail, {
    slug: account.slug,
    form: { request: new URLSearchParams({ ...request, ...changed }).toString(), ...fields },
  })

function formOf(text: string): Record<string, string> {
  const fields = [...text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)]
  return Object.fromEntries(
    fields.map(([, name = '', value = '']) => [name, value.replaceAll('&quot;', '"').replaceAll('&amp;', '&')]),
  )
}

const codeIn = ({ headers }: { headers: Record<string, string> }) =>
  new URL(headers.location ?? 'about:blank').searchParams.get('code') ?? ''

describe('the email form', () => {
  it('mails a passcode, which redirects with a code that is redeemed for a token', async () => {
    const post = await catchMails()
    const { email, name } = await insertActor(account.id, {
      type: 'account_user',
      name: 'Grace',
      email: 'grace@example.com',
      allow_email_otp_sign_in: true,
    })
    const page = await visitPage(showPage, { slug: account.slug, query: request })
    const prompted = await visitPage(sendEmail, {
      slug: account.slug,
      form: { ...formOf(page.text), email: email ?? '' },
    })
    expect([prompted.status, prompted.text.includes('Enter the passcode')]).toEqual([200, true])
    await post.settled()
    const passcode = passcodeIn(post.mails[0])
    await post.stop()
    const back = await visitPage(sendEmail, {
      slug: account.slug,
      form: { ...formOf(prompted.text), email: email ?? '', passcode },
    })
    expect(back.status).toBe(303)
    expect(back.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    const target = new URL(back.headers.location ?? '')
    expect(`${target.origin}${target.pathname}`).toBe(request.redirect_uri)
    expect(target.searchParams.get('state')).toBe(request.state)
    const redeemed = await redeemWith({ code: codeIn(back), code_verifier: verifier })
    expect([redeemed.status, redeemed.body.data.actor.name]).toEqual([201, name])
    expect((await redeemWith({ code: codeIn(back), code_verifier: verifier })).status).toBe(401)
  })

  it('responds identically for known and unknown addresses', async () => {
    const post = await catchMails()
    const [known, unknown] = [await mailedPasscode(account.id), 'nobody@example.com']
    const answers = [await send({ email: known.email }), await send({ email: unknown })]
    const [one, other] = answers.map(({ status, text }, i) => [
      status,
      text.replaceAll([known.email, unknown][i] ?? '', ''),
    ])
    expect(one).toEqual(other)
    await post.settled()
    await post.stop()
  })

  it('explains the format of an address, and keeps the input', async () => {
    const { status, text } = await send({ email: 'no <b>address</b>' })
    expect([status, text.includes('name@example.com')]).toEqual([422, true])
    expect(text).toContain('value="no &lt;b&gt;address&lt;/b&gt;"')
    expect(text).toContain('aria-invalid="true" aria-describedby="email-error"')
  })

  it('shows the same message for a wrong, a used and an unknown passcode, and prompts again', async () => {
    const { email, passcode, actor } = await mailedPasscode(account.id)
    const wrong = await send({ email, passcode: '222222' })
    expect([wrong.status, wrong.headers.location]).toEqual([422, undefined])
    const right = await send({ email, passcode: passcode.toLowerCase() })
    expect(right.status).toBe(303)
    expect(await getItem(passcodeKey(account.id, actor.id))).toBeUndefined()
    const used = await send({ email, passcode })
    const unknown = await send({ email: 'nobody@example.com', passcode })
    expect(used.text).toBe(wrong.text)
    expect(unknown.text.replaceAll('nobody@example.com', email)).toBe(wrong.text)
  })

  it('issues one code for concurrent requests with the right passcode', async () => {
    const { email, passcode } = await mailedPasscode(account.id)
    const answers = await Promise.all([1, 2, 3].map(() => send({ email, passcode })))
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 422, 422])
  })

  it('binds the code to the challenge, and its session to the context of the page', async () => {
    const { email, passcode } = await mailedPasscode(account.id, 'portal')
    const back = await send({ email, passcode }, { context: 'portal' })
    expect((await redeemWith({ code: codeIn(back), code_verifier: newVerifier().verifier })).status).toBe(401)
    const other = await mailedPasscode(account.id, 'portal')
    const portal = await send({ email: other.email, passcode: other.passcode }, { context: 'portal' })
    // Expects no portal session, because the person is not an administrator.
    expect((await redeemWith({ code: codeIn(portal), code_verifier: verifier })).status).toBe(401)
  })

  it('refuses the code if the address belongs to another person by then', async () => {
    const { actor, email, passcode } = await mailedPasscode(account.id)
    const back = await send({ email, passcode })
    const other = await insertActor(account.id, {
      type: 'account_user',
      name: 'Mallory',
      email: `${actor.id}@example.com`,
      allow_email_otp_sign_in: true,
    })
    await moveEmail(account, actor, other)
    const code = codeIn(back)
    expect((await redeemWith({ code, code_verifier: verifier })).status).toBe(401)
    expect(await rowsBy(externalIdentities, account.id, 'actor_id', other.id)).toEqual([])
    await moveEmail(account, { ...other, email }, actor)
    expect((await redeemWith({ code, code_verifier: verifier })).body.data.actor.id).toBe(actor.id)
  })

  it('redirects only to listed addresses', async () => {
    const { email, passcode } = await mailedPasscode(account.id)
    const { status, headers, text } = await send(
      { email, passcode },
      { redirect_uri: 'https://elsewhere.example.com/' },
    )
    expect([status, headers.location]).toEqual([422, undefined])
    expect(text).toContain(`redirect_uri ${mustBe.redirectUri}`)
  })

  it('disappears with its provider', async () => {
    const ownAccount = await newAccount()
    const provider = await insertProvider(ownAccount.id, 'email_otp')
    const { email, passcode } = await mailedPasscode(ownAccount.id)
    const row = await getRow(authProviders.email_otp, ownAccount.id, provider.id)
    if (row) await updateRow(ownAccount.id, authProviders.email_otp, row, { is_disabled: true })
    const form = { request: new URLSearchParams(request).toString(), email, passcode }
    const { status, text } = await visitPage(sendEmail, { slug: ownAccount.slug, form })
    expect([status, text.includes('no longer available.</p>')]).toEqual([422, true])
  })
})
