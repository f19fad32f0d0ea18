import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Answer } from '#shared/http/exchange.ts'
import { passcodePage, refusalPage, type SignInPage, signInPage } from '#shared/http/pages/sign-in-pages.ts'

const hostile = `"><img src=x onerror=alert(1)>`
const request = {
  context: 'client',
  redirect_uri: 'http://127.0.0.1:53124/callback',
  state: `state&${hostile}`,
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
} as const
const page: SignInPage = {
  slug: 'demo',
  accountName: hostile,
  request,
  providers: [
    { id: 'one', kind: 'oidc', name: hostile },
    { id: 'two', kind: 'tenant', name: 'Tenant' },
    { id: 'three', kind: 'email_otp', name: 'Email passcode' },
  ],
}

const policyOf = ({ headers }: Answer) => String(headers?.['content-security-policy'])
const targetsOf = (redirect_uri: string) =>
  /form-action ([^;]+)/.exec(policyOf(signInPage({ ...page, request: { ...request, redirect_uri } })))?.[1]

const pages: Array<[string, Answer]> = [
  ['the list of providers', signInPage(page)],
  ['a refused sign-in', signInPage({ ...page, error: hostile })],
  ['a wrong email', signInPage({ ...page, error: 'No.', email: hostile })],
  ['the passcode', passcodePage({ ...page, email: hostile })],
  ['a wrong passcode', passcodePage({ ...page, email: hostile, error: hostile, status: 422 })],
  ['a refusal', refusalPage({ status: 404, title: hostile, text: hostile, details: [hostile], requestId: hostile })],
]

describe.each(pages)('the page of %s', (_name, answer) => {
  const text = String(answer.body)

  it('escapes all external text', () => {
    expect(text).not.toContain('<img')
    expect(text).toContain('&quot;&gt;&lt;img src=x onerror=alert(1)&gt;')
  })

  it('runs and loads nothing, cannot be framed, and is not cached', () => {
    const tags = [...text.replace(/"[^"]*"/g, '""').matchAll(/<[^>]+>/g)].join('')
    expect(tags).not.toMatch(/<(script|iframe|img|object|base)\b|\b(src|style|on\w+)=/)
    expect(policyOf(answer)).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; form-action 'self'/)
    expect(policyOf(answer)).toMatch(/; base-uri 'none'; frame-ancestors 'none'$/)
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
  })

  it('has the style that its content security policy names', () => {
    const style = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? ''
    expect(policyOf(answer)).toContain(`'sha256-${createHash('sha256').update(style).digest('base64')}'`)
  })

  it('is small, has a language, one first-level heading, and a label for each field', () => {
    expect(text.length).toBeLessThan(8_000)
    expect(text).toContain('<html lang="en">')
    expect(text.match(/<h1>/g)).toHaveLength(1)
    const fields = [...text.matchAll(/<input(?! type="hidden")[^>]*\bid="([^"]+)"/g)].map(([, id]) => id)
    for (const id of fields) expect(text).toContain(`<label for="${id}">`)
    expect(text.match(/<input(?! type="hidden")/g) ?? []).toHaveLength(fields.length)
  })
})

describe('the list of providers', () => {
  const text = String(signInPage(page).body)

  it('has links with all parameters, in the order of the list', () => {
    const links = [...text.matchAll(/href="(\/[^"]+)"/g)].map(
      ([, href = '']) => new URL(href.replaceAll('&amp;', '&'), 'http://x'),
    )
    const hrefs = [...text.matchAll(/href="(\/[^"]+)"/g)]
    expect(hrefs).toHaveLength(3)
    expect(links.map(({ pathname }) => pathname)).toEqual([
      '/sign_in/demo/start',
      '/sign_in/demo/start',
      '/sign_in/demo',
    ])
    expect(links.map(({ searchParams }) => searchParams.get('auth_provider_id'))).toEqual(['one', 'two', null])
    expect(links.map(({ searchParams }) => searchParams.get('prompt'))).toEqual([null, null, 'select_account'])
    for (const { searchParams } of links) expect(Object.fromEntries(searchParams)).toMatchObject(request)
  })

  it('names the address of the return', () => {
    const returning = (redirect_uri: string) =>
      String(signInPage({ ...page, request: { ...request, redirect_uri } }).body)
    expect(text).toContain('the client on <b>this device</b>')
    expect(returning('https://portal.example.com/done')).toContain('<b>portal.example.com</b>')
    expect(returning('com.example.client:/done')).toContain('the app <b>com.example.client</b>')
  })

  it('warns for a sign-in to the portal, and for a program on this device that claims to be the client', () => {
    const ofPortal = (redirect_uri: string) =>
      String(signInPage({ ...page, request: { ...request, context: 'portal', redirect_uri } }).body)
    for (const address of ['http://127.0.0.1:53124/callback', 'http://[::1]/callback']) {
      expect(ofPortal(address)).toContain('a program on <b>this device</b>')
      expect(ofPortal(address)).not.toContain('the client on')
    }
    expect(ofPortal('https://portal.example.com/done')).toContain('<b>portal.example.com</b>')
    expect(ofPortal('https://portal.example.com/done')).toContain('<h1>Sign in to the administration of ')
    expect(ofPortal('https://portal.example.com/done')).toContain('<b>rights to read or change this account</b>')
    const passcode = passcodePage({ ...page, request: { ...request, context: 'portal' }, email: 'a@example.com' })
    expect(String(passcode.body)).toContain('>Sign in to the administration<')
    expect(text).not.toContain('administ')
  })

  it('allows a form to redirect only to the address of the request', () => {
    expect(targetsOf('http://127.0.0.1:53124/callback')).toBe("'self' http://127.0.0.1:53124")
    expect(targetsOf('https://portal.example.com/done?x=1')).toBe("'self' https://portal.example.com")
    expect(targetsOf('com.example.client:/done')).toBe("'self' com.example.client:")
    expect(targetsOf('http://[::1]:53124/callback')).toBe("'self' http:")
  })

  it('reports that there are no providers', () => {
    expect(String(signInPage({ ...page, providers: [] }).body)).toContain('no way to sign in yet')
  })

  it('links to the form for an API token, only for the console (K3.5)', () => {
    const ofPortal = (redirect_uri: string, context: 'client' | 'portal' = 'portal') =>
      String(signInPage({ ...page, request: { ...request, context, redirect_uri } }).body)
    const own = 'https://example.com/console/signed_in'
    expect(ofPortal(own)).toContain(`<a href="/console/${page.slug}?token">Use an API token</a>`)
    expect(ofPortal(own, 'client')).not.toContain('API token')
    expect(ofPortal('https://portal.example.com/done')).not.toContain('API token')
  })

  it('puts the error into the title, which screen readers read first', () => {
    expect(String(signInPage({ ...page, error: 'No.' }).body)).toMatch(/<title>Error: /)
    expect(String(passcodePage({ ...page, email: 'a@example.com', error: 'No.' }).body)).toMatch(/<title>Error: /)
  })
})
