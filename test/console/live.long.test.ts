import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publicKey } from '#test/support/access/public-key.ts'
import { chromiumPath } from '#test/support/sign-in/browser.ts'
import { type Body, type ConsolePage, openConsole } from './console-page.ts'

const chromium = chromiumPath()
if (!chromium) process.stderr.write('There is no Chromium on this machine: the live console is not tested.\n')

let opened: ConsolePage
let page: ConsolePage['page']

const addGroup = (name: string): Promise<Body> => opened.api('POST', '/groups', { group: { name } })
const names = async (): Promise<string[]> => (await opened.api('GET', '/groups')).map(({ name }: Body) => name)

/** Number of pulses in a span of the page's clock. */
async function pulsesIn(milliseconds: number): Promise<number> {
  let count = 0
  const listener = (request: { url(): string }) => {
    if (request.url().endsWith('/sign_in/session')) count += 1
  }
  page.on('request', listener)
  for (let passed = 0; passed < milliseconds; passed += 15_000) {
    await page.clock.runFor(15_000)
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
  page.off('request', listener)
  return count
}

beforeAll(async () => {
  if (!chromium) return
  opened = await openConsole(chromium)
  page = opened.page
  await addGroup('Staff')
  await page.clock.install()
  await opened.signIn('/groups')
  await page.getByRole('link', { name: 'Staff' }).waitFor()
}, 180_000)
afterAll(() => opened?.close())

describe.skipIf(!chromium)('changes of others (K5.7)', () => {
  it('updates values in place, and shows added and removed rows on demand', async () => {
    const [staff] = await opened.api('GET', '/groups?name=Staff')
    await opened.api('PATCH', `/groups/${staff.id}`, { group: { name: 'All staff' } })
    const kept = await addGroup('Kept')
    await addGroup('Other')
    await page.clock.runFor(15_000)
    await page.getByRole('link', { name: 'All staff' }).waitFor()
    await page.getByText('2 changes ·').waitFor()
    expect(await page.getByRole('link', { name: 'Kept' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByRole('link', { name: 'Kept' }).waitFor()
    await opened.api('DELETE', `/groups/${kept.id}`)
    await page.clock.runFor(15_000)
    await page.getByText('1 change ·').waitFor()
    expect(await page.getByRole('link', { name: 'Kept' }).count()).toBe(1)
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByRole('link', { name: 'Kept' }).waitFor({ state: 'detached' })
  })

  it('polls online, without an entry in the change log', async () => {
    const site = await opened.api('POST', '/sites', { site: { name: 'Berlin' } })
    const gateway = await opened.api('POST', `/sites/${site.id}/gateways`, { gateway: { name: 'edge' } })
    await opened.open('/gateways')
    await page.getByRole('row', { name: /edge.*Offline/ }).waitFor()
    await opened.api(
      'POST',
      '/gateway/sessions',
      { session: { public_key: publicKey(), version: '1.4.0' } },
      gateway.token,
    )
    await page.clock.runFor(31_000)
    await page.getByRole('row', { name: /edge.*Online/ }).waitFor()
    await opened.open('/groups')
  })

  it('polls four times a minute, once after five minutes without input, and never while hidden', async () => {
    await page.keyboard.press('Shift')
    expect(await pulsesIn(60_000)).toBe(4)
    await pulsesIn(5 * 60_000)
    expect(await pulsesIn(120_000)).toBe(2)
    await page.keyboard.press('Shift')
    await page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })")
    expect(await pulsesIn(60_000)).toBe(0)
    await page.evaluate('delete document.hidden')
  })
})

describe.skipIf(!chromium)('actions on several rows (K5.8)', () => {
  const selectAll = () => page.getByRole('checkbox', { name: 'Select all rows of the page' }).check()
  const dialog = () => page.getByRole('alertdialog')

  it('shows the result of each row, and the reason of a row that is left out', async () => {
    await opened.open('/groups')
    await selectAll()
    await page.getByRole('button', { name: 'Delete' }).click()
    const rows = (await names()).length
    const confirm = dialog().getByRole('button', { name: `Delete ${rows} groups` })
    expect(await confirm.isDisabled()).toBe(true)
    await dialog().getByLabel(`Type ${rows} to confirm`).fill(String(rows))
    await confirm.click()
    await dialog().getByText(`${rows} of ${rows} processed`).waitFor()
    await dialog().getByText('managed by the service').waitFor()
    await dialog().getByRole('button', { name: 'Close' }).click()
    expect(await names()).toEqual(['Everyone'])
  })

  it('stops on demand and at 429, and resumes with the rest', async () => {
    for (const name of ['A', 'B', 'C']) await addGroup(name)
    await page.clock.runFor(15_000)
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByRole('link', { name: 'C', exact: true }).waitFor()
    for (const name of ['A', 'B', 'C'])
      await page
        .getByRole('row', { name: new RegExp(`^Select row ${name} `) })
        .getByRole('checkbox')
        .check()
    await page.getByRole('button', { name: 'Delete' }).click()
    await dialog().getByLabel('Type 3 to confirm').fill('3')
    let release = () => {}
    await page.route(
      /\/groups\/[^/]+$/,
      async (route) => {
        await new Promise<void>((resolve) => (release = resolve))
        await route.continue()
      },
      { times: 1 },
    )
    await dialog().getByRole('button', { name: 'Delete 3 groups' }).click()
    await dialog().getByRole('button', { name: 'Stop' }).click()
    release()
    await dialog().getByText('1 of 3 processed').waitFor()
    await dialog().getByRole('button', { name: 'Continue with 2' }).waitFor()
    expect((await names()).length).toBe(3)
    const limited = {
      status: 429,
      headers: { 'retry-after': '1' },
      json: { code: 'rate_limited', detail: 'Too many.' },
    }
    await page.route(/\/groups\/[^/]+$/, (route) => route.fulfill(limited), { times: 1 })
    await dialog().getByRole('button', { name: 'Continue with 2' }).click()
    await dialog().getByRole('button', { name: 'Continue with 2' }).click()
    await dialog().getByText('3 of 3 processed').waitFor()
    await dialog().getByRole('button', { name: 'Close' }).click()
    expect(await names()).toEqual(['Everyone'])
  })
})

describe.skipIf(!chromium)('the palette (K5.9)', () => {
  const find = async (text: string) => {
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('searchbox').fill(text)
  }

  it('opens screens and actions by keyboard alone', async () => {
    await find('clie')
    await page.getByRole('option', { name: /^Clients/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: /^Clients/ }).waitFor()
    await find('new gro')
    await page.getByRole('option', { name: /^New group/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'New group' }).waitFor()
    await find('nothing like this')
    await page.getByText('Nothing matches.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(new URL(page.url()).pathname).toMatch(/\/groups\/new$/)
  })

  it('finds objects by a word of any searched field (G3)', async () => {
    const actor = { name: 'Uma User', type: 'account_user', email: 'uma@example.com' }
    await opened.api('POST', '/actors', { actor })
    await opened.open('/sites')
    await new Promise((resolve) => setTimeout(resolve, 2000))
    await find('uma@exam')
    await page.clock.runFor(500)
    await page.getByRole('option', { name: /Uma User.*uma@example.com/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Uma User' }).waitFor()
  })
})

describe.skipIf(!chromium)('the overview (K6)', () => {
  it('shows the steps of a new account, and problems as soon as others cause them', async () => {
    await opened.open('')
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
    const done = await page.locator('.step.done').getByRole('link').allTextContents()
    expect(done).toEqual(['Create a site', 'Connect a gateway'])
    expect(await page.locator('.step').count()).toBe(6)
    const site = await opened.api('POST', '/sites', { site: { name: 'Oslo' } })
    const resource = { name: 'Printer', type: 'ip', address: '192.0.2.9', site_id: site.id }
    await opened.api('POST', '/resources', { resource })
    await page.clock.runFor(15_000)
    await page.getByRole('link', { name: /Oslo has no gateway online: 1 resource cannot be reached/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Oslo' }).waitFor()
  })
})

/** Connects a gateway and a client that has an authorization, and returns the ids. */
async function authorize(): Promise<{ client: string; site: string; gateway: string }> {
  const { api } = opened
  const site = await api('POST', '/sites', { site: { name: 'Bergen' } })
  const resource = { type: 'dns', name: 'Intranet', address: 'intranet.example.com', site_id: site.id }
  const { id: resource_id } = await api('POST', '/resources', { resource })
  const { id: group_id } = await addGroup('Robots')
  await api('POST', '/policies', { policy: { group_id, resource_id } })
  const robot = await api('POST', '/actors', { actor: { name: 'Builder', type: 'service_account' } })
  await api('PATCH', `/groups/${group_id}/memberships`, { memberships: { add: [robot.id], remove: [] } })
  const gateway = await api('POST', `/sites/${site.id}/gateways`, { gateway: { name: 'gw-bergen' } })
  const client_token = { expires_at: '2099-01-01T00:00:00Z' }
  const { token } = await api('POST', `/actors/${robot.id}/client_tokens`, { client_token })
  const session = () => ({ public_key: publicKey(), version: '1.5.1' })
  await api('POST', '/gateway/sessions', { session: session() }, gateway.token)
  const client = { ...session(), svc_id: 'laptop-2' }
  const { id: session_id, client: device } = await api('POST', '/client/sessions', { session: client }, token)
  await api('POST', '/client/authorizations', { authorization: { resource_id, session_id } }, token)
  return { client: device.id, site: site.id, gateway: gateway.id }
}

describe.skipIf(!chromium)('rows that can be ended (K11.G10, K11.G11)', () => {
  /** Ends the only row of a part, and waits until the part has none. */
  async function endIn(path: string, verb: string, none: string): Promise<void> {
    await opened.open(path)
    await page.getByRole('button', { name: new RegExp(`^${verb} …`) }).click()
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: new RegExp(`^${verb} …`) })
      .click()
    await page.getByText(none).waitFor()
  }

  it('are authorizations and gateway tokens', async () => {
    const { client, site, gateway } = await authorize()
    expect(await opened.api('GET', `/authorizations?client_id=${client}`)).toHaveLength(1)
    await endIn(`/clients/${client}?show=authorizations`, 'End', 'No authorizations in force')
    expect(await opened.api('GET', `/authorizations?client_id=${client}`)).toEqual([])
    await endIn(`/sites/${site}/gateways/${gateway}`, 'Delete', 'No gateway tokens')
    expect(await opened.api('GET', `/sites/${site}/gateway_tokens`)).toEqual([])
  })

  it('are console sessions', async () => {
    const { service, api } = opened
    const [, code, code_verifier] = /#code=(\S+)&verifier=(\S+)/.exec(service.output()) ?? []
    const response = await fetch(`${service.baseUrl}/sign_in/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ sign_in: { code, code_verifier } }),
    })
    expect(response.status).toBe(201)
    const [admin] = await api('GET', '/actors?email=admin@example.com')
    await endIn(`/actors/${admin.id}?show=portal_sessions`, 'End', 'No console sessions')
    expect(await api('GET', `/actors/${admin.id}/portal_sessions`)).toEqual([])
  })
})

describe.skipIf(!chromium)('a change that ends the own session (K7.2)', () => {
  it('is announced for the own actor only', async () => {
    const own: Body[] = await opened.api('GET', '/actors?type=api_client')
    const other = await opened.api('POST', '/actors', { actor: { name: 'Pipeline', type: 'api_client' } })
    for (const [id, count] of [
      [own.find(({ name }) => name === 'Provisioning').id, 1],
      [other.id, 0],
    ]) {
      await opened.open(`/actors/${id}`)
      await page.getByRole('button', { name: 'Disable' }).click()
      await page
        .getByRole('alertdialog')
        .getByRole('button', { name: /^Disable/ })
        .waitFor()
      expect(await page.getByText('Your own session ends.').count()).toBe(count)
      await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click()
    }
  })

  it('violated no content security policy', () => expect(opened.browsing.violations).toEqual([]))
})
