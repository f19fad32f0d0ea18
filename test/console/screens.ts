import { readFileSync } from 'node:fs'
import type { Page, Request } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { routePaths } from '#functions/console/screens/routes.tsx'
import {
  type Body,
  type ConsoleAccount,
  type ConsoleWorld,
  openScreen,
  settled,
} from '#test/support/console/console-world.ts'

/** Maximum number of requests of a screen, and the growth of the heap from 20 to 200 screens (K10.3). */
const maxRequests = 8
const maxHeapGrowth = 1.2

const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

const desktop = { width: 1280, height: 800 }
const narrow = { width: 320, height: 640 }

/** Kinds of a family that have no object here. Another kind of the family has the same screens. */
const otherKinds = /^\/(providers\/(suite|tenant|idp|oidc)|directories\/(tenant|idp))\/:id/

/**
 * Fills the parameters of each route with the ids of an object.
 * @throws Error if a route has no object yet
 */
export function addressesOf({ ids }: ConsoleAccount): Map<string, string> {
  const found = new Map<string, string>()
  for (const pattern of routePaths.filter((path) => !otherKinds.test(path))) {
    const segments = pattern.split('/')
    const named = ids[segments.findLast((segment) => segment in ids) ?? '']
    const address = segments.map((segment) => (segment.startsWith(':') ? named?.[segment.slice(1)] : segment)).join('/')
    if (/\/(\/|$)/.test(address) && pattern !== '/')
      throw new Error(`Add an object for the screen ${pattern} to test/support/console/console-world.ts.`)
    found.set(pattern, address)
  }
  return found
}

/** Runs the rules of axe-core, and returns its findings. */
async function findFaults(page: Page, place: string, rules: object = {}, part = 'html'): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe)
  const { violations }: Body = await page.evaluate(
    `axe.run({ include: [...document.querySelectorAll('${part}')], exclude: ['[data-live-announcer]'] },
      ${JSON.stringify({ resultTypes: ['violations'], ...rules })})`,
  )
  return violations.map(({ id, nodes }: Body) => `${place}: ${id}: ${nodes[0].html.slice(0, 200)}`)
}

const contrastOnly = { runOnly: ['color-contrast'] }

/** Finds faults of a page in light and dark at 1280 px, and at 320 px. */
async function findInModes(page: Page, place: string, ignored: string[] = []): Promise<string[]> {
  const off = Object.fromEntries(ignored.map((rule) => [rule, { enabled: false }]))
  await page.emulateMedia({ colorScheme: 'light' })
  const light = await findFaults(page, `${place}, light`, { rules: { 'target-size': { enabled: true }, ...off } })
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await findFaults(page, `${place}, dark`, contrastOnly, 'main, [role$="dialog"], [role="listbox"]')
  await page.setViewportSize(narrow)
  const rules = { 'target-size': { enabled: true }, 'color-contrast': { enabled: false }, ...off }
  const small = await findFaults(page, `${place}, 320 px`, { rules })
  await page.setViewportSize(desktop)
  return [...light, ...dark, ...small]
}

/** Script that finds texts outside of their box, and pages that scroll sideways. */
const overflows = `(() => {
  const found = []
  const root = document.documentElement
  const isOutside = (element) => element.getBoundingClientRect().right > innerWidth + 1 || element.getBoundingClientRect().left < -1
  if (root.scrollWidth > innerWidth)
    found.push('page ' + [...document.querySelectorAll('main *')].filter(isOutside).slice(-1).map((element) => element.outerHTML.slice(0, 200)))
  for (const element of document.querySelectorAll('button, a, th, td, dt, dd, label, p, h1, h2, span, summary, li')) {
    const text = [...element.childNodes].find((node) => node.nodeType === 3 && node.data.trim() !== '')
    if (!text || !element.checkVisibility() || element.closest('.visually-hidden, .skip, thead')) continue
    const style = getComputedStyle(element)
    if (style.textOverflow === 'ellipsis' || style.display === 'inline' || element.closest('.table-frame, .tabs')) continue
    const range = document.createRange()
    range.selectNodeContents(text)
    const [box, inner] = [element.getBoundingClientRect(), range.getBoundingClientRect()]
    if (inner.right > box.right + 1 || inner.left < box.left - 1)
      found.push(element.tagName + ' ' + element.className + ': ' + text.data.slice(0, 60))
  }
  return found
})()`

