import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService } from '#test/support/service/service.ts'

let service: Service
/** Address of the one-time sign-in, which the service prints at its start. */
let printed: URL
beforeAll(async () => {
  service = await startService()
  printed = new URL(/ (http:\S+\/console\/\S+)/.exec(service.output())?.[1] ?? '')
})
afterAll(() => service?.stop())

type Sent = { method?: string; headers?: Record<string, string>; body?: object }

/** Sends a request with exactly these headers, as an attacker's program can. */
async function send(path: string, { method = 'GET', headers = {}, body }: Sent = {}) {
  const content = body && JSON.stringify(body)
  const type = { ...(content && { 'content-type': 'application/json', 'content-length': String(content.length) }) }
  const outgoing = request(`${service.baseUrl}${path}`, { method, headers: { ...type, ...headers } })
  outgoing.end(content)
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  return { status: response.statusCode, headers: response.headers, text: await text(response) }
}

const sameOrigin = { 'sec-fetch-site': 'same-origin' }
const ofConsole = { ...sameOrigin, 'x-console': 'demo' }

describe('the address that npm start prints (K2.7)', () => {
  let cookie = ''

  it('opens one session of the administrator, for eight hours', async () => {
    const fragment = new URLSearchParams(printed.hash.slice(1))
    const sign_in = { code: fragment.get('code'), code_verifier: fragment.get('verifier') }
    expect([printed.origin, printed.pathname, printed.search]).toEqual([service.baseUrl, '/console/demo', ''])
    const redeem = (headers: Record<string, string>) =>
      send('/sign_in/session', { method: 'POST', headers, body: { sign_in } })
    for (const site of ['same-site', 'cross-site', 'none'])
      expect((await redeem({ 'sec-fetch-site': site })).status).toBe(403)
    expect((await redeem({})).status).toBe(403)
    const asToken = { method: 'POST', body: { sign_in } }
    expect((await send('/sign_in/token', asToken)).status).toBe(401)

    const answers = await Promise.all(Array.from({ length: 5 }, () => redeem(sameOrigin)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401, 401, 401])
    expect((await redeem(sameOrigin)).status).toBe(401)
    const [opened] = answers.filter(({ status }) => status === 201)
    const [set = '', ...others] = opened?.headers['set-cookie'] ?? []
    expect([set, others]).toEqual([
      expect.stringMatching(/^console-demo=nap_[\w-]+; HttpOnly; SameSite=Strict; Path=\/$/),
      [],
    ])
    cookie = set.split(';')[0] ?? ''
    const { data } = JSON.parse(opened?.text ?? '')
    expect([data.account.slug, data.actor.email, data.actor.type]).toEqual([
      'demo',
      'admin@example.com',
      'account_admin_user',
    ])
    const hours = (Date.parse(data.credential.expires_at) - Date.now()) / 3_600_000
    expect(hours).toBeGreaterThan(7.9)
    expect(hours).toBeLessThanOrEqual(8)
    expect(opened?.headers['cache-control']).toBe('no-store')
    expect(opened?.text).not.toContain('nap_')
  })

  it('leaves neither code, verifier nor token in the lines of the service', () => {
    const lines = service.output().split('Press Ctrl-C')[1] ?? ''
    const fragment = new URLSearchParams(printed.hash.slice(1))
    for (const secret of [fragment.get('code'), fragment.get('verifier'), cookie.split('=')[1]])
      expect(lines).not.toContain(secret)
  })

  it.each<[string, Record<string, string>, number]>([
    ['the console', ofConsole, 200],
    ['no X-Console', sameOrigin, 401],
    ['no Sec-Fetch-Site', { 'x-console': 'demo' }, 401],
    ['another port', { ...ofConsole, 'sec-fetch-site': 'same-site' }, 401],
    ['another site', { ...ofConsole, 'sec-fetch-site': 'cross-site' }, 401],
    ['an address that a person entered', { ...ofConsole, 'sec-fetch-site': 'none' }, 401],
    ['another account', { ...ofConsole, 'x-console': 'demo-2' }, 401],
    ['an Authorization', { ...ofConsole, authorization: 'Bearer x' }, 401],
  ])('authenticates a request with its cookie and %s with %i', async (_what, headers, status) => {
    for (const path of ['/account', '/sign_in/session']) {
      const answer = await send(path, { headers: { ...headers, cookie } })
      expect([path, answer.status]).toEqual([path, status])
      expect(answer.headers['set-cookie']).toBeUndefined()
    }
  })

  it('ignores the cookie between others, and refuses two of its name', async () => {
    const status = async (cookies: string) =>
      (await send('/account', { headers: { ...ofConsole, cookie: cookies } })).status
    expect(await status(`a=b; ${cookie}; c=d`)).toBe(200)
    expect(await status(`${cookie}; console-demo=x`)).toBe(401)
    expect(await status(`console-demo=${service.credentials.api_token}`)).toBe(401)
    expect(await status(`__Host-${cookie}`)).toBe(401)
  })

  it('changes nothing for a form or a text of another page', async () => {
    const form = { ...ofConsole, cookie, 'content-type': 'text/plain' }
    expect((await send('/sites', { method: 'POST', headers: form, body: { site: { name: 'Forged' } } })).status).toBe(
      400,
    )
    const list = JSON.parse((await send('/sites', { headers: { ...ofConsole, cookie } })).text)
    expect(list.data.map(({ name }: { name: string }) => name)).not.toContain('Forged')
  })

  it('answers no preflight request (A2.12)', async () => {
    const headers = {
      origin: 'http://127.0.0.1:9999',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'x-console',
    }
    for (const path of ['/account', '/sign_in/session', '/sign_in/token', '/']) {
      const answer = await send(path, { method: 'OPTIONS', headers })
      expect([404, 405]).toContain(answer.status)
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    }
    const read = await send('/account', { headers: { ...ofConsole, cookie, origin: 'http://127.0.0.1:9999' } })
    expect(Object.keys(read.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  it('clears the cookie with the end of the session', async () => {
    const ended = await send('/sign_in/session', { method: 'DELETE', headers: { ...ofConsole, cookie } })
    expect([ended.status, JSON.parse(ended.text).data.end_session_url, ended.headers['set-cookie']]).toEqual([
      200,
      null,
      ['console-demo=; Max-Age=0; HttpOnly; SameSite=Strict; Path=/'],
    ])
    expect((await send('/account', { headers: { ...ofConsole, cookie } })).status).toBe(401)
  })
})

describe('GET / (K2.6)', () => {
  it('redirects browsers to the console without caching', async () => {
    const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
    const { status, headers } = await send('/', { headers: { accept: browser } })
    expect([status, headers.location, headers.vary, headers['cache-control']]).toEqual([
      303,
      '/console',
      'Accept',
      'no-store',
    ])
    for (const accept of ['*/*', 'application/json', 'text/html-x'])
      expect((await send('/', { headers: { accept } })).status).toBe(404)
    expect((await send('/', { method: 'POST', headers: { accept: browser } })).status).toBe(404)
  })
})
