import { expect, it } from 'vitest'
import { type ConsoleWorld, openScreen, settled } from '#test/support/console/console-world.ts'

/** Maximum number of times that Tab is pressed to reach a control from the start of the content. */
const maxTabs = 40

/** Test that builds access with the keyboard alone (K12.2). It needs a signed-in administrator of the demo account. */
export function testKeyboard(opened: () => ConsoleWorld): void {
  const keyboard = () => opened().page.keyboard

  async function press(...keys: string[]): Promise<void> {
    for (const key of keys) await keyboard().press(key)
    await settled(opened().page)
  }

  /** Moves the focus with Tab to the control whose name begins with a text. The focus must be visible on the way. */
  async function tabTo(name: string): Promise<void> {
    const { browsing, page } = opened()
    for (let tabs = 0; tabs < maxTabs; tabs++) {
      await keyboard().press('Tab')
      const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')
      const visible = outline !== 'none' || (await page.locator('[data-focus-visible]').count()) > 0
      const focused = (await browsing.accessibleNodes()).find((node) => node.focused && node.role !== 'RootWebArea')
      expect(visible, `focus on ${focused?.name}`).toBe(true)
      if (focused?.name.startsWith(name)) return
    }
    throw new Error(`The keyboard does not reach ${name}.`)
  }

  async function choose(field: string, text: string): Promise<void> {
    await tabTo(field)
    await keyboard().type(text)
    await opened().page.getByRole('option').first().waitFor()
    await press('ArrowDown', 'Enter')
  }

  async function fill(field: string, text: string): Promise<void> {
    await tabTo(field)
    await keyboard().type(text)
  }

  const heading = (name: string) => opened().page.getByRole('heading', { level: 1, name }).waitFor()

  it('builds site, gateway, resource, group and policy with the keyboard alone, and sees a flow (K12.2)', async () => {
    const { page, demo } = opened()
    await openScreen(opened(), demo, '/')
    await page.evaluate('document.activeElement.blur()')
    await press('g', 's')
    await heading('Sites')
    await press('n')
    await fill('Name', 'Hamburg')
    await press('Enter')
    await heading('Hamburg')
    await tabTo('New gateway')
    await press('Enter')
    await fill('Name', 'edge-9')
    await press('Enter')
    await page.getByRole('alertdialog').waitFor()
    await tabTo('Done')
    await press('Enter')
    await heading('edge-9')
    await press('g', 'r', 'n')
    await fill('Name', 'Office wiki')
    await fill('Address', 'wiki.office.example.com')
    await choose('Site', 'Hamb')
    await tabTo('Create resource')
    await press('Enter')
    await heading('Office wiki')
    await press('g', 'g', 'n')
    await fill('Name', 'Office')
    await press('Enter')
    await heading('Office')
    await choose('Add a member', 'Uma User')
    await tabTo('Review')
    await press('Enter')
    await page.getByRole('alertdialog').waitFor()
    await tabTo('Change')
    await press('Enter')
    await page.getByText('The members were changed.').waitFor()
    await press('g', 'p', 'n')
    await choose('Group', 'Office')
    await choose('Resource', 'Office wiki')
    await tabTo('Create policy')
    await press('Enter')
    await heading('Office → Office wiki')
    const [group] = await demo.api('GET', '/groups?name=Office')
    const [policy] = await demo.api('GET', `/policies?group_id=${group.id}`)
    const { site_id } = await demo.api('GET', `/resources/${policy.resource_id}`)
    expect(await demo.api('GET', `/sites/${site_id}`)).toMatchObject({ name: 'Hamburg' })
    expect(await demo.api('GET', `/sites/${site_id}/gateways`)).toMatchObject([{ name: 'edge-9' }])
    expect(await demo.api('GET', `/groups/${group.id}/memberships`)).toHaveLength(1)
    await press('g', 'f')
    await heading('Flows')
    await page.getByRole('row', { name: /Deployer/ }).waitFor()
    await press('?')
    await page.getByRole('dialog').getByText('Keyboard').waitFor()
    await press('Escape')
    expect(await page.getByRole('dialog').count()).toBe(0)
  })
}