/** Script that makes each text of the catalogue 40 % longer, but no name and no code. */
const lengthen = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const nodes = []
  while (walker.nextNode()) nodes.push(walker.currentNode)
  for (const node of nodes) {
    if (node.parentElement.closest('bdi, code, script, style, .code-point') || node.data.trim() === '') continue
    const text = node.data.trim()
    node.data = text + ' ' + text.slice(0, Math.ceil(text.length * 0.4))
  }
})()`

/** True for the two requests that begin a session, whichever screen is open: the session, and the last change for the pulse. */
const isOfSession = ({ pathname, search }: URL): boolean =>
  pathname === '/sign_in/session' || (pathname === '/logs' && search === '?type=change&total_limit=0&limit=1')

/** Notes the requests of the screens of a page. */
function noteRequests(page: Page) {
  let noted: string[] = []
  const pending = new Set<Request>()
  page.on('request', (request) => {
    pending.add(request)
    const url = new URL(request.url())
    if (!url.pathname.startsWith('/console/') && !isOfSession(url)) noted.push(url.pathname)
  })
  const finish = (request: Request) => pending.delete(request)
  page.on('requestfinished', finish).on('requestfailed', finish)
  /** Waits until the page has rendered all responses. */
  const idle = () => page.evaluate('new Promise((done) => requestIdleCallback(() => setTimeout(done)))')
  return {
    reset: () => {
      noted = []
      pending.clear()
    },
    /** Waits until no request is pending, also after the responses had time to cause others. Returns their paths. */
    async end(): Promise<string[]> {
      for (let quiet = 0; quiet < 3; ) {
        await idle()
        quiet = pending.size === 0 ? quiet + 1 : 0
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      return noted
    },
  }
}

/** Removes what differs between two runs from a tree. */
const stable = (tree: string): string =>
  tree
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
    .replace(/this minute|\d+ (minute|hour)s? ago/g, '<time>')
    .replace(/\w{3} \d\d?, \d{4}, \d\d:\d\d(:\d\d)?/g, '<time>')
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, '<address>')

type Place = {
  name: string
  path: string
  prepare?: (page: Page) => Promise<unknown>
  /** Rules that do not apply, with the reason beside them. */
  ignored?: string[]
}

/** States of the screens beyond those that an address opens. */
const states = ({ ids }: ConsoleAccount): Place[] => [
  { name: 'a list without a match', path: '/groups?find=nothing' },
  { name: 'an unknown object', path: '/groups/0198c0de-0000-7000-8000-000000000000' },
  { name: 'an unknown address', path: '/nothing/at/all' },
  {
    name: 'a failed list',
    path: '/policies?orphaned=true',
    prepare: (page) => page.getByRole('button', { name: 'Try again' }).waitFor(),
  },
  {
    name: 'a confirmation',
    path: `/resources/${ids.resources?.id}`,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Delete' }).click()
      await page
        .getByRole('alertdialog')
        .getByRole('button', { name: /actors? with access/ })
        .waitFor()
    },
  },
  {
    name: 'an open choice',
    path: '/policies/new',
    // An open list hides the rest of the page from screen readers. Tab closes it, so that nothing hidden gets the focus.
    ignored: ['aria-hidden-focus', 'page-has-heading-one', 'region'],
    prepare: async (page) => {
      await page.getByRole('combobox', { name: 'Group' }).fill('Staff')
      await page.getByRole('option', { name: 'Staff' }).waitFor()
    },
  },
  {
    name: 'a form with faults',
    path: '/resources/new',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Create resource' }).click()
      await page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'the list of keys',
    path: '/sites',
    prepare: async (page) => {
      await page.keyboard.press('?')
      await page.getByRole('dialog').waitFor()
    },
  },
]

/** Screens whose accessibility trees are stored: one of each kind. */
const storedTrees: Array<[name: string, path: (ids: ConsoleAccount['ids']) => string]> = [
  ['list', () => '/groups'],
  ['detail', ({ resources }) => `/resources/${resources?.id}`],
  ['form', () => '/resources/new'],
  ['providers', () => '/providers'],
  ['directory', ({ suite }) => `/directories/suite/${suite?.id}`],
  ['settings', () => '/settings'],
]

/** Tests of every screen (K10). They need a person who is signed in to both accounts. */
export function testScreens(opened: () => ConsoleWorld): void {
  let requests: ReturnType<typeof noteRequests>
  beforeAll(() => {
    requests = noteRequests(opened().page)
  })

  /** Loads a screen as a bookmark does, and returns the paths of its requests. */
  async function load({ slug }: ConsoleAccount, path: string): Promise<string[]> {
    const { page, service } = opened()
    requests.reset()
    await page.goto(`${service.baseUrl}/console/${slug}${path}`, { waitUntil: 'commit' })
    await settled(page)
    return requests.end()
  }

  describe('every screen of the console', () => {
    const requestsOf = new Map<string, string[]>()

    it('has no fault that axe-core finds, and at most 8 requests (K10.1, K10.3)', async () => {
      const { page, demo } = opened()
      await page.setViewportSize(desktop)
      const found: string[] = []
      for (const [pattern, address] of addressesOf(demo)) {
        requestsOf.set(pattern, await load(demo, address))
        found.push(...(await findInModes(page, pattern)))
      }
      expect(found).toEqual([])
      expect([...requestsOf].filter(([, { length }]) => length > maxRequests)).toEqual([])
    }, 240_000)

    it('has the same requests and no broken layout with hundreds of objects of hostile names (K4.2, K10.3)', async () => {
      const { page, hostile } = opened()
      const found: unknown[] = []
      for (const [pattern, address] of addressesOf(hostile)) {
        const [few = [], many] = [requestsOf.get(pattern), await load(hostile, address)]
        // Ignores the names of ids, because an entry can have none.
        const isNamed = (path: string) => path !== '/names'
        if (many.filter(isNamed).length !== few.filter(isNamed).length) found.push([pattern, 'requests', few, many])
        const note = async (mode: string) => {
          for (const fault of (await page.evaluate(overflows)) as string[]) found.push([pattern, mode, fault])
        }
        await page.setViewportSize(narrow)
        await note('320 px')
        expect(await page.locator('img').count(), pattern).toBe(0)
        await page.evaluate(lengthen)
        await note('longer texts, 320 px')
        await page.setViewportSize(desktop)
        await note('longer texts')
        await page.evaluate(`document.documentElement.dir = 'rtl'`)
        await note('right to left')
      }
      expect(found).toEqual([])
      expect(await page.locator('.code-point').count()).toBeGreaterThan(0)
    })

    it('has no fault in states that no address opens', async () => {
      const { page, demo } = opened()
      const found: string[] = []
      const failing = /:\d+\/policies\?orphaned/
      await page.route(failing, (route) => route.fulfill({ status: 500, json: { detail: 'No.' } }))
      for (const { name, path, prepare, ignored } of states(demo)) {
        await load(demo, path)
        await prepare?.(page)
        found.push(...(await findInModes(page, name, ignored)))
      }
      await page.unroute(failing)
      await page.setViewportSize(narrow)
      await load(demo, '/sites')
      await page.getByRole('button', { name: 'Menu' }).click()
      found.push(...(await findFaults(page, 'the menu at 320 px')))
      await page.setViewportSize(desktop)
      expect(found).toEqual([])
    })

    it('has the stored accessibility trees', async () => {
      const { page, demo } = opened()
      const { key } = await demo.api('GET', '/account')
      let text = ''
      for (const [name, pathOf] of storedTrees) {
        await load(demo, pathOf(demo.ids))
        const tree = await page.locator(name === 'list' ? 'body' : 'main').ariaSnapshot()
        text += `# ${name}\n${stable(tree).replaceAll(key, '<key>')}\n\n`
      }
      await expect(text).toMatchFileSnapshot('accessibility-trees.txt')
    })

    it('shows states in forced colours, and prints without its frame', async () => {
      const { page, demo } = opened()
      await page.emulateMedia({ forcedColors: 'active' })
      await load(demo, '/settings')
      const styleOf = (selector: string, style: string, pseudo = 'null'): Promise<string> =>
        page.evaluate(`getComputedStyle(document.querySelector('${selector}'), ${pseudo})['${style}']`)
      const current = await styleOf('.navigation a[aria-current]', 'outlineStyle')
      expect(current).not.toBe(await styleOf('.navigation a:not([aria-current])', 'outlineStyle'))
      const knob = await styleOf('.switch[data-selected] .switch-track', 'backgroundColor', '"::before"')
      expect(knob).not.toBe(await styleOf('.switch[data-selected] .switch-track', 'backgroundColor'))
      await page.emulateMedia({ forcedColors: 'none', colorScheme: 'dark' })
      await load(demo, `/resources/${demo.ids.resources?.id}`)
      // Emulates printing after the page has loaded, because a navigation ends the emulation.
      await page.emulateMedia({ media: 'print' })
      expect(await page.locator('.side').isVisible()).toBe(false)
      expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true)
      expect(await styleOf('h1', 'color')).toBe('rgb(27, 34, 48)')
      await page.emulateMedia({ media: 'screen', colorScheme: 'light' })
    })

    it('needs at most 1.2 times as much memory after 200 screens as after 20 (K10.3)', async () => {
      const { page, demo } = opened()
      const session = await page.context().newCDPSession(page)
      const addresses = [...addressesOf(demo).values()].slice(0, 20)
      const heap = async (): Promise<number> => {
        await session.send('HeapProfiler.collectGarbage')
        return (await session.send('Runtime.getHeapUsage')).usedSize
      }
      await load(demo, '/')
      const sizes: number[] = []
      for (let screen = 1; screen <= 200; screen++) {
        await openScreen(opened(), demo, addresses[screen % addresses.length] ?? '/')
        if (screen === 20 || screen === 200) sizes.push(await heap())
      }
      const [early = 0, late = 0] = sizes
      expect(late / early).toBeLessThanOrEqual(maxHeapGrowth)
    })
  })
}
