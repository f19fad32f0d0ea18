import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publicKey } from '#test/support/access/public-key.ts'
import { runLocal } from '#test/support/service/service.ts'
import { chromiumPath } from '#test/support/sign-in/browser.ts'
import { type Body, type ConsolePage, openConsole } from './console-page.ts'

const chromium = chromiumPath()
if (!chromium) process.stderr.write('There is no Chromium on this machine: the access explorer is not tested.\n')

const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

let page: ConsolePage['page']
let opened: ConsolePage
const ids: Record<string, string> = {}

const country = (...values: string[]) => [{ property: 'remote_ip_location_region', operator: 'is_in', values }]

/** Performs an operation that only operators have (A32). */
async function provision(event: object): Promise<Body> {
  const { credentials, dataDir } = opened.service
  const input = JSON.stringify({ account_id: credentials.account_id, ...event })
  const { code, stdout, stderr } = await runLocal('provision', [input], { DATA_DIR: dataDir })
  expect(code, stdout + stderr).toBe(0)
  return JSON.parse(stdout).data
}

async function plant(): Promise<void> {
  const { api } = opened
  const add = async (kind: string, key: string, fields: object) => {
    const created = await api('POST', `/${kind === 'policy' ? 'policies' : `${kind}s`}`, { [kind]: fields })
    ids[key] = created.id
    return created
  }
  await add('site', 'berlin', { name: 'Berlin' })
  await add('site', 'empty', { name: 'Warsaw' })
  await add('group', 'staff', { name: 'Staff' })
  await add('group', 'guests', { name: 'Guests' })
  const person = (name: string) => ({ name, type: 'account_user', email: `${name.toLowerCase()}@example.com` })
  for (const name of ['Uma', 'Otto', 'Dora']) await add('actor', name, person(name))
  const resource = (name: string, site: string | undefined) =>
    add('resource', name, { name, type: 'dns', site_id: site, address: `${name.toLowerCase()}.example.com` })
  await resource('Wiki', ids.berlin)
  await resource('Ledger', ids.berlin)
  await resource('Archive', ids.empty)
  const grant = (key: string, resource_id: string | undefined, conditions: object[] = []) =>
    add('policy', key, { group_id: ids.staff, resource_id, conditions })
  await grant('wiki policy', ids.Wiki, country('PL'))
  await grant('archive policy', ids.Archive)
  await api('PATCH', `/groups/${ids.staff}/memberships`, { memberships: { add: [ids.Uma, ids.Dora], remove: [] } })
  await api('PATCH', `/actors/${ids.Dora}`, { actor: { is_disabled: true } })
  const gateway = await api('POST', `/sites/${ids.berlin}/gateways`, { gateway: { name: 'edge' } })
  const session = { public_key: publicKey(), version: '1.4.0' }
  await api('POST', '/gateway/sessions', { session }, gateway.token)
  const resources: Body[] = await api('GET', '/resources')
  ids.internet = resources.find(({ type }) => type === 'internet').id
  ids.pool = (await provision({ operation: 'create_static_device_pool', resource: { name: 'Pool' } })).resource.id
  await provision({ operation: 'update_account', account: { features: { internet_resource: false } } })
}

beforeAll(async () => {
  if (!chromium) return
  opened = await openConsole(chromium)
  page = opened.page
  await plant()
  await opened.signIn('/access')
}, 180_000)
afterAll(() => opened?.close())

const explain = (actor: string, resource: string, more = '') =>
  opened.open(`/access?actor=${ids[actor]}&resource=${ids[resource]}${more}`)

/** Waits until the decision is explained with a text. */
const verdict = (text: string | RegExp) => page.locator('.answer', { hasText: text }).waitFor()

/** Reviews a prepared change and confirms it. */
async function make(change: string): Promise<void> {
  await page.getByRole('button', { name: `Review: ${change}` }).click()
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: /^Change/ })
    .click()
  await page.getByText('The change was made.').waitFor()
}

