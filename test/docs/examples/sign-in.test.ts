import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { signIn } from '../../../docs/examples/sign-in.ts'

/** Fake of the service's token endpoint, which records each exchanged code. */
let service: Server
let baseUrl: string
const exchanged: Record<string, string>[] = []
beforeAll(async () => {
  service = createServer(async (request, response) => {
    exchanged.push(((await json(request)) as { sign_in: Record<string, string> }).sign_in)
    response.writeHead(201, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ data: { token: 'nac_of_the_person' } }))
  }).listen(0, '127.0.0.1')
  await once(service, 'listening')
  baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
})
beforeEach(() => {
  exchanged.length = 0
})
afterAll(() => service.close())

/** Starts a sign-in with the example client. `visit` requests the callback as the person's browser does. */
async function atPage() {
  const page = Promise.withResolvers<URL>()
  const passcode = () => Promise.reject(new Error('Nobody asked for a passcode.'))
  const open = (address: string) => page.resolve(new URL(address))
  const done = signIn({ baseUrl, account: 'demo', context: 'client', open, passcode }).catch((error: Error) => error)
  const { searchParams } = await page.promise
  const [state = '', home = ''] = ['state', 'redirect_uri'].map((name) => searchParams.get(name) ?? '')
  const visit = async (query: Record<string, string> | string, address = home) => {
    const response = await fetch(`${address}?${new URLSearchParams(query)}`)
    return { status: response.status, text: await response.text() }
  }
  return { state, home, visit, done }
}
const foreign = { status: 400, text: 'This is not the sign-in that the client started.' }

it('login CSRF: the example client refuses a callback with a foreign state, says so, and waits for its own', async () => {
  const { state, home, visit, done } = await atPage()
  // Code from an attacker's own sign-in. Any web page can redirect a person's browser to the callback with such a code.
  const code = 'code-of-the-attacker'
  const others: (Record<string, string> | string)[] = [
    { code },
    { code, state: '' },
    { code, state: 'state-of-the-attacker' },
    { code, state: `${state}x` },
    { code, state: state.slice(0, -1) },
    { code, state: state.toUpperCase() === state ? state.toLowerCase() : state.toUpperCase() },
    `code=${code}&state=other&state=${state}`,
    { error: 'access_denied', state: 'state-of-the-attacker' },
  ]
  for (const query of others) expect(await visit(query), JSON.stringify(query)).toEqual(foreign)
  expect(await visit({ code, state }, home.replace('/callback', '/other'))).toEqual(foreign)
  expect(exchanged).toEqual([])
  const own = await visit({ code: 'own-code', state })
  expect([own.status, own.text]).toEqual([200, expect.stringContaining('You are signed in.')])
  expect(await done).toMatchObject({ token: 'nac_of_the_person' })
  expect(exchanged).toEqual([{ code: 'own-code', code_verifier: expect.stringMatching(/^[\w-]{43,}$/) }])
})

it('is refused if its own callback reports an error', async () => {
  const { state, visit, done } = await atPage()
  expect((await visit({ error: 'access_denied', state })).text).toContain('You were not signed in.')
  expect(await done).toMatchObject({ message: expect.stringContaining('The sign-in was refused (access_denied).') })
  expect(exchanged).toEqual([])
})

it("distinguishes a provider's fault from a refusal", async () => {
  for (const [error, words] of [
    ['temporarily_unavailable', 'Try again in a minute'],
    ['server_error', 'Contact an administrator'],
    ['other', 'Nobody was signed in (other)'],
  ] as const) {
    const { state, visit, done } = await atPage()
    await visit({ error, state })
    expect(await done).toMatchObject({ message: expect.stringContaining(words) })
  }
})

it('has its own state and verifier each time', async () => {
  const [one, two] = [await atPage(), await atPage()]
  expect(one.state).not.toBe(two.state)
  expect(await one.visit({ code: 'x', state: two.state })).toEqual(foreign)
  await Promise.all([one.visit({ code: 'a', state: one.state }), two.visit({ code: 'b', state: two.state })])
  await Promise.all([one.done, two.done])
  expect(new Set(exchanged.map(({ code_verifier }) => code_verifier)).size).toBe(2)
})
