import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { type ConsoleWorld, enterPasscode } from '#test/support/console/console-world.ts'

const ada = 'Ada Admin (admin@example.com)'
const uma = 'Uma User (uma@example.com)'

/** Signs in at the sign-in page as a person of the demo provider. */
async function choosePerson(page: Page, person: string): Promise<void> {
  await page.getByRole('link', { name: 'Use another account' }).click()
  await page.getByRole('button', { name: person }).click()
}

/** Signs an administrator in to the console of the demo account, and opens an address in it. */
export async function signInByProvider(
  { page, service }: Pick<ConsoleWorld, 'page' | 'service'>,
  path: string,
): Promise<void> {
  await page.goto(`${service.baseUrl}/console/demo${path}`)
  await choosePerson(page, ada)
  await page.getByRole('navigation', { name: 'Menu' }).waitFor()
}

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()

const menu = (page: Page) => page.getByRole('navigation', { name: 'Menu' })

/** Tests of sessions (K3, K12.1). They leave the browser signed in to both accounts. */
export function testSessions(opened: () => ConsoleWorld): void {
  describe('a session of the console', () => {
    it('follows the root and the printed one-time address, which fails the second time (K2.7)', async () => {
      const { page, service } = opened()
      await page.goto(service.baseUrl)
      await page.getByLabel('Account').waitFor()
      expect(page.url()).toBe(`${service.baseUrl}/console`)
      const address = /http:\S+#code=\S+/.exec(service.output())?.[0] ?? ''
      await page.goto(address)
      await menu(page).waitFor()
      expect(page.url()).toBe(`${service.baseUrl}/console/demo`)
      await page.goto('about:blank')
      await page.goto(address)
      await page.getByText('This one-time link was used').waitFor()
    })

    it('redeems no code of a fragment in a deployment, and none with the state of another sign-in (K3.1)', async () => {
      const { page, service } = opened()
      const redeemed: string[] = []
      page.on('request', (request) => request.method() === 'POST' && redeemed.push(request.url()))
      await page.context().route('https://console.example.com/**', async (route) => {
        const { pathname } = new URL(route.request().url())
        if (pathname.startsWith('/sign_in/demo')) return route.fulfill({ body: 'The sign-in page' })
        await route.fulfill({ response: await route.fetch({ url: service.baseUrl + pathname }) })
      })
      await page.goto('https://console.example.com/console/demo#code=planted&verifier=v')
      await page.getByText('The sign-in page').waitFor()
      expect(page.url()).not.toContain('planted')
      await page.goto(`${service.baseUrl}/console/signed_in?code=planted&state=other`)
      await page.getByText('The sign-in did not succeed').waitFor()
      expect(page.url()).toBe(`${service.baseUrl}/console/signed_in`)
      expect(redeemed).toEqual([])
    })

    it('signs in with a passcode to a deep link, and survives a reload', async () => {
      const world = opened()
      const { page, service, hostile } = world
      const { email, id } = (await hostile.api('GET', '/actors?type=account_admin_user'))[0]
      await hostile.api('PATCH', `/actors/${id}`, { actor: { allow_email_otp_sign_in: true } })
      const address = `${service.baseUrl}/console/hostile/groups/${hostile.ids.groups?.id}?show=policies`
      await page.goto(address)
      await enterPasscode(world, page, email)
      await heading(page, /gnp\.evil/)
      expect(page.url()).toBe(address)
      await page.reload()
      await heading(page, /gnp\.evil/)
    })

    it('explains a refusal, and signs an administrator in with a provider (K3.4)', async () => {
      const world = opened()
      const { page, service } = world
      await page.context().clearCookies({ name: 'console-demo' })
      await page.goto(`${service.baseUrl}/console/demo/groups`)
      await choosePerson(page, uma)
      await page.getByText('You have no access to the console').waitFor()
      expect(new URL(page.url()).search).toBe('')
      await signInByProvider(world, '/groups')
      expect(page.url()).toBe(`${service.baseUrl}/console/demo/groups`)
    })

    it('works in two accounts side by side', async () => {
      const { page, service } = opened()
      const other = await page.context().newPage()
      await other.goto(`${service.baseUrl}/console/hostile/sites`)
      await heading(other, /^Sites/)
      await page.reload()
      await heading(page, /^Groups/)
      expect(await page.locator('.account-name bdi').textContent()).toBe('Demo')
      expect(await other.locator('.account-name bdi').textContent()).toContain('evil')
      await other.close()
    })

    it('gives nothing to a page of another port (K3.3)', async () => {
      const { page, service } = opened()
      const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<p>Other</p>'))
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      try {
        await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
        const statuses: number[] = []
        page.on('response', (response) => statuses.push(response.status()))
        const read = (init: string) =>
          page.evaluate(`fetch('${service.baseUrl}/groups', ${init}).then((got) => got.text(), () => 'refused')`)
        expect(await read(`{ credentials: 'include', headers: { 'x-console': 'demo' } }`)).toBe('refused')
        expect(await read(`{ credentials: 'include' }`)).toBe('refused')
        expect(await read(`{ credentials: 'include', mode: 'no-cors' }`)).toBe('')
        expect(statuses.filter((status) => status < 400)).toEqual([])
      } finally {
        server.close()
        server.closeAllConnections()
      }
    })

    it('keeps a form during a new sign-in in another tab, and confirms another actor (K3.7)', async () => {
      const world = opened()
      const { page, service, demo } = world
      const person = { name: 'Other Person', type: 'account_admin_user', email: 'other@example.com' }
      await demo.api('POST', '/actors', { actor: { ...person, allow_email_otp_sign_in: true } })
      const { id } = await demo.api('POST', '/groups', { group: { name: 'Team' } })
      const saveName = async (name: string): Promise<Page> => {
        await page.getByRole('link', { name: 'Edit' }).click()
        await page.getByRole('textbox', { name: 'Name' }).fill(name)
        await page.context().clearCookies({ name: 'console-demo' })
        await page.getByRole('button', { name: 'Save changes' }).click()
        await page.getByText('Your session has ended').waitFor()
        const popup = page.waitForEvent('popup')
        await page.getByRole('button', { name: 'Sign in in a new tab' }).click()
        return popup
      }
      await page.goto(`${service.baseUrl}/console/demo/groups/${id}`)
      await choosePerson(await saveName('Team 2'), ada)
      await heading(page, 'Team 2')
      const popup = await saveName('Team 3')
      await enterPasscode(world, popup, person.email)
      await page.getByText('You are now signed in as Other Person').waitFor()
      await page.getByRole('button', { name: 'Continue' }).click()
      await heading(page, 'Team 3')
      expect(page.context().pages()).toHaveLength(1)
      expect(await demo.api('GET', `/groups/${id}`)).toMatchObject({ name: 'Team 3' })
    })

    it('signs out, and leaves nothing of the account in the page', async () => {
      const world = opened()
      const { page } = world
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByText('You are signed out.').waitFor()
      expect(await page.content()).not.toContain('Team 3')
      expect(await page.evaluate('Object.keys(localStorage).concat(Object.keys(sessionStorage))')).toEqual([])
      expect((await page.context().cookies()).map(({ name }) => name)).not.toContain('console-demo')
    })

    it('accepts a pasted token of the account, and forgets it with a reload (K3.5)', async () => {
      const world = opened()
      const { page, service } = world
      await page.goto(`${service.baseUrl}/console/demo/groups?find=a`)
      await page.getByRole('link', { name: 'Use an API token' }).click()
      const submit = async (token: string) => {
        await page.getByLabel('API token').fill(token)
        await page.getByRole('button', { name: 'Continue' }).click()
      }
      await submit('naa_wrong')
      await page.getByText('This token is not valid').waitFor()
      await submit(world.hostile.token)
      await page.getByText('This token belongs to the account “hostile”').waitFor()
      await submit(world.demo.token)
      await heading(page, /^Groups/)
      expect(page.url()).toBe(`${service.baseUrl}/console/demo/groups?find=a`)
      await page.reload()
      await page.getByLabel('API token').waitFor()
      await page.evaluate('sessionStorage.clear()')
      await signInByProvider(world, '')
    })
  })
}

/** Test of a session without input. It moves the clock of the browser, so that no other test can follow. */
export function testIdleSession(opened: () => ConsoleWorld): void {
  it('is empty in both tabs after 30 minutes without input, with a warning before (K3.6, K12.10)', async () => {
    const { page, service, demo } = opened()
    const context = page.context()
    await context.clock.install()
    const other = await context.newPage()
    for (const [tab, path] of [
      [page, '/sites'],
      [other, `/sites/${demo.ids.sites?.id}`],
    ] as const) {
      await tab.goto(`${service.baseUrl}/console/demo${path}`)
      await tab.getByText('Berlin').first().waitFor()
    }
    await context.clock.fastForward(29 * 60_000 + 2000)
    for (const tab of [page, other]) await tab.getByText('Still there?').waitFor()
    await context.clock.fastForward(60_000)
    for (const tab of [page, other]) {
      await tab.getByText('You were signed out after 30 minutes').waitFor()
      expect(await tab.content()).not.toContain('Berlin')
    }
    const cookies = async () => (await context.cookies()).map(({ name }) => name)
    await expect.poll(cookies).not.toContain('console-demo')
    await other.close()
  })
}