describe.skipIf(!chromium)('the access explorer', () => {
  it('explains a policy whose conditions are not met, and widens them (K12.3)', async () => {
    await explain('Uma', 'Wiki', '&region=DE')
    await verdict('Uma cannot reach Wiki: the client is in Germany (DE), but the policy of Staff requires')
    await page.getByText('Not met: Country is one of Poland (PL)').waitFor()
    await make('Widen the conditions of the policy of Staff')
    await verdict('Uma can reach Wiki through the policy of Staff.')
    expect(await opened.api('GET', `/policies/${ids['wiki policy']}`)).toMatchObject({
      conditions: country('PL', 'DE'),
    })
  })

  it('changes nothing if the policy differs from the one that was reviewed', async () => {
    await explain('Uma', 'Wiki', '&region=FR')
    await page.getByRole('button', { name: /^Review: Widen/ }).click()
    await opened.api('PATCH', `/policies/${ids['wiki policy']}`, { policy: { conditions: country('PL') } })
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: /^Change/ })
      .click()
    await page.getByRole('alertdialog').getByText('The policy was changed in the meantime.').waitFor()
    expect(await opened.api('GET', `/policies/${ids['wiki policy']}`)).toMatchObject({ conditions: country('PL') })
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click()
  })

  it('explains a missing policy, and adds the actor to a group that has one (K12.3)', async () => {
    await explain('Otto', 'Wiki', '&region=PL')
    await verdict('Otto cannot reach Wiki: no policy gives a group of Otto access to it.')
    await make('Add Otto to the group Staff')
    await verdict('Otto can reach Wiki through the policy of Staff.')
    const members: Body[] = await opened.api('GET', `/groups/${ids.staff}/memberships`)
    expect(members.map(({ name }) => name)).toContain('Otto')
  })

  it('explains a disabled policy, and enables it', async () => {
    await opened.api('PATCH', `/policies/${ids['wiki policy']}`, { policy: { is_disabled: true } })
    await explain('Uma', 'Wiki', '&region=PL')
    await verdict('Uma cannot reach Wiki: the policy of Staff is disabled.')
    await make('Enable the policy of Staff')
    await verdict('Uma can reach Wiki')
  })

  it('explains a disabled actor, an address that is not connectable, and a site without a gateway', async () => {
    await explain('Dora', 'Wiki')
    await verdict('Dora cannot reach Wiki: Dora is disabled.')
    await page.getByRole('button', { name: 'Review: Enable Dora' }).waitFor()
    await explain('Uma', 'internet')
    await verdict('Uma cannot reach Internet: the Internet Resource is not enabled for this account.')
    await explain('Uma', 'pool')
    await verdict('Uma cannot reach Pool: a device pool has no address to connect to.')
    await explain('Uma', 'Archive')
    await verdict('Uma may reach Archive, but cannot connect: no gateway of Warsaw is online.')
    await page.getByRole('link', { name: 'Open', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Warsaw' }).waitFor()
    await explain('Otto', 'Ledger')
    await verdict('no policy gives a group of Otto access')
    await page.getByText('Create a new policy for Ledger').waitFor()
  })

  it('has every input in the address, and reports an invalid one', async () => {
    await explain('Uma', 'Wiki')
    await verdict('the country of the client is not known')
    await page.getByLabel('Country').selectOption('PL')
    await verdict('Uma can reach Wiki')
    await page.getByLabel('IP address').fill('192.0.2.7')
    await page.getByLabel('IP address').press('Enter')
    await page.getByLabel('Time').fill('2027-03-01T08:30')
    await page.getByLabel('Time').press('Enter')
    await expect.poll(() => new URL(page.url()).searchParams.get('at')).toMatch(/^2027-0\d-\d\dT/)
    const { searchParams } = new URL(page.url())
    expect([searchParams.get('region'), searchParams.get('ip')]).toEqual(['PL', '192.0.2.7'])
    await page.getByLabel('IP address').fill('nowhere')
    await page.getByLabel('IP address').press('Enter')
    await page.getByText('IP address: must be an IPv4 or IPv6 address').waitFor()
  })

  it('shows what an actor reaches as columns, which arrow keys walk, with the paths of a node', async () => {
    await opened.open(`/access?actor=${ids.Uma}`)
    await page.getByRole('link', { name: 'Uma' }).focus()
    for (const name of [
      'Staff',
      /if the country is one of Poland|Without conditions/,
      /Archive|Wiki/,
      /Berlin|Warsaw/,
    ]) {
      await page.keyboard.press('ArrowRight')
      expect(await page.evaluate('document.activeElement.textContent')).toMatch(name)
    }
    await page
      .getByRole('list', { name: 'Resources' })
      .getByRole('link', { name: /Archive/ })
      .focus()
    await page.getByText('Archive: 1 actor, 1 group, 1 policy, 1 resource, and 1 site').waitFor()
    const onPath = await page.locator('.graph .node.on-path').allTextContents()
    expect(onPath.join(' ')).not.toMatch(/Wiki|Berlin/)
    expect(await page.locator('.lines-between path.on-path').count()).toBe(4)
    await page.keyboard.press('Enter')
    await verdict('Uma may reach Archive')
  })

  it('shows who reaches a resource, and folds more than 50 nodes into a count', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `Guest ${String(index).padStart(2, '0')}`)
    const guests = await Promise.all(
      names.map((name, index) =>
        opened.api('POST', '/actors', { actor: { name, type: 'account_user', email: `guest${index}@example.com` } }),
      ),
    )
    const add = guests.map(({ id }) => id)
    await opened.api('PATCH', `/groups/${ids.guests}/memberships`, { memberships: { add, remove: [] } })
    await opened.api('POST', '/policies', { policy: { group_id: ids.guests, resource_id: ids.Ledger } })
    await opened.open(`/access?resource=${ids.Ledger}`)
    const column = page.getByRole('list', { name: 'Actors' })
    await page.getByRole('button', { name: '10 more' }).waitFor()
    expect(await column.getByRole('link').count()).toBe(50)
    await page.getByRole('button', { name: '10 more' }).click()
    expect(await column.getByRole('link').count()).toBe(60)
  })

  it('compares two actors, with a decision for each', async () => {
    await opened.open(`/access?actor=${ids.Uma}&with=${ids.Otto}`)
    await page.getByRole('row', { name: /^Archive Yes Staff Yes Staff/ }).waitFor()
    await page.getByLabel('Only differences').check()
    await page.getByText('Both reach the same resources.').waitFor()
    await opened.open(`/access?actor=${ids.Uma}&with=${ids.Dora}&resource=${ids.Wiki}&region=PL`)
    await verdict('Uma can reach Wiki')
    await verdict('Dora is disabled')
  })

  it('explains rows of a detail', async () => {
    await opened.open(`/resources/${ids.Wiki}`)
    await page.getByRole('row', { name: /Otto/ }).getByRole('link', { name: 'Explain' }).click()
    await verdict('Otto cannot reach Wiki')
  })

  it.each(['light', 'dark'] as const)(
    'has no fault that axe-core finds in %s, and fits 320 pixels (K10.1)',
    async (scheme) => {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width: scheme === 'dark' ? 320 : 1280, height: 800 })
      await page.evaluate(axe)
      const both = `actor=${ids.Otto}&resource=${ids.Wiki}`
      const paths = [
        '/access',
        `/access?actor=${ids.Uma}`,
        `/access?${both}`,
        `/access?actor=${ids.Uma}&with=${ids.Dora}`,
      ]
      const found: string[] = []
      for (const path of [
        ...paths,
        `/access?${both}&with=${ids.Dora}`,
        `/policies/${ids['wiki policy']}`,
        '/groups',
        '',
      ]) {
        await opened.open(path)
        await page.waitForTimeout(300)
        const { violations }: Body = await page.evaluate(`axe.run({ exclude: ['[data-live-announcer]'] })`)
        for (const { id, nodes } of violations) found.push(`${path}: ${id}: ${nodes[0].html.slice(0, 200)}`)
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), path).toBe(true)
      }
      expect(found).toEqual([])
    },
  )

  it('violated no content security policy', () => expect(opened.browsing.violations).toEqual([]))
})
