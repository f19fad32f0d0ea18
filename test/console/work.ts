import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  type Body,
  type ConsoleAccount,
  type ConsoleWorld,
  openScreen,
  settled,
} from '#test/support/console/console-world.ts'

/** Splits CSV into rows and cells (RFC 4180). */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]]
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '')
    if (end === '\r\n') rows.push([])
  }
  return rows.slice(0, -1)
}

/** Tests of lists, details and forms in the demo account (K5, K7). They need a signed-in administrator. */
export function testWork(opened: () => ConsoleWorld): void {
  const open = (path: string) => openScreen(opened(), opened().demo, path)
  /** Waits until the main heading has a text, because the screens load lazily. */
  const heading = (name: string | RegExp) => opened().page.getByRole('heading', { level: 1, name }).waitFor()
  let createdId: string

  /** Loads a screen of an account with the session of that account. */
  async function openAs({ slug }: ConsoleAccount, path: string): Promise<void> {
    const { page, service } = opened()
    await page.goto(`${service.baseUrl}/console/${slug}${path}`, { waitUntil: 'commit' })
    await settled(page)
  }

  /** Exports the list of the page, and returns the cells of its rows. */
  async function exported(): Promise<string[][]> {
    const { page } = opened()
    const download = page.waitForEvent('download', { timeout: 20_000 })
    await page.getByRole('button', { name: 'Export CSV' }).click()
    return parseCsv(readFileSync(await (await download).path(), 'utf8').replace(/^\uFEFF/, ''))
  }

  describe('work in the console', () => {
    it('shows a list, finds and sorts rows, and keeps both in the address', async () => {
      const { page, demo } = opened()
      const handbook = { type: 'dns', name: 'Handbook', address: 'handbook.example.com', site_id: demo.ids.sites?.id }
      await demo.api('POST', '/resources', { resource: handbook })
      await open('/resources')
      await heading(/^Resources/)
      await page.getByRole('searchbox', { name: 'Find resources' }).fill('wiki')
      await page.getByRole('link', { name: 'Wiki', exact: true }).waitFor()
      await page.getByRole('link', { name: 'Handbook' }).waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Address' }).click()
      expect(new URL(page.url()).search).toBe('?find=wiki&sort=address')
      await page.reload()
      await page.getByRole('link', { name: 'Wiki', exact: true }).waitFor()
      expect(new URL(page.url()).search).toBe('?find=wiki&sort=address')
    })

    it('creates a resource, with the messages of the service at the fields', async () => {
      const { page, demo } = opened()
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
      const [created] = await demo.api('GET', '/resources?name=Ledger')
      expect(created).toMatchObject({ address: 'ledger.example.com', site_id: demo.ids.sites?.id, ip_stack: 'dual' })
      expect(page.url()).toContain(created.id)
      createdId = created.id
    })

    it('creates an actor of the type that the form shows at first', async () => {
      const { page, demo } = opened()
      await open('/actors/new')
      await page.getByRole('textbox', { name: 'Name' }).fill('New User')
      await page.getByRole('textbox', { name: 'Email' }).fill('new@example.com')
      await page.getByRole('button', { name: 'Create actor' }).click()
      await heading('New User')
      const [created] = await demo.api('GET', '/actors?email=new@example.com')
      expect(created).toMatchObject({ name: 'New User', type: 'account_user' })
      await demo.api('DELETE', `/actors/${created.id}`)
    })

    it('shows an edit made in the meantime, and saves the selection (K5.5)', async () => {
      const { page, demo } = opened()
      await open(`/resources/${createdId}/edit`)
      await page.getByRole('textbox', { name: 'Name' }).fill('Ledger of Finance')
      await page.getByRole('textbox', { name: 'Note' }).fill('Mine')
      await demo.api('PATCH', `/resources/${createdId}`, {
        resource: { name: 'Ledger 2', address: 'ledger2.example.com' },
      })
      await page.getByRole('button', { name: 'Save changes' }).click()
      const dialog = page.getByRole('alertdialog')
      await dialog.getByText('Changed in the meantime').waitFor()
      await dialog.getByText('Changed by Provisioning').waitFor()
      await dialog.getByRole('radio', { name: 'Ledger 2', exact: true }).check()
      await dialog.getByRole('button', { name: 'Save the selection' }).click()
      await heading('Ledger 2')
      expect(await demo.api('GET', `/resources/${createdId}`)).toMatchObject({
        name: 'Ledger 2',
        address: 'ledger2.example.com',
        address_description: 'Mine',
      })
    })

    it('confirms a change that decides access, and a deletion with its counts (K7)', async () => {
      const { page, demo } = opened()
      await open(`/resources/${demo.ids.resources?.id}/edit`)
      await page.getByRole('textbox', { name: 'Address' }).fill('wiki2.example.com')
      await page.getByRole('button', { name: 'Save changes' }).click()
      const dialog = page.getByRole('alertdialog')
      await dialog.getByRole('button', { name: 'Change Wiki: 1 policy, 2 actors with access' }).click()
      await heading('Wiki')
      await page.getByRole('button', { name: 'Delete' }).click()
      await dialog.getByRole('button', { name: 'Delete Wiki: 1 policy, 2 actors with access' }).waitFor()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await open(`/resources/${createdId}`)
      await heading('Ledger 2')
      await page.getByRole('button', { name: 'Delete' }).click()
      await dialog.getByRole('button', { name: 'Delete Ledger 2' }).click()
      await heading(/^Resources/)
      expect(await demo.api('GET', '/resources?name=Ledger 2')).toEqual([])
    })

    it('does nothing to an object that someone else changed before the confirmation (K5.5)', async () => {
      const { page, demo } = opened()
      const path = `/policies/${demo.ids.policies?.id}`
      await open(path)
      await page.getByRole('button', { name: 'Disable' }).click()
      await demo.api('PATCH', path, { policy: { description: 'Described by another' } })
      await page
        .getByRole('alertdialog')
        .getByRole('button', { name: /^Disable/ })
        .click()
      await page.getByText('Someone else changed this object in the meantime.').waitFor()
      await page.getByText('Described by another').waitFor()
      expect(await demo.api('GET', path)).toMatchObject({ is_disabled: false })
    })

    it('requires the name of a site to delete it (K7.4)', async () => {
      const { page, demo } = opened()
      await open(`/sites/${demo.ids.sites?.id}`)
      await page.getByRole('button', { name: 'Delete' }).click()
      const remove = page
        .getByRole('alertdialog')
        .getByRole('button', { name: /^Delete Berlin: 1 gateway, 2 resources/ })
      await remove.waitFor()
      expect(await remove.isDisabled()).toBe(true)
      await page.getByRole('alertdialog').getByRole('textbox').fill('Berlin')
      expect(await remove.isDisabled()).toBe(false)
      await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click()
    })

    it('edits members, and shows a new token once', async () => {
      const { page, demo } = opened()
      await open(`/groups/${demo.ids.groups?.id}`)
      await page.getByRole('combobox', { name: 'Add a member' }).fill('Admin')
      await page.getByRole('option', { name: /^Admin/ }).click()
      await page.getByRole('button', { name: 'Remove Uma User' }).click()
      await page.getByRole('button', { name: 'Review: add 1, remove 1' }).click()
      await page
        .getByRole('alertdialog')
        .getByRole('button', { name: /^Change/ })
        .click()
      await page.getByText('The members were changed.').waitFor()
      const members = await demo.api('GET', `/groups/${demo.ids.groups?.id}/memberships`)
      expect(members.map((member: Body) => member.name).sort()).toEqual(['Admin', 'Deployer'])
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

    it('keeps a form if code cannot be loaded, and names it before a reload (K2.4)', async () => {
      const { page, demo } = opened()
      const chunk = /\/console\/_\/palette-/
      await page.route(chunk, (route) => route.abort())
      await openAs(demo, `/actors/${demo.ids.actors?.id}/edit`)
      await page.getByRole('textbox', { name: 'Name' }).fill('Uma Unsaved')
      await page.keyboard.press('Control+k')
      const dialog = page.getByRole('alertdialog')
      await dialog.getByText(/^“Edit: Uma User .* has changes that are not saved/).waitFor()
      await dialog.getByRole('button', { name: 'Close' }).click()
      expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Uma Unsaved')
      await page.unroute(chunk)
      page.once('dialog', (dialog) => dialog.accept())
      await page.reload()
    })

    it('shows that the service cannot be reached, and reads as soon as it can (K5.2)', async () => {
      const { page } = opened()
      await open('/resources')
      await heading(/^Resources/)
      await page.context().setOffline(true)
      const failure = page.getByText('The service cannot be reached.')
      try {
        await page.getByRole('combobox', { name: 'Type' }).selectOption('IP range')
        await failure.waitFor()
      } finally {
        await page.context().setOffline(false)
      }
      await expect.poll(() => failure.count(), { timeout: 10_000 }).toBe(0)
    })

    it('keeps a form at the back button until its changes are discarded (K2.9)', async () => {
      const { page, demo } = opened()
      await open(`/actors/${demo.ids.actors?.id}`)
      await page.getByRole('link', { name: 'Edit' }).click()
      await page.getByRole('textbox', { name: 'Name' }).fill('Uma Unsaved')
      const form = page.url()
      page.once('dialog', (dialog) => dialog.dismiss())
      await page.goBack()
      await expect.poll(() => page.url()).toBe(form)
      expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Uma Unsaved')
      page.once('dialog', (dialog) => dialog.accept())
      await page.goBack()
      await heading('Uma User')
      expect(page.url()).not.toBe(form)
    })

    it('prompts before it repeats a write that was rate limited (K5.6)', async () => {
      const { page, demo } = opened()
      await open(`/actors/${demo.ids.actors?.id}/edit`)
      await page.getByRole('textbox', { name: 'Name' }).fill('Uma Renamed')
      const limited = {
        status: 429,
        headers: { 'retry-after': '7' },
        json: { code: 'rate_limited', detail: 'Too many.' },
      }
      await page.route(/\/actors\//, (route) => route.fulfill(limited), { times: 1 })
      await page.getByRole('button', { name: 'Save changes' }).click()
      await page.getByText('Nothing was changed. Retry in 7 seconds.').waitFor()
      expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Uma Renamed')
      await page.getByRole('button', { name: 'Save changes' }).click()
      await heading('Uma Renamed')
    })

    it('exports the filtered rows as CSV, with names and without formulas (K4.3, K5.3)', async () => {
      const { page, hostile } = opened()
      await openAs(hostile, `/policies?is_disabled=false`)
      const [header, ...rows] = await exported()
      expect(header).toEqual(['id', 'Group', 'Resource', 'Conditions', 'Description', 'State'])
      const policies: Body[] = await hostile.api('GET', '/policies?limit=1000')
      expect(rows.map(([id]) => id).sort()).toEqual(policies.map(({ id }) => id).sort())
      for (const [, group, resource, , , state] of rows)
        expect([group, resource, state]).toEqual([
          expect.stringMatching(/^'=\d+ \u202Egnp/),
          expect.stringMatching(/^'=\d+ \u202Egnp/),
          'Enabled',
        ])
      await page.getByRole('searchbox').fill('=1001')
      expect(await exported()).toHaveLength(2)
    })

    it('exports at most 10,000 rows, with at most four requests per second (K5.3)', async () => {
      const { page, demo } = opened()
      let pages = 0
      // Plays a larger list than a test can create.
      await page.route(/\/sites\?.*limit=1000/, (route) => {
        pages += 1
        const data = Array.from({ length: 1000 }, (_, row) => ({ id: `${pages} ${row}`, name: `Site ${row}` }))
        return route.fulfill({ json: { data, metadata: { next_page: String(pages), total: 20_000 } } })
      })
      await openAs(demo, '/sites')
      expect(await exported()).toHaveLength(10_001)
      await page.getByText('The export has the first 10,000 rows.').waitFor()
      await page.unroute(/\/sites\?.*limit=1000/)
      const times = (await page.evaluate(
        `performance.getEntriesByType('resource').filter(({ name }) => /sites.*limit=1000/.test(name)).map(({ startTime }) => startTime)`,
      )) as number[]
      expect(times).toHaveLength(10)
      for (const [index, time] of times.entries())
        expect(time - (times[index - 1] ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(245)
    })
  })
}
