import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { type ConsoleWorld, enterPasscode, openScreen, settled } from '#test/support/console/console-world.ts'
import { chromiumPath, openBrowser } from '#test/support/sign-in/browser.ts'
import { addressesOf } from './screens.ts'
import { signInByProvider } from './sessions.ts'

/** Script that names the controls of a page outside of filters and headers of tables and lists that filter, and its links to forms. */
const controls = `(() => {
  const nameOf = (element) => (element.ariaLabel || element.labels?.[0]?.textContent || element.textContent).trim()
  const elements = [...document.querySelectorAll('button, input, select, textarea')]
    .filter((element) => element.checkVisibility() && !element.closest('search, thead, .top-row, [data-react-aria-top-layer]'))
  const forms = [...document.querySelectorAll('a[href]')].filter(({ href }) => /\\/(new|edit)(\\?|$)/.test(href))
  return [...elements, ...forms].map(nameOf)
})()`

/** Beginnings of the names of controls that write nothing of the account. Any other one is taken for a write. */
const harmless = [
  ...['Search', 'Sign out', 'Dismiss', 'Export CSV', 'Previous', 'Next'],
  ...['Verify in this browser', 'Verifier key', 'Keep this key', 'Show as JSON', 'Measure', 'By'],
  ...['Colours', 'Times', 'Single-key shortcuts'],
]

/** Test of a person who only reads (K11.G14, K12.11). It signs in with a browser of its own. */
export function testAuditor(opened: () => ConsoleWorld): void {
  it('makes a person an auditor, who sees every screen and no control that writes (K12.11)', async () => {
    const { service, demo } = opened()
    const browsing = await openBrowser(chromiumPath() ?? '', { javaScriptEnabled: true })
    const { page } = browsing
    page.setDefaultTimeout(10_000)
    const auditor = { name: 'Ida Auditor', type: 'account_user', email: 'ida@example.com' }
    const { id } = await demo.api('POST', '/actors', { actor: { ...auditor, allow_email_otp_sign_in: true } })
    const open = (path: string) => openScreen({ page }, demo, path)
    const field = page.locator('label.switch', { hasText: 'Read-only console access' })
    /** Names the controls of the page that could write, with all details open. */
    const writes = async (): Promise<string[]> => {
      await page.evaluate(`document.querySelectorAll('details').forEach((one) => { one.open = true })`)
      await settled(page)
      return ((await page.evaluate(controls)) as string[]).filter(
        (name) => !harmless.some((start) => name.startsWith(start)),
      )
    }
    const creations = async (): Promise<number> => {
      await page.keyboard.press('Control+k')
      const palette = page.getByRole('dialog')
      await palette.getByRole('option').first().waitFor()
      const count = await palette.getByRole('option', { name: /^New / }).count()
      await page.keyboard.press('Escape')
      return count
    }
    try {
      await signInByProvider({ page, service }, `/actors/${id}/edit`)
      await field.click()
      await page.getByRole('button', { name: 'Save changes' }).click()
      const dialog = page.getByRole('alertdialog')
      await dialog.getByText('The console sessions of this person end at once.').waitFor()
      await dialog.getByRole('button', { name: /^Change Ida Auditor/ }).click()
      await page.getByText('Only reads').waitFor()
      expect(await demo.api('GET', `/actors/${id}`)).toMatchObject({ portal_scopes: ['*:read'] })
      // Proves that the search for controls finds those of an administrator.
      expect(await writes()).toEqual(expect.arrayContaining(['Disable', 'Delete', 'Edit']))
      expect(await creations()).toBeGreaterThan(0)
      const [own] = await demo.api('GET', '/actors?email=admin@example.com')
      await open(`/actors/${own.id}/edit`)
      await page.getByRole('button', { name: 'Save changes' }).waitFor()
      expect(await field.count()).toBe(0)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByText('You are signed out.').waitFor()

      await page.goto(`${service.baseUrl}/console/demo/settings`)
      await enterPasscode({ service }, page, auditor.email)
      await page.getByText('*:read').waitFor()
      expect(await creations()).toBe(0)
      const found: unknown[] = []
      const check = async (path: string, name = path) => {
        await open(path)
        for (const control of await writes()) found.push([name, control])
        expect(await page.locator('.failed').count(), name).toBe(0)
      }
      for (const [pattern, address] of addressesOf(demo)) {
        await check(address, pattern)
        const isForm = /\/(new|edit)$/.test(pattern)
        expect(await page.getByText('You can only read').count(), pattern).toBe(Number(isForm))
        for (const part of (await tabsOf(page)).slice(1)) await check(address + part)
      }
      await check(`/access?actor=${id}&resource=${demo.ids.resources?.id}`)
      await page.getByText('Changes that would allow it').waitFor()
      expect(found).toEqual([])
      await open(`/actors/${id}?show=history`)
      await page.getByText('changed read-only console access of the actor').waitFor()
      expect(browsing.violations).toEqual([])
    } finally {
      await browsing.close()
    }
  })
}

/** Queries of the parts of a detail. */
const tabsOf = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('.tabs a')].map(({ search }) => search)`)
