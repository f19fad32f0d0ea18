import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService } from './support/service/service.ts'
import { type Browsing, chromiumPath, openBrowser } from './support/sign-in/browser.ts'
import { has, screenCommands, typed, walkSteps } from './walk/type-commands.ts'

const chromium = chromiumPath()
if (!chromium) process.stderr.write('There is no Chromium on this machine: signing in with a browser is not tested.\n')

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type Body = any

let service: Service
let browsing: Browsing
/** Client's local server that waits for the callback of a sign-in. */
let client: Server
const returned: URL[] = []

beforeAll(async () => {
  if (!chromium) return
  service = await startService({ args: ['--demo-idp'] })
  browsing = await openBrowser(chromium)
  client = createServer((request, response) => {
    returned.push(new URL(request.url ?? '', 'http://127.0.0.1'))
    response.setHeader('content-type', 'text/plain').end('Back at the client.')
  }).listen(0, '127.0.0.1')
  await once(client, 'listening')
}, 180_000)

afterAll(async () => {
  await browsing?.close()
  client?.close()
  client?.closeAllConnections()
  await service?.stop()
})

async function api(method: string, path: string, body?: unknown, token = service.credentials.api_token): Promise<Body> {
  const response = await fetch(service.baseUrl + path, {
    method,
    headers: { ...(token && { authorization: `Bearer ${token}` }), 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  return { status: response.status, ...((await response.json()) as object) }
}

async function until<T>(
  found: () => T | undefined | null | false | Promise<T | undefined | null | false>,
  what: string,
): Promise<T> {
  const end = Date.now() + 60_000
  for (;;) {
    const value = await found()
    if (value) return value
    if (Date.now() > end) throw new Error(`In vain: ${what}`)
    await sleep(20)
  }
}

/** Prepares a sign-in as a client does. `page` is the URL of the sign-in page. */
function begin(context: 'client' | 'portal', changed: Record<string, string> = {}) {
  const [state, verifier] = [randomBytes(16).toString('base64url'), randomBytes(32).toString('base64url')]
  const query = new URLSearchParams({
    context,
    redirect_uri: `http://127.0.0.1:${(client.address() as AddressInfo).port}/callback`,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    ...changed,
  })
  return { state, verifier, page: `${service.baseUrl}/sign_in/demo?${query}` }
}

/** Waits until the browser returns to the client with this state, and returns the URL of the callback. */
const back = (state: string) =>
  until(() => returned.find(({ searchParams }) => searchParams.get('state') === state), 'the browser came back')

const exchange = (code: string | null, code_verifier: string) =>
  api('POST', '/sign_in/token', { sign_in: { code, code_verifier } }, '')

/** Moves the focus to the element with this name, using only the Tab key. */
async function tabTo(name: string): Promise<void> {
  for (let i = 0; i < 20; i++) {
    await browsing.page.keyboard.press('Tab')
    if (
      (await browsing.accessibleNodes()).some(
        (node) => node.focused && node.name === name && node.role !== 'RootWebArea',
      )
    )
      return
  }
  throw new Error(`The keyboard does not reach ${name}.`)
}

/** Presses the key and waits for the next page. */
async function press(key: 'Enter' | 'Space'): Promise<void> {
  await Promise.all([browsing.page.waitForEvent('load'), browsing.page.keyboard.press(key)])
}

/** Signs in through the account selection, because the provider may still remember a different person in this browser. */
async function signInWithCompany(person: string, way = 'Use another account'): Promise<void> {
  await tabTo(way)
  await press('Enter')
  await tabTo(person)
  await press('Enter')
}

const uma = 'Uma User (uma@example.com)'
const ada = 'Ada Admin (admin@example.com)'

function mailedPasscode(address: string): string | undefined {
  const folder = join(service.dataDir, 'mails')
  if (!existsSync(folder)) return undefined
  const mails = readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8'))
  const mail = mails.findLast((text) => text.includes(address))
  return mail && /\b[2-9A-HJKMNP-Z]{6}\b/.exec(mail.slice(mail.indexOf('\n\n')))?.[0]
}

/**
 * Returns the commands in a marked part of `docs/sign-in.md`.
 * @throws Error if the part does not exist
 */
function commands(part: string): string {
  const text = readFileSync(new URL('../docs/sign-in.md', import.meta.url), 'utf8')
  const found = new RegExp(`<!-- walk: ${part} -->\\s+\`\`\`sh\\n(.*?)^\`\`\`$`, 'ms').exec(text)?.[1]
  if (!found) throw new Error(`docs/sign-in.md has no part ${part}.`)
  return found
}

/** Starts a shell that runs the parts. Between two parts, the shell waits for `goOn`. */
function typeIn(parts: string[]): { child: ChildProcess; output(): string; goOn(): void } {
  const child = spawn('sh', ['-c', parts.map(commands).join('\nread -r _\n')], {
    // Creates a process group, so that background processes can be killed together with the shell.
    detached: true,
    env: {
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      HOME: process.env.HOME ?? '',
      DATA_DIR: service.dataDir,
      BROWSER: 'none',
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      output += chunk
    })
  return { child, output: () => output, goOn: () => child.stdin?.write('\n') }
}

describe.skipIf(!chromium)('a person in a browser', () => {
  it.skipIf(!has('curl')).each(['at first', 'after the first screen and the walk'])(
    'signs in, connects, is in the flow log, and is out when an administrator ends the access (docs/sign-in.md), %s',
    async (when) => {
      if (when !== 'at first') {
        const { stderr } = await typed(['sh'], screenCommands(service) + walkSteps(), service.dataDir)
        expect(stderr).toBe('')
      }
      const { child, output, goOn: resume } = typeIn(['prepare', 'sign in', 'end'])
      try {
        await until(() => /gateway: running/.test(output()), `the gateway works: ${output()}`)
        resume()
        const page = await until(() => /sign in at (\S+)/.exec(output())?.[1], 'the client names its page')
        await browsing.page.goto(page)
        // Chooses a different account from the second sign-in on, because the provider then remembers the browser.
        await signInWithCompany(uma, when === 'at first' ? 'Sign in with Demo company' : undefined)
        expect(await browsing.page.textContent('body')).toContain('You are signed in.')
        await until(() => /reported a flow/.test(output()), `a flow is reported: ${output()}`)
        await until(async () => (await api('GET', '/logs?type=flow')).data.length > 0, 'the flow is in the log')
        resume()
        const left = await until(() => /sign-in: 401.*\n/.exec(output())?.[0], `the client is out: ${output()}`)
        expect(left).toContain('unauthorized')
        const [line, delay] = /^access ended (\d+) ms after Uma User was disabled$/m.exec(output()) ?? []
        process.stderr.write(`${line}\n`)
        // Expects that the live channel ends the access. Regular heartbeats could take longer, because they are at least 20 s apart.
        expect(Number(delay)).toBeLessThan(20_000)
        await until(() => /removed: authorization/.test(output()), 'the gateway lets nothing pass any more')
        await until(() => /^Uma User {2}false$/m.test(output()), `Uma is let in again: ${output()}`)
        const time = String.raw`\d{4}-\d\d-\d\dT\S+`
        expect(output()).toMatch(new RegExp(`^${time}  Uma User  Office wiki \\d+  tcp  443$`, 'm'))
        expect(output()).toMatch(new RegExp(`^${time}  client  Uma User  $`, 'm'))
        expect(output()).toMatch(new RegExp(`^${time}  gateway    \\S+$`, 'm'))
        expect(output()).toMatch(/^Uma User {2}true$/m)
        expect(output()).not.toContain('"code":')
      } finally {
        if (child.pid && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
        const [actor] = (await api('GET', '/actors?email=uma@example.com')).data
        await api('PATCH', `/actors/${actor.id}`, { actor: { is_disabled: false } })
      }
    },
    180_000,
  )

  it('starts without output of its preparation', () => {
    expect(service.output()).toMatch(/^\n {2}Starting …\n\n {2}Network Access Administration is ready at /)
  })

  it('finds everything on the page in order with a screen reader', async () => {
    await browsing.page.goto(begin('client').page)
    const announced = await browsing.accessibleNodes()
    expect(
      announced
        .filter(({ role }) => /^(heading|link|textbox|button)$/.test(role))
        .map(({ role, name }) => [role, name]),
    ).toEqual([
      ['heading', 'Sign in to Demo'],
      ['link', 'Sign in with Demo company'],
      ['link', 'Use another account'],
      ['heading', 'With a passcode by email'],
      ['textbox', 'Email'],
      ['button', 'Send me a passcode'],
    ])
  })

  it('signs in with a passcode by keyboard only, with a message for a wrong one', async () => {
    const { page, state, verifier } = begin('client')
    await browsing.page.goto(page)
    await tabTo('Email')
    await browsing.page.keyboard.type('uma@example.com')
    await press('Enter')
    const passcode = await until(() => mailedPasscode('uma@example.com'), 'the mail is there')
    // Types without pressing Tab, because the field already has the focus.
    await browsing.page.keyboard.type(passcode === '222222' ? '333333' : '222222')
    await press('Enter')
    const wrong = await browsing.accessibleNodes()
    expect(wrong[0]).toMatchObject({ role: 'RootWebArea', name: 'Error: Enter the passcode' })
    expect(wrong.find(({ role }) => role === 'textbox')).toMatchObject({
      focused: true,
      invalid: true,
      description: expect.stringContaining('This passcode is wrong'),
    })
    await browsing.page.keyboard.type(passcode.toLowerCase())
    await press('Enter')
    const code = (await back(state)).searchParams.get('code')
    const { status, data } = await exchange(code, verifier)
    expect([status, data.actor.email]).toEqual([201, 'uma@example.com'])
    expect(data.token).toMatch(/^nac_/)
    expect((await exchange(code, verifier)).status).toBe(401)
  })

  it('opens the portal only as an administrator', async () => {
    const admin = begin('portal')
    await browsing.page.goto(admin.page)
    await signInWithCompany(ada)
    const { data } = await exchange((await back(admin.state)).searchParams.get('code'), admin.verifier)
    expect(data.token).toMatch(/^nap_/)
    expect((await api('GET', '/account', undefined, data.token)).data.slug).toBe('demo')

    const user = begin('portal')
    await browsing.page.goto(user.page)
    await signInWithCompany(uma)
    expect(Object.fromEntries((await back(user.state)).searchParams)).toEqual({
      error: 'access_denied',
      state: user.state,
    })
  })

  it('can cancel at the provider', async () => {
    const { page, state } = begin('client')
    await browsing.page.goto(page)
    await signInWithCompany('Cancel the sign-in')
    expect(Object.fromEntries((await back(state)).searchParams)).toEqual({ error: 'access_denied', state })
    await browsing.page.goto(`${page}&error=access_denied`)
    expect((await browsing.accessibleNodes())[0]?.name).toBe('Error: Sign in to Demo')
    expect(await browsing.page.textContent('[role=alert]')).toContain('You were not signed in')
    // Expects the provider to prompt after a cancelled sign-in, although it remembers the browser.
    await signInWithCompany(uma, 'Sign in with Demo company')
    await until(
      () => returned.find((url) => url.searchParams.get('state') === state && url.searchParams.has('code')),
      'a code',
    )
  })

  it.each([
    ['redirect_uri', 'https://elsewhere.example.com/'],
    ['code_challenge', 'short'],
    ['context', 'other'],
    ['state', ''],
  ])('sees an error for a wrong %s, without a redirect', async (name, value) => {
    const { page } = begin('client', { [name]: value })
    const response = await browsing.page.goto(page)
    expect([response?.status(), browsing.page.url()]).toEqual([422, page])
    expect(await browsing.page.textContent('body')).toContain(name)
    expect((await browsing.accessibleNodes()).filter(({ role }) => role === 'link' || role === 'button')).toEqual([])
  })

  it('never violates the content security policy of a page', () => {
    expect(browsing.violations).toEqual([])
  })
})
