import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Finds Chromium at the path in `CHROMIUM`, or else by its usual names on the PATH. */
export function chromiumPath(): string | undefined {
  const { CHROMIUM, PATH = '' } = process.env
  const paths = PATH.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)))
  return [...(CHROMIUM ? [CHROMIUM] : []), ...paths].find(isProgram)
}

/** Chromium arguments that disable the browser's background traffic. */
const quiet = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

type AccessibleNode = { role: string; name: string; focused: boolean; invalid: boolean; description: string }

export type Browsing = {
  page: Page
  /** Violations of the content security policy since the browser opened. */
  violations: string[]
  /** Returns the named elements of the page's accessibility tree, in page order. */
  accessibleNodes(): Promise<AccessibleNode[]>
  close(): Promise<void>
}

/** Opens a headless browser with an empty profile, by default without JavaScript. */
export async function openBrowser(
  executablePath: string,
  { javaScriptEnabled = false, colorScheme = 'light' as 'light' | 'dark' } = {},
): Promise<Browsing> {
  const profile = mkdtempSync(join(tmpdir(), 'browser-test-'))
  const context: BrowserContext = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    chromiumSandbox: false,
    args: quiet,
    javaScriptEnabled,
    colorScheme,
    timeout: 60_000,
  })
  const page = context.pages()[0] ?? (await context.newPage())
  const violations: string[] = []
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) violations.push(message.text())
  })
  const session = await context.newCDPSession(page)
  session.on('Audits.issueAdded', ({ issue }) => {
    if (issue.code === 'ContentSecurityPolicyIssue') violations.push(JSON.stringify(issue.details))
  })
  await session.send('Audits.enable')
  await session.send('Accessibility.enable')
  return {
    page,
    violations,
    async accessibleNodes() {
      const { nodes } = await session.send('Accessibility.getFullAXTree')
      const byId = new Map(nodes.map((node) => [node.nodeId, node]))
      const inOrder = (id: string): typeof nodes => {
        const node = byId.get(id)
        return node ? [node, ...(node.childIds ?? []).flatMap(inOrder)] : []
      }
      return inOrder(nodes[0]?.nodeId ?? '')
        .filter(({ ignored, name }) => !ignored && name?.value)
        .map(({ role, name, description, properties = [] }) => {
          const propertyOf = (propertyName: string) => properties.find((one) => one.name === propertyName)?.value.value
          return {
            role: String(role?.value),
            name: String(name?.value),
            focused: propertyOf('focused') === true,
            invalid: propertyOf('invalid') === 'true',
            description: String(description?.value ?? ''),
          }
        })
    },
    async close() {
      await context.close()
      rmSync(profile, { recursive: true, force: true })
    },
  }
}
