import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Locator, Page } from 'playwright-core'
import type { Service } from '#test/support/service/service.ts'

type Walk = {
  service: Service
  page: Page
  /** Takes a picture of the page for the document. */
  picture(name: string): Promise<void>
}

const section = /^## The same steps in the console$([\s\S]*?)^## /m

const documentText = (): string =>
  section.exec(readFileSync(new URL('../../docs/walk.md', import.meta.url), 'utf8'))?.[1] ?? ''

/** Labels in bold in the section about the console, without the titles of its steps. */
export const documentLabels = (): Set<string> =>
  new Set(
    [...documentText().matchAll(/\*\*([^*]+)\*\*/g)]
      .map(([, label = '']) => label.replace(/\s+/g, ' '))
      .filter((label) => !/^\d\. /.test(label)),
  )

/** Names of the pictures in the section about the console. */
export const documentPictures = (): string[] =>
  [...documentText().matchAll(/\]\(pictures\/([\w-]+\.png)\)/g)].map(([, name = '']) => name)

/**
 * Returns a command of the section with its placeholders filled.
 * @throws Error if the section has no such command
 */
function documentCommand(start: string, values: Record<string, string>): string {
  const blocks = [...documentText().matchAll(/^```console\n(.*?)\n```$/gms)].map(([, block = '']) => block)
  const found = blocks.find((block) => block.startsWith(start))
  if (!found) throw new Error(`docs/walk.md has no command that starts with ${start}.`)
  return found.replace(/<([\w ]+)>/g, (_, name: string) => values[name] ?? '').replace('npm run', 'npm run --silent')
}

