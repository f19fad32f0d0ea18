import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { handler as showPage } from '#functions/public/sign-in-page.ts'
import { handler as startAtPage } from '#functions/public/sign-in-start.ts'
import { demoPeople } from '#infra/local/demo/demo-directory.ts'
import { startDemoIdp } from '#infra/local/demo/start-demo-idp.ts'
import { accounts } from '#shared/domain/accounts/account.ts'
import { getRow } from '#shared/table/read.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { providers } from '#test/support/accounts/auth-providers.ts'
import { updateRow } from '#test/support/accounts/rows.ts'
import { mustBe } from '#test/support/form-messages.ts'
import { visitPage } from '#test/support/sign-in/visit-page.ts'

const request = {
  context: 'client',
  redirect_uri: 'http://127.0.0.1:53124/callback',
  state: 'line one\nline two & "more"',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
}

let slug: string
let account: Account

beforeAll(() => {
  vi.stubEnv('ALLOW_INSECURE_PROVIDERS', '1')
  vi.stubEnv('SIGN_IN_REDIRECT_URIS', 'http://127.0.0.1/callback https://portal.example.com/done')
})

async function withDemoProvider(fields: object = {}) {
  const client = { client_id: 'service', client_secret: 'a secret' }
  const idp = await startDemoIdp({ port: 0, client, people: Object.values(demoPeople) })
  const created = await providers.oidc.create(account, {
    ...client,
    client_id: randomUUID(),
    name: 'Company',
    discovery_document_uri: `${idp.issuer}/.well-known/openid-configuration`,
    ...fields,
  })
  return { idp, id: created.body.data.id as string }
}

beforeAll(async () => {
  slug = `page-${randomUUID()}`
  account = await newAccount({ name: 'Page & Sons', slug })
})

const linksOf = (text: string) =>
  [...text.matchAll(/href="(\/[^"]+)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'))

