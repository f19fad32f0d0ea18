import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService } from '#test/support/service/service.ts'
import { type Browsing, chromiumPath, openBrowser } from '#test/support/sign-in/browser.ts'

const chromium = chromiumPath()
if (!chromium) process.stderr.write('There is no Chromium on this machine: the web console is not tested.\n')

const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Name with characters that change the direction of text, markup, and 180 characters without a blank. */
const hostile = `\u202Egnp.evil\u202C <img src=x onerror=alert(1)> ${'x'.repeat(180)}`

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type Body = any

let service: Service
let browsing: Browsing
let slug: string
const ids: Record<string, string> = {}
const failures: string[] = []

async function api(method: string, path: string, body?: unknown): Promise<Body> {
  const response = await fetch(service.baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${service.credentials.api_token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer: Body = await response.json()
  return response.ok ? answer.data : Promise.reject(new Error(`${method} ${path}: ${JSON.stringify(answer)}`))
}

beforeAll(async () => {
  if (!chromium) return
  service = await startService()
  slug = (await api('GET', '/account')).slug
  const site = await api('POST', '/sites', { site: { name: 'Berlin' } })
  const group = await api('POST', '/groups', { group: { name: hostile } })
  const person = { name: 'Uma User', type: 'account_user', email: 'uma@example.com' }
  const actor = await api('POST', '/actors', { actor: person })
  const address = { type: 'dns', site_id: site.id }
  const resource = await api('POST', '/resources', {
    resource: { ...address, name: 'Wiki', address: 'wiki.example.com' },
  })
  await api('POST', '/resources', { resource: { ...address, name: hostile, address: 'evil.example.com' } })
  const policy = await api('POST', '/policies', { policy: { group_id: group.id, resource_id: resource.id } })
  await api('PATCH', `/groups/${group.id}/memberships`, { memberships: { add: [actor.id], remove: [] } })
  const gateway = await api('POST', `/sites/${site.id}/gateways`, { gateway: { name: 'gw-1' } })
  const provider = await api('POST', '/email_otp_auth_providers', { email_otp_auth_provider: { name: 'Passcode' } })
  Object.assign(ids, {
    site: site.id,
    group: group.id,
    actor: actor.id,
    resource: resource.id,
    policy: policy.id,
    gateway: gateway.id,
    provider: provider.id,
  })
  browsing = await openBrowser(chromium, { javaScriptEnabled: true })
  browsing.page.on('pageerror', (error) => failures.push(error.message))
  browsing.page.setDefaultTimeout(10_000)
}, 180_000)

afterAll(async () => {
  await browsing?.close()
  await service?.stop()
})

/** Opens an address, and follows the link of the sign-in page unless the tab already has a token. */
async function openTokenForm(path: string): Promise<void> {
  const { page } = browsing
  await page.goto(`${service.baseUrl}${path}`)
  const link = page.getByRole('link', { name: 'Use an API token' })
  await link.or(page.getByLabel('API token')).waitFor()
  if (await link.isVisible()) await link.click()
}

async function signIn(path: string): Promise<void> {
  const { page } = browsing
  await openTokenForm(path)
  await page.getByLabel('API token').fill(service.credentials.api_token)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('navigation', { name: 'Menu' }).waitFor()
}

/** Opens an address without a reload, which would lose the token. */
async function open(path: string): Promise<void> {
  const { page } = browsing
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(`/console/${slug}${path}`)})`)
  await expect.poll(() => page.locator('[aria-busy]').count(), { interval: 20, timeout: 10_000 }).toBe(0)
}

/** Waits until the main heading has a text, because the screens load lazily. */
const heading = (name: string | RegExp) => browsing.page.getByRole('heading', { level: 1, name }).waitFor()

describe.skipIf(!chromium)('the console in a browser', () => {
  it('rejects an invalid token, and accepts one of the account', async () => {
    const { page } = browsing
    await openTokenForm(`/console/${slug}/groups`)
    await page.getByLabel('API token').fill('naa_wrong')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('This token is not valid').waitFor()
    await signIn(`/console/${slug}/groups`)
    await heading(/^Groups/)
    expect(page.url()).toBe(`${service.baseUrl}/console/${slug}/groups`)
  })

  it('shows a list, finds and sorts rows, and keeps both in the address', async () => {
    const { page } = browsing
    await open('/resources')
    await heading(/^Resources/)
    await page.getByRole('searchbox', { name: 'Find resources' }).fill('wiki')
    await page.getByRole('link', { name: 'Wiki' }).waitFor()
    await page.getByRole('link', { name: /evil/ }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Address' }).click()
    expect(new URL(page.url()).search).toBe('?find=wiki&sort=address')
    await signIn(page.url().slice(service.baseUrl.length))
    await page.getByRole('link', { name: 'Wiki' }).waitFor()
    expect(new URL(page.url()).search).toBe('?find=wiki&sort=address')
  })

  it('creates a resource, with the messages of the service at the fields', async () => {
    const { page } = browsing
    await open('/resources')
    await page.getByRole('link', { name: 'New resource' }).first().click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Ledger')
    await page.getByRole('textbox', { name: 'Address' }).fill('exa&mple.com')
    await page.getByRole('combobox', { name: 'Site' }).fill('Ber')
    await page.getByRole('option', { name: 'Berlin' }).click()
    await page.getByRole('button', { name: 'Create resource' }).click()
    await page.getByText('is not a valid DNS name, for example wiki.example.com').first().waitFor()
    await page.getByRole('textbox', { name: 'Address' }).fill('ledger.example.com')
    await page.getByRole('button', { name: 'Create resource' }).click()
    await heading('Ledger')
    const [created] = await api('GET', '/resources?name=Ledger')
    expect(created).toMatchObject({ address: 'ledger.example.com', site_id: ids.site, ip_stack: 'dual' })
    expect(page.url()).toContain(created.id)
    ids.created = created.id
  })

  it('shows an edit made in the meantime, and saves the selection (K5.5)', async () => {
    const { page } = browsing
    await open(`/resources/${ids.created}/edit`)
    await page.getByRole('textbox', { name: 'Name' }).fill('Ledger of Finance')
    await page.getByRole('textbox', { name: 'Note' }).fill('Mine')
    await api('PATCH', `/resources/${ids.created}`, { resource: { name: 'Ledger 2', address: 'ledger2.example.com' } })
    await page.getByRole('button', { name: 'Save changes' }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByText('Changed in the meantime').waitFor()
    await dialog.getByText('Changed by Provisioning').waitFor()
    await dialog.getByRole('radio', { name: 'Ledger 2', exact: true }).check()
    await dialog.getByRole('button', { name: 'Save the selection' }).click()
    await heading('Ledger 2')
    expect(await api('GET', `/resources/${ids.created}`)).toMatchObject({
      name: 'Ledger 2',
      address: 'ledger2.example.com',
      address_description: 'Mine',
    })
  })

  it('confirms a change that decides access, and a deletion with its counts (K7)', async () => {
    const { page } = browsing
    await open(`/resources/${ids.resource}/edit`)
    await page.getByRole('textbox', { name: 'Address' }).fill('wiki2.example.com')
    await page.getByRole('button', { name: 'Save changes' }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByRole('button', { name: 'Change Wiki: 1 policy, 1 actor with access' }).click()
    await heading('Wiki')
    await page.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('button', { name: 'Delete Wiki: 1 policy, 1 actor with access' }).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await open(`/resources/${ids.created}`)
    await heading('Ledger 2')
    await page.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('button', { name: 'Delete Ledger 2' }).click()
    await heading(/^Resources/)
    expect(await api('GET', '/resources?name=Ledger 2')).toEqual([])
  })

  it('requires the name of a site to delete it (K7.4)', async () => {
    const { page } = browsing
    await open(`/sites/${ids.site}`)
    await page.getByRole('button', { name: 'Delete' }).click()
    const remove = page.getByRole('alertdialog').getByRole('button', { name: /^Delete Berlin: 1 gateway, 2 resources/ })
    await remove.waitFor()
    expect(await remove.isDisabled()).toBe(true)
    await page.getByRole('alertdialog').getByRole('textbox').fill('Berlin')
    expect(await remove.isDisabled()).toBe(false)
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click()
  })

  it('edits members, and shows a new token once', async () => {
    const { page } = browsing
    await open(`/groups/${ids.group}`)
    await page.getByRole('combobox', { name: 'Add a member' }).fill('Admin')
    await page.getByRole('option', { name: /^Admin/ }).click()
    await page.getByRole('button', { name: 'Remove Uma User' }).click()
    await page.getByRole('button', { name: 'Review: add 1, remove 1' }).click()
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: /^Change/ })
      .click()
    await page.getByText('The members were changed.').waitFor()
    const members = await api('GET', `/groups/${ids.group}/memberships`)
    expect(members.map((member: Body) => member.name)).toEqual(['Admin'])
    await open('/tokens')
    await page.getByRole('link', { name: 'Provisioning' }).click()
    await page.getByRole('button', { name: 'New API token' }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: /^Name/ }).fill('Auditor')
    await page.getByRole('dialog').getByRole('button', { name: 'New API token' }).click()
    const token = await page.getByRole('alertdialog').locator('code').textContent()
    expect(token).toMatch(/^naa_/)
    await page.getByRole('alertdialog').getByRole('button', { name: 'Done' }).click()
    expect(await page.content()).not.toContain(token)
  })

  it('keeps a form whose session ends, and continues with a new token (K3.7)', async () => {
    const { page } = browsing
    await open(`/actors/${ids.actor}/edit`)
    await page.getByRole('textbox', { name: 'Name' }).fill('Uma Renamed')
    await page.route(/\/actors\//, (route) => route.fulfill({ status: 401, json: { code: 'unauthorized' } }), {
      times: 1,
    })
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('alertdialog').getByLabel('API token').fill(service.credentials.api_token)
    await page.getByRole('alertdialog').getByRole('button', { name: 'Continue' }).click()
    await heading('Uma Renamed')
    expect(await api('GET', `/actors/${ids.actor}`)).toMatchObject({ name: 'Uma Renamed' })
  })

  it('prompts before it repeats a write that was rate limited (K5.6)', async () => {
    const { page } = browsing
    await open(`/actors/${ids.actor}/edit`)
    await page.getByRole('textbox', { name: 'Name' }).fill('Uma User')
    const limited = {
      status: 429,
      headers: { 'retry-after': '7' },
      json: { code: 'rate_limited', detail: 'Too many.' },
    }
    await page.route(/\/actors\//, (route) => route.fulfill(limited), { times: 1 })
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Nothing was changed. Retry in 7 seconds.').waitFor()
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Uma User')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await heading('Uma User')
  })

  it.each(['light', 'dark'] as const)(
    'has no fault that axe-core finds, on any screen in %s (K10.1)',
    async (scheme) => {
      const { page } = browsing
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
      const paths = [
        '',
        ...[
          'resources',
          'policies',
          'groups',
          'actors',
          'sites',
          'clients',
          'providers',
          'devices',
          'tokens',
          'settings',
        ],
        ...['resources', 'policies', 'groups', 'actors', 'sites', 'providers/oidc'].map((name) => `${name}/new`),
        ...['resource', 'group', 'actor', 'site'].flatMap((name) => [
          `${name}s/${ids[name]}`,
          `${name}s/${ids[name]}/edit`,
        ]),
        `policies/${ids.policy}`,
        `sites/${ids.site}/gateways/${ids.gateway}`,
        `providers/email_otp/${ids.provider}`,
      ]
      const found: string[] = []
      // Runs a single rule in dark, because nothing else depends on the colours.
      const rules = scheme === 'dark' ? { runOnly: ['color-contrast'] } : {}
      await page.evaluate(axe)
      for (const path of paths) {
        await open(`/${path}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        const result: Body = await page.evaluate(
          `axe.run({ exclude: ['[data-live-announcer]'] }, ${JSON.stringify(rules)})`,
        )
        for (const { id, nodes } of result.violations) found.push(`${path}: ${id}: ${nodes[0].html.slice(0, 200)}`)
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), path).toBe(true)
      }
      expect(found).toEqual([])
    },
  )

  it('shows hostile names as text, with hidden characters as code points (K4.2)', async () => {
    const { page } = browsing
    await page.setViewportSize({ width: 390, height: 844 })
    for (const path of ['/groups', `/groups/${ids.group}`, '/policies', '/resources']) {
      await open(path)
      await page.locator('.code-point', { hasText: 'U+202E' }).first().waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), path).toBe(true)
    }
    expect(await page.locator('img').count()).toBe(0)
  })

  it('signs out, and leaves nothing of the account in the page', async () => {
    const { page } = browsing
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You are signed out.').waitFor()
    expect(await page.content()).not.toContain('Berlin')
    expect(await page.evaluate('Object.keys(localStorage).concat(Object.keys(sessionStorage))')).toEqual([])
  })

  it('violated neither its content security policy nor any expectation of its code', () => {
    expect(browsing.violations).toEqual([])
    expect(failures).toEqual([])
  })
})
