import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { comingRoutes } from '#functions/console/client/coming.ts'
import { type Service, startService } from '#test/support/service/service.ts'
import { type Browsing, chromiumPath, openBrowser } from '#test/support/sign-in/browser.ts'

const chromium = chromiumPath()
if (!chromium) process.stderr.write('There is no Chromium on this machine: sessions of the console are not tested.\n')

/** True until the service has sessions in cookies (K11.G1). */
const isComing = comingRoutes.includes('POST /sign_in/session')

/** State of a sign-in that this test plays in the place of the service and its provider. */
const played = { isSignedIn: false, actor: 'Ada Admin', isDenied: false, requests: [] as string[] }

let service: Service
let browsing: Browsing
let page: Page
let groupId: string

const shownSession = () => ({
  data: {
    account: { id: 'account', slug: 'demo', name: 'Demo' },
    actor: { id: played.actor, name: played.actor, email: null, type: 'account_admin_user' },
    credential: {
      kind: 'portal_session',
      id: 'session',
      context: 'portal',
      auth_provider_id: null,
      expires_at: '2099-01-01T00:00:00Z',
    },
    scopes: ['*'],
    change_count: 1,
  },
})

const unauthorized = { status: 401, json: { code: 'unauthorized', detail: 'Credentials are missing or invalid.' } }

async function playSession(route: Route): Promise<void> {
  const request = route.request()
  played.requests.push(`${request.method()} ${request.headers()['x-console']}`)
  if (request.method() === 'POST') played.isSignedIn = request.postDataJSON().sign_in.code !== 'used'
  if (request.method() === 'DELETE') played.isSignedIn = false
  if (request.method() === 'DELETE') return route.fulfill({ json: { data: {} } })
  await route.fulfill(played.isSignedIn ? { json: shownSession() } : unauthorized)
}

/** Redirects from the sign-in page back to the console, as after a sign-in at a provider. */
async function playSignIn(route: Route): Promise<void> {
  const { searchParams: query } = new URL(route.request().url())
  expect([query.get('context'), query.get('code_challenge')?.length]).toEqual(['portal', 43])
  const result = played.isDenied ? 'error=access_denied' : 'code=code'
  const location = `${query.get('redirect_uri')}?state=${query.get('state')}&${result}`
  await route.fulfill({ status: 303, headers: { location } })
}

async function playApi(route: Route): Promise<void> {
  if (!played.isSignedIn) return route.fulfill(unauthorized)
  const authorization = `Bearer ${service.credentials.api_token}`
  await route.continue({ headers: { ...route.request().headers(), authorization } })
}

beforeAll(async () => {
  if (!chromium || isComing) return
  service = await startService()
  const headers = { authorization: `Bearer ${service.credentials.api_token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ group: { name: 'Staff' } })
  const created = (await (await fetch(`${service.baseUrl}/groups`, { method: 'POST', headers, body })).json()) as {
    data: { id: string }
  }
  groupId = created.data.id
  browsing = await openBrowser(chromium, { javaScriptEnabled: true })
  page = browsing.page
  page.setDefaultTimeout(10_000)
  await page.context().route(/\/(account|actors|clients|groups|policies|resources|sites|names)\b/, playApi)
  await page.context().route('**/console/**', (route) => route.continue())
  await page.context().route(/\/sign_in\/demo\?/, playSignIn)
  await page.context().route(/\/sign_in\/session$/, playSession)
}, 180_000)

afterAll(async () => {
  await browsing?.close()
  await service?.stop()
})

async function saveName(name: string): Promise<void> {
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill(name)
  played.isSignedIn = false
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Your session has ended').waitFor()
  await page.getByRole('button', { name: 'Sign in in a new tab' }).click()
}

describe.skipIf(!chromium || isComing)('a session of the console', () => {
  it('signs in to a deep link, and survives a reload', async () => {
    const address = `${service.baseUrl}/console/demo/groups/${groupId}?show=policies`
    await page.goto(address)
    await page.getByRole('heading', { level: 1, name: 'Staff' }).waitFor()
    expect(page.url()).toBe(address)
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Staff' }).waitFor()
    expect(played.requests).toContain('GET demo')
  })

  it('keeps a form during a new sign-in in another tab, and confirms another actor (K3.7)', async () => {
    await saveName('Staff 2')
    await page.getByRole('heading', { level: 1, name: 'Staff 2' }).waitFor()
    played.actor = 'Other Person'
    await saveName('Staff 3')
    await page.getByText('You are now signed in as Other Person').waitFor()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { level: 1, name: 'Staff 3' }).waitFor()
    expect(page.context().pages()).toHaveLength(1)
  })

  it('signs out, and ends the session at the service', async () => {
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You are signed out.').waitFor()
    expect(played.requests.at(-1)).toBe('DELETE demo')
  })

  it('accepts a one-time link once, and removes it from the address (K2.7)', async () => {
    await page.goto(`${service.baseUrl}/console/demo#code=new&verifier=v`)
    await page.getByRole('navigation', { name: 'Menu' }).waitFor()
    expect(page.url()).toBe(`${service.baseUrl}/console/demo`)
    await page.goto('about:blank')
    await page.goto(`${service.baseUrl}/console/demo#code=used&verifier=v`)
    await page.getByText('This one-time link was used').waitFor()
  })

  it('redeems no code of a fragment in a deployment, and none with the state of another sign-in (K2.7, K3.1)', async () => {
    played.requests.length = 0
    await page.context().route('https://console.example.com/**', async (route) => {
      const { pathname } = new URL(route.request().url())
      if (pathname === '/sign_in/session') return route.fallback()
      if (pathname.startsWith('/sign_in/')) return route.fulfill({ body: 'The sign-in page' })
      await route.fulfill({ response: await route.fetch({ url: service.baseUrl + pathname }) })
    })
    await page.goto('https://console.example.com/console/demo#code=planted&verifier=v')
    await page.getByText('The sign-in page').waitFor()
    expect(page.url()).not.toContain('planted')
    await page.goto(`${service.baseUrl}/console/signed_in?code=planted&state=other`)
    await page.getByText('The sign-in did not succeed').waitFor()
    expect(page.url()).toBe(`${service.baseUrl}/console/signed_in`)
    expect(played.requests).toEqual(['GET demo'])
  })

  it('explains a refusal (K3.4)', async () => {
    played.isDenied = true
    await page.goto('about:blank')
    await page.goto(`${service.baseUrl}/console/demo`)
    await page.getByText('You have no access to the console').waitFor()
    played.isDenied = false
    expect(new URL(page.url()).search).toBe('')
  })

  it('ends after 30 minutes without input, with a warning before (K3.6)', async () => {
    played.isSignedIn = true
    await page.clock.install()
    await page.goto(`${service.baseUrl}/console/demo/groups`)
    await page.getByRole('navigation', { name: 'Menu' }).waitFor()
    await page.clock.fastForward(29 * 60_000 + 2000)
    await page.getByText('Still there?').waitFor()
    await page.clock.fastForward(60_000)
    await page.getByText('You were signed out after 30 minutes').waitFor()
    expect(played.isSignedIn).toBe(false)
  })
})