describe('GET /sign_in/{slug}', () => {
  it('offers only providers enabled for the context, the default first', async () => {
    expect((await visitPage(showPage, { slug, query: request })).text).toContain('no way to sign in yet')
    const { idp } = await withDemoProvider({ name: 'Portal only', context: 'portal_only' })
    await idp.stop()
    const { status, text, headers } = await visitPage(showPage, { slug, query: request })
    expect([status, headers['cache-control']]).toEqual([200, 'no-store'])
    expect(text).toContain('Sign in to Page &amp; Sons')
    expect(text).not.toContain('Portal only')
    const portal = await visitPage(showPage, { slug, query: { ...request, context: 'portal' } })
    expect(portal.text).toContain('Sign in with Portal only')
  })

  it.each([
    [{ redirect_uri: 'https://elsewhere.example.com/' }, `redirect_uri ${mustBe.redirectUri}`],
    [{ redirect_uri: 'https://portal.example.com/done/else' }, `redirect_uri ${mustBe.redirectUri}`],
    [{ redirect_uri: 'javascript:alert(1)' }, `redirect_uri ${mustBe.redirectUri}`],
    [{ context: 'other' }, `context ${mustBe.oneOf('client', 'portal')}`],
    [{ state: '' }, 'state can&#39;t be blank'],
    [{ state: 'x'.repeat(513) }, 'state should be at most 512 character(s)'],
    [{ code_challenge: 'short' }, `code_challenge ${mustBe.codeChallenge}`],
  ])('links to nothing for %o, and explains why', async (changed, words) => {
    const { status, headers, text } = await visitPage(showPage, { slug, query: { ...request, ...changed } })
    expect([status, headers.location]).toEqual([422, undefined])
    expect(text).toContain(words)
    expect(linksOf(text)).toEqual([])
  })

  it('explains an error code, and shows no text from the query', async () => {
    const refused = await visitPage(showPage, { slug, query: { ...request, error: 'access_denied' } })
    expect(refused.text).toContain('You were not signed in')
    const other = await visitPage(showPage, {
      slug,
      query: { ...request, error: 'call 555 0100', error_description: 'call us' },
    })
    expect(other.text).not.toMatch(/Error|call/)
    for (const error of ['__proto__', 'constructor']) {
      const { status, text } = await visitPage(showPage, { slug, query: { ...request, error } })
      expect([status, /Error|function/.test(text)]).toEqual([200, false])
    }
  })

  it('prompts for an account after a refusal, and when opened with that prompt', async () => {
    const { idp } = await withDemoProvider({ name: 'Choose' })
    await idp.stop()
    const promptsAfter = async (more: Record<string, string>) => {
      const { text } = await visitPage(showPage, { slug, query: { ...request, ...more } })
      const buttons = [...text.matchAll(/class="button[^"]*" href="([^"]+)"/g)].map(([, href = '']) => href)
      const starts = buttons.map((href) => href.replaceAll('&amp;', '&'))
      expect(starts.length).toBeGreaterThan(0)
      return new Set(starts.map((link) => new URL(link, 'http://x').searchParams.get('prompt')))
    }
    expect(await promptsAfter({ error: 'access_denied' })).toEqual(new Set(['select_account']))
    expect(await promptsAfter({ prompt: 'select_account' })).toEqual(new Set(['select_account']))
    for (const error of ['temporarily_unavailable', 'server_error', 'other', '']) {
      expect(await promptsAfter({ error })).toEqual(new Set([null]))
    }
    const { text } = await visitPage(showPage, { slug, query: { ...request, prompt: 'login' } })
    expect(text).toContain('prompt must be one of select_account')
  })

  it('returns 404 for an unknown or disabled account', async () => {
    const closed = `closed-${randomUUID()}`
    const { id } = await newAccount({ slug: closed })
    const row = await getRow(accounts, id, id)
    if (row) await updateRow(id, accounts, row, { is_disabled: true })
    for (const unknown of [closed, randomUUID(), 'no slug', '../x']) {
      const { status, text } = await visitPage(showPage, { slug: unknown, query: request })
      expect([status, text.includes('No account was found at this address')]).toEqual([404, true])
    }
  })
})

describe('GET /sign_in/{slug}/start', () => {
  it('redirects to the provider with the parameters of the page', async () => {
    const { idp, id } = await withDemoProvider({ is_default: true })
    try {
      const page = await visitPage(showPage, { slug, query: request })
      const [link = ''] = linksOf(page.text)
      expect(link).toContain(`/sign_in/${slug}/start?auth_provider_id=${id}&`)
      const query = Object.fromEntries(new URL(link, 'http://x').searchParams)
      expect(query).toEqual({ auth_provider_id: id, ...request })
      const redirected = await visitPage(startAtPage, { slug, query })
      expect(redirected.status).toBe(303)
      expect(redirected.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
      const target = new URL(redirected.headers.location ?? '')
      expect(`${target.origin}${target.pathname}`).toBe(`${idp.issuer}/auth`)
      expect(target.searchParams.get('code_challenge')).not.toBe(request.code_challenge)
    } finally {
      await idp.stop()
    }
  })

  it('redirects back to the page with all parameters if the provider is deleted or unreachable', async () => {
    const { idp, id } = await withDemoProvider({ name: 'Gone' })
    await idp.stop()
    const silent = await visitPage(startAtPage, { slug, query: { auth_provider_id: id, ...request } })
    expect([silent.status, silent.text.includes('could not be reached')]).toEqual([503, true])
    const unknown = await visitPage(startAtPage, { slug, query: { auth_provider_id: randomUUID(), ...request } })
    expect([unknown.status, unknown.text.includes('no longer available')]).toEqual([422, true])
    expect(linksOf(unknown.text).length).toBeGreaterThan(0)
  })

  it('does not redirect to a provider for a request that could not return', async () => {
    const query = { auth_provider_id: randomUUID(), ...request, redirect_uri: 'https://elsewhere.example.com/' }
    const { status, text, headers } = await visitPage(startAtPage, { slug, query })
    expect([status, headers.location]).toEqual([422, undefined])
    expect(text).toContain(`redirect_uri ${mustBe.redirectUri}`)
  })
})
