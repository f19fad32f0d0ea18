import { describe, expect, it } from 'vitest'
import { type Body, type ConsoleWorld, openScreen, until } from '#test/support/console/console-world.ts'

/** Number of people who leave the company: more than half, which the deletion brake stops (I5.3). */
const leavers = 150

/** Tests of a directory of 200 people: preview, brake, accepted deletions and rewind (K12.8). */
export function testDirectories(opened: () => ConsoleWorld): void {
  const heading = (name: string | RegExp) => opened().page.getByRole('heading', { level: 1, name }).waitFor()
  const badge = (name: string) => opened().page.locator('.page-header .badge', { hasText: name }).waitFor()
  const path = () => `/suite_directories/${opened().demo.ids.suite?.id}`
  const runs = (): Promise<Body[]> => opened().demo.api('GET', `${path()}/runs`)
  const people = async (): Promise<number> =>
    (await opened().demo.api('GET', '/actors?type=account_user&limit=1000')).length

  /** Waits until the run of the current page has finished. */
  async function finished(): Promise<Body> {
    const { demo, page, wake } = opened()
    await page.waitForURL(/\/runs\/[^/]+$/)
    const [, address = '', id = ''] = /\/console\/demo\/directories\/suite\/([^/]+)\/runs\/(.+)$/.exec(page.url()) ?? []
    void wake()
    return until('the end of a run', async () => {
      const run = await demo.api('GET', `/suite_directories/${address}/runs/${id}`)
      return run.finished_at !== null && run
    })
  }

  /** Opens the run that an action has started after the one with this id. */
  async function openNewRun(earlier: string): Promise<void> {
    const { demo, wake } = opened()
    void wake()
    const id = await until('a new run', async () => {
      const [run] = await runs()
      return run.id !== earlier && run.id
    })
    await openScreen(opened(), demo, `/directories/suite/${demo.ids.suite?.id}/runs/${id}`)
  }

  describe('a directory of 200 people', () => {
    it('is created disabled, and previewed before it is enabled', async () => {
      const { page, demo, suite } = opened()
      await openScreen(opened(), demo, '/directories')
      await page.getByRole('link', { name: 'Google Workspace' }).click()
      await page.getByRole('textbox', { name: 'Name' }).fill('Contractors')
      await page.getByRole('textbox', { name: /^Impersonated administrator/ }).fill('admin@example.com')
      await page.getByRole('textbox', { name: /^Service account key/ }).fill(suite.serviceAccountKey)
      await page.getByRole('button', { name: 'Create directory' }).click()
      await heading('Contractors')
      await badge('Disabled')
      await page.getByText('No runs').waitFor()
      await page.getByRole('button', { name: 'Preview a run' }).click()
      const run = await finished()
      expect(run).toMatchObject({ outcome: 'previewed', seen: { users: 200 } })
      await heading('Preview')
      const row = page.getByRole('table', { name: 'Plan; nothing was changed' }).getByRole('row', { name: /^Users/ })
      const { insert } = run.planned.users
      await row.getByText(String(insert)).first().waitFor()
      const changes = page.getByRole('table', { name: 'Changes', exact: true }).getByRole('row')
      await changes.getByText('@example.com').first().waitFor()
      await page.getByRole('navigation', { name: 'Back to the list' }).getByRole('link').click()
      await heading('Contractors')
      await page.getByRole('button', { name: 'Delete' }).click()
      const remove = page.getByRole('alertdialog').getByRole('button', { name: /^Delete Contractors/ })
      expect(await remove.isDisabled()).toBe(true)
      await page.getByRole('alertdialog').getByRole('textbox').fill('Contractors')
      await remove.click()
      await heading(/^Directories/)
      expect(await demo.api('GET', '/suite_directories?name=Contractors')).toEqual([])
    })

    it('is enabled from its preview, with the number of its changes', async () => {
      const { page, demo } = opened()
      const before = await people()
      const [preview] = await runs()
      const newest = preview.id
      await openScreen(opened(), demo, `/directories/suite/${demo.ids.suite?.id}/runs/${preview.id}`)
      await page.getByRole('button', { name: 'Enable', exact: true }).click()
      const { users, groups, memberships } = preview.planned
      const words = `Enable Company: ${users.insert} users, ${groups.insert} groups, and ${memberships.insert} memberships new`
      await page.getByRole('alertdialog').getByRole('button', { name: words, exact: true }).click()
      await heading('Company')
      await openNewRun(newest)
      expect(await finished()).toMatchObject({ outcome: 'applied', applied: preview.planned })
      await badge('Applied')
      expect(await people()).toBe(before + preview.planned.users.insert)
    })

    it('is stopped by the brake, and deletes only what an administrator accepts by typing the name', async () => {
      const { page, demo, suite } = opened()
      const before = await people()
      const ids = new Set(suite.data.users.slice(0, leavers).map(({ id }) => id))
      suite.data.users = suite.data.users.filter(({ id }) => !ids.has(id))
      for (const group of suite.data.groups) group.members = group.members.filter(({ id = '' }) => !ids.has(id))
      await openScreen(opened(), demo, `/directories/suite/${demo.ids.suite?.id}`)
      await page.getByRole('button', { name: 'Synchronize now' }).click()
      const stopped = await finished()
      const newest = stopped.id
      expect(stopped).toMatchObject({ outcome: 'stopped', planned: { users: { delete: leavers } } })
      await badge('Stopped by the brake')
      await page.getByText(stopped.error).waitFor()
      expect(await people()).toBe(before)
      await page.getByRole('button', { name: 'Accept the deletions' }).click()
      const dialog = page.getByRole('alertdialog')
      const accept = dialog.getByRole('button', {
        name: /^Accept the deletions of Company: 150 users and \d+ memberships deleted$/,
      })
      expect(await accept.isDisabled()).toBe(true)
      await dialog.getByRole('textbox').fill('Company')
      await accept.click()
      await heading('Company')
      await openNewRun(newest)
      expect(await finished()).toMatchObject({ outcome: 'applied', applied: { users: { delete: leavers } } })
      await badge('Applied')
      expect(await people()).toBe(before - leavers)
    })

    it('is rewound, and then disabled', async () => {
      const { page, demo } = opened()
      const before = await people()
      await page.getByRole('button', { name: 'Rewind' }).click()
      const [deleted] = await runs()
      const words = `Rewind Company: ${leavers} users and ${deleted.applied.memberships.delete} memberships restored`
      await page.getByRole('alertdialog').getByRole('button', { name: words }).click()
      await page.waitForURL((url) => !url.pathname.endsWith(deleted.id))
      expect(await finished()).toMatchObject({ outcome: 'applied', rewinds: deleted.id })
      await badge('Applied')
      expect(await people()).toBe(before + leavers)
      await page.getByRole('link', { name: deleted.id }).click()
      await badge('Applied')
      await page.getByRole('button', { name: 'Rewind' }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: words }).click()
      await page.getByText(/was already rewound/).waitFor()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click()
      await openScreen(opened(), demo, '/directories')
      await page
        .getByRole('row', { name: /Company/ })
        .getByText('Disabled by a rewind')
        .waitFor()
    })
  })
}
