import { describe, expect, it } from 'vitest'
import { errorWords, ifOtherWays, wayGone } from '#shared/http/pages/open-sign-in.ts'
import { passcodePage, type SignInPage } from '#shared/http/pages/sign-in-pages.ts'

const company = { id: 'one', kind: 'oidc', name: 'Company' }
const passcodes = { id: 'two', kind: 'email_otp', name: 'Email passcode' }
const pageOf = (context: 'client' | 'portal', providers: SignInPage['providers']): SignInPage => ({
  slug: 'demo',
  accountName: 'Demo',
  request: { context, redirect_uri: 'http://127.0.0.1:1/callback', state: 'x', code_challenge: 'y' },
  providers,
})

describe.each(['client', 'portal'] as const)('the error message after returning to the page of a %s', (context) => {
  it.each(['access_denied', 'temporarily_unavailable', 'server_error'])(
    'with %s suggests another provider if there is one',
    (error) => {
      expect(errorWords(error, pageOf(context, [company]))).not.toMatch(/another way/)
      expect(errorWords(error, pageOf(context, [company, passcodes]))).toMatch(/another way/)
    },
  )

  it('names a remedy for each error', () => {
    const words = (error: string) => errorWords(error, pageOf(context, [company]))
    expect(words('access_denied')).toMatch(/choose another account.* ask an administrator/i)
    expect(words('temporarily_unavailable')).toMatch(/Try again in a minute/)
    expect(words('server_error')).toMatch(/trying again does not help\. Tell an administrator/)
    expect(words('other')).toBeUndefined()
  })
})

it('never suggests another provider if there is none', () => {
  expect(ifOtherWays(pageOf('client', [company]), 'x')).toBe('')
  expect(wayGone(pageOf('client', []))).not.toContain('another')
  expect(wayGone(pageOf('client', [company]))).toContain('another')
  const passcodePageOf = (providers: SignInPage['providers']) =>
    String(passcodePage({ ...pageOf('client', providers), email: 'ada@example.com' }).body)
  expect(passcodePageOf([passcodes])).toContain('Use another email address')
  expect(passcodePageOf([passcodes, company])).toContain('Sign in another way')
})