function run(command: string): { child: ChildProcess; output(): string } {
  const child = spawn('sh', ['-c', `exec ${command}`], { stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  let output = ''
  child.stdout?.on('data', (chunk) => {
    output += chunk
  })
  return { child, output: () => output }
}

/** Runs a command to its end, and returns its output. */
async function outputOf(command: string): Promise<string> {
  const { child, output } = run(command)
  await once(child, 'close')
  return output()
}

/** Steps of a person in the console, who presses and fills what has a label. Each label is noted. */
class Person {
  readonly labels = new Set<string>()
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  private async first(label: string, kind: string, candidates: Locator): Promise<Locator> {
    this.labels.add(label)
    await candidates.first().waitFor()
    if ((await candidates.count()) > 1 && kind === 'field') throw new Error(`There are several fields ${label}.`)
    return candidates.first()
  }

  private get place(): Locator {
    return this.page.locator('[role$="dialog"], main').last()
  }

  /** Opens a screen from the menu. */
  async open(label: string): Promise<void> {
    const menu = this.page.getByRole('navigation', { name: 'Menu' })
    await (await this.first(label, 'link', menu.getByRole('link', { name: label, exact: true }))).click()
    await this.heading(new RegExp(`^${label}`))
  }

  /** Presses a button or link whose label begins with a text. */
  async press(label: string): Promise<void> {
    const name = new RegExp(`^${label}`)
    const { place } = this
    const candidates = place.getByRole('button', { name }).or(place.getByRole('link', { name }))
    await (await this.first(label, 'button', candidates)).click()
  }

  async fill(label: string, text: string): Promise<void> {
    const field = this.place.getByRole('textbox', { name: new RegExp(`^${label}( \\(optional\\))?$`) })
    await (await this.first(label, 'field', field)).fill(text)
  }

  /** Chooses an option of a list. */
  async select(label: string, option: string): Promise<void> {
    await (await this.first(label, 'field', this.place.getByLabel(label, { exact: true }))).selectOption(option)
  }

  /** Chooses an object in a field that finds objects. */
  async choose(label: string, text: string): Promise<void> {
    await (await this.first(label, 'field', this.place.getByRole('combobox', { name: label, exact: true }))).fill(text)
    await this.page.getByRole('option', { name: text }).first().click()
  }

  /** Opens an object from a list. */
  async follow(name: string): Promise<void> {
    await this.page.locator('main').getByRole('link', { name, exact: true }).first().click()
    await this.heading(name)
  }

  async heading(name: string | RegExp): Promise<void> {
    await this.page.getByRole('heading', { level: 1, name }).waitFor()
  }

  /** Reads the token that a dialog shows once, and closes the dialog. */
  async takeToken(): Promise<string> {
    const token = await this.page.getByRole('alertdialog').locator('output').textContent()
    await this.press('Done')
    return token ?? ''
  }
}

/** Follows the section of `docs/walk.md` about the console, and returns the labels that it used. */
export async function walkConsole({ service, page, picture }: Walk): Promise<Set<string>> {
  const person = new Person(page)
  const address = service.baseUrl
  await page.goto(/http:\S+#code=\S+/.exec(service.output())?.[0] ?? '')

  await person.open('Sites')
  await person.press('New site')
  await person.fill('Name', 'Berlin')
  await person.press('Create site')
  await person.heading('Berlin')
  await person.open('Actors')
  await person.press('New actor')
  await person.fill('Name', 'Deployer')
  await person.select('Type', 'Service account')
  await person.press('Create actor')
  await person.heading('Deployer')
  await person.open('Groups')
  await person.press('New group')
  await person.fill('Name', 'Engineering')
  await person.press('Create group')
  await person.heading('Engineering')
  await person.choose('Add a member', 'Deployer')
  await person.press('Review')
  await person.press('Change Engineering')
  await page.getByText('The members were changed.').waitFor()
  await person.open('Resources')
  await person.press('New resource')
  await person.fill('Name', 'Wiki')
  await person.fill('Address', 'wiki.example.com')
  await person.choose('Site', 'Berlin')
  await person.press('Create resource')
  await person.heading('Wiki')
  const resource = /[^/]+$/.exec(page.url())?.[0] ?? ''
  await person.open('Policies')
  await person.press('New policy')
  await person.choose('Group', 'Engineering')
  await person.choose('Resource', 'Wiki')
  await person.press('Add')
  await person.select('Property', 'IP address')
  await person.fill('Values', '127.0.0.0/8')
  await person.press('Create policy')
  await person.heading('Engineering → Wiki')
  await person.open('Resources')
  await person.follow('Wiki')
  await page.getByRole('row', { name: /Deployer/ }).waitFor()
  await picture('resource')

  await person.open('Sites')
  await person.follow('Berlin')
  await person.press('New gateway')
  await person.fill('Name', 'edge-1')
  await person.press('Create gateway')
  const gatewayToken = await person.takeToken()
  const gateway = run(documentCommand('npm run example -- gateway', { address, 'gateway token': gatewayToken }))
  try {
    await person.heading('edge-1')
    for (let tries = 0; !(await page.getByText('Online', { exact: true }).isVisible()) && tries < 100; tries++) {
      await sleep(200)
      await page.reload()
      await person.heading('edge-1')
    }
    await picture('gateway')

    await person.open('Actors')
    await person.follow('Deployer')
    await person.press('Client tokens')
    await person.press('New client token')
    await page.getByRole('dialog').waitFor()
    await person.press('New client token')
    const values = { address, resource, 'client token': await person.takeToken() }
    const connected = await outputOf(documentCommand('npm run example -- client', values))
    const ingestToken = /"ingest_token":"([^"]+)"/.exec(connected)?.[1] ?? ''
    await person.open('Resources')
    await person.follow('Wiki')
    person.labels.add('ID')
    await page.getByRole('term').getByText('ID', { exact: true }).waitFor()
    await person.press('Explain')
    await page.getByText('cannot reach').waitFor()
    await person.fill('IP address', '127.0.0.1')
    await page.keyboard.press('Enter')
    await page.getByText('can reach').waitFor()
    await picture('explorer')

    const flow = { address, 'ingest token': ingestToken, time: new Date().toISOString() }
    await outputOf(documentCommand('curl', flow))
    await person.open('Flows')
    // The flow appears in the list and among the top actors.
    const names = page.locator('main').getByText('Deployer', { exact: true })
    for (let tries = 0; (await names.count()) < 2 && tries < 50; tries++) {
      await page.reload()
      await person.heading(/^Flows/)
      await page.waitForLoadState('networkidle')
    }
    await picture('flows')

    await person.open('Changes')
    await page.getByText('Wiki').first().waitFor()
    await picture('changes')
    await person.open('Sessions')
    await person.open('API requests')
  } finally {
    if (gateway.child.pid) process.kill(-gateway.child.pid, 'SIGTERM')
  }
  return person.labels
}
