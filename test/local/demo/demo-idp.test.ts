import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { demoPeople } from '#infra/local/demo/demo-directory.ts'
import { type DemoIdp, startDemoIdp } from '#infra/local/demo/start-demo-idp.ts'

const redirect_uri = 'http://127.0.0.1:8787/sign_in/callback/0191e0b7-4b5e-7c3a-8f1d-2a6b9c0d1e2f'
const client = { client_id: 'service', client_secret: 'a secret' }
const people = Object.values(demoPeople)

let idp: DemoIdp

beforeAll(async () => {
  idp = await startDemoIdp({ port: 0, client, people })
  await idp.setRedirectUri(redirect_uri)
})
afterAll(() => idp.stop())

/** Simulates a browser that keeps cookies and follows redirects within the provider. */
function browser() {
  const cookies = new Map<string, string>()
  return async function visit(address: string, form?: Record<string, string>): Promise<{ url: URL; text: string }> {
    const response = await fetch(address, {
      method: form ? 'POST' : 'GET',
      body: form && new URLSearchParams(form),
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    const next = location && new URL(location, address)
    if (next && next.origin === idp.issuer) return visit(next.href)
    return { url: next || new URL(address), text: await response.text() }
  }
}

const verifier = randomBytes(32).toString('base64url')
const challenge = createHash('sha256').update(verifier).digest('base64url')
const authorization = (changed: Record<string, string> = {}) =>
  `${idp.issuer}/auth?${new URLSearchParams({
    client_id: client.client_id,
    response_type: 'code',
    scope: 'openid email profile',
    redirect_uri,
    state: 'a state',
    nonce: 'a nonce',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...changed,
  })}`

describe('the demo provider', () => {
  it('serves a discovery document for its own address', async () => {
    const response = await fetch(`${idp.issuer}/.well-known/openid-configuration`)
    expect(await response.json()).toMatchObject({
      issuer: idp.issuer,
      code_challenge_methods_supported: ['S256'],
      id_token_signing_alg_values_supported: expect.arrayContaining(['RS256']),
    })
  })

  it('shows the account chooser on request, and signs the chosen person in', async () => {
    const visit = browser()
    for (const { sub, email, name } of people) {
      const page = await visit(authorization({ prompt: 'select_account' }))
      for (const person of people) expect(page.text).toContain(`${person.name} (${person.email})`)
      const { url } = await visit(page.url.href, { sub })
      expect(url.href.split('?')[0]).toBe(redirect_uri)
      expect(url.searchParams.get('state')).toBe('a state')
      const tokens = await fetch(`${idp.issuer}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${client.client_id}:${encodeURIComponent(client.client_secret)}`)}` },
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          code: url.searchParams.get('code') ?? '',
          redirect_uri,
          code_verifier: verifier,
        }),
      })
      const { access_token, id_token } = (await tokens.json()) as Record<string, string>
      const claims = JSON.parse(Buffer.from(String(id_token).split('.')[1] ?? '', 'base64url').toString())
      expect(claims).toMatchObject({ iss: idp.issuer, aud: client.client_id, sub, nonce: 'a nonce' })
      const userinfo = await fetch(`${idp.issuer}/me`, { headers: { authorization: `Bearer ${access_token}` } })
      expect(await userinfo.json()).toMatchObject({ sub, email, email_verified: true, name })
    }
  })

  it('keeps a browser signed in until the person signs out', async () => {
    const visit = browser()
    const [person] = people
    const first = await visit(authorization())
    expect(first.text).toContain('Choose the person to sign in as:')
    await visit(first.url.href, { sub: String(person?.sub) })
    const again = await visit(authorization())
    expect([again.url.href.split('?')[0], again.url.searchParams.has('code')]).toEqual([redirect_uri, true])
    const document = (await (await fetch(`${idp.issuer}/.well-known/openid-configuration`)).json()) as {
      end_session_endpoint: string
    }
    const leaving = await visit(`${document.end_session_endpoint}?client_id=${client.client_id}`)
    const [, action = '', xsrf = ''] = /action="([^"]+)".*name="xsrf" value="([^"]+)"/.exec(leaving.text) ?? []
    const signedOut = await visit(action, { xsrf, logout: 'yes' })
    expect(signedOut.text).toContain('You are signed out of the demo company')
    expect((await visit(authorization())).text).toContain('Choose the person to sign in as:')
  })

  it('returns access_denied if the person cancels', async () => {
    const visit = browser()
    const page = await visit(authorization())
    const { url } = await visit(page.url.href, { sub: '' })
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ error: 'access_denied', state: 'a state' })
  })

  it('refuses other redirect URIs, and requests without PKCE', async () => {
    for (const other of ['http://127.0.0.1:1/else', 'http://127.0.0.1:8787/sign_in/callback', `${redirect_uri}/x`]) {
      const refused = await browser()(authorization({ redirect_uri: other }))
      expect(refused.url.origin).toBe(idp.issuer)
      expect(refused.text).toContain('invalid_redirect_uri')
    }
    const { url } = await browser()(authorization({ code_challenge: '', code_challenge_method: '' }))
    expect(url.searchParams.get('error')).toBe('invalid_request')
  })

  it('reports a sign-in that belongs to another browser', async () => {
    const page = await browser()(authorization())
    const other = await browser()(page.url.href)
    expect(other.text).toContain('This sign-in has ended.')
  })
})
