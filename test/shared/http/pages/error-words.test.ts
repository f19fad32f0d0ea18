import { describe, expect, it } from 'vitest'
import { errorWords, gone, ifOthers } from '#shared/http/pages/open-sign-in.ts'
import { passcodePage, type SignInPage } from '#shared/http/pages/sign-in-pages.ts'

const company = { id: 'one', kind: 'oidc', name: 'Company' }
const passcodes = { id: 'two', kind: 'email_otp', name: 'Email passcode' }
const pageOf = (context: 'client' | 'portal', providers: SignInPage['providers']): SignInPage => ({
  slug: 'demo',
  accountName: 'Demo',
  request: { context, redirect_uri: 'http://127.0.0.1:1/callback', state: 'x', code_challenge: 'y' },
  providers,
})

describe.each(['client', 'portal'] as const)('what a person reads who comes back to the page of a %s', (context) => {
  it.each(['access_denied', 'temporarily_unavailable', 'server_error'])(
    'with %s names another way where there is one',
    (error) => {
      expect(errorWords(error, pageOf(context, [company]))).not.toMatch(/another way/)
      expect(errorWords(error, pageOf(context, [company, passcodes]))).toMatch(/another way/)
    },
  )

  it('says what to do about each', () => {
    const words = (error: string) => errorWords(error, pageOf(context, [company]))
    expect(words('access_denied')).toMatch(/choose another account.* ask an administrator/i)
    expect(words('temporarily_unavailable')).toMatch(/Try again in a minute/)
    expect(words('server_error')).toMatch(/trying again does not help\. Tell an administrator/)
    expect(words('other')).toBeUndefined()
  })
})

it('names another way nowhere else, either, where there is none', () => {
  expect(ifOthers(pageOf('client', [company]), 'x')).toBe('')
  expect(gone(pageOf('client', []))).not.toContain('another')
  expect(gone(pageOf('client', [company]))).toContain('another')
  const passcodePageOf = (providers: SignInPage['providers']) =>
    String(passcodePage({ ...pageOf('client', providers), email: 'ada@example.com' }).body)
  expect(passcodePageOf([passcodes])).toContain('Use another email address')
  expect(passcodePageOf([passcodes, company])).toContain('Sign in another way')
})
