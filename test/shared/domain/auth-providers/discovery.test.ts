import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { discovery } from '#shared/domain/auth-providers/discovery-document.ts'
import { type GuardedFetch, guardedFetch } from '#shared/outside/guarded-fetch.ts'

const wellKnown = '/.well-known/openid-configuration'
let server: Server
let base: string
const endpoints = {
  authorization_endpoint: 'https://login.example.com/authorize',
  token_endpoint: 'https://login.example.com/token',
  jwks_uri: 'https://login.example.com/keys',
}

beforeAll(async () => {
  server = createServer((incoming, answer) => {
    const path = incoming.url ?? ''
    if (path.startsWith('/moved')) return answer.writeHead(302, { location: `${base}${wellKnown}` }).end()
    if (path.startsWith('/large')) return answer.end(' '.repeat(1_000_001))
    if (path.startsWith('/text')) return answer.end('not json')
    if (path.startsWith('/null')) return answer.end('null')
    if (path.startsWith('/lost')) return answer.writeHead(404).end('{}')
    if (path.startsWith('/broken')) return answer.destroy()
    if (path.startsWith('/slow')) return answer.write('{')
    const issuers = {
      '/foreign': 'https://other.example.com',
      '/query': 'https://login.example.com?tenant=1',
      '/own': `${base}/own`,
    }
    if (path.startsWith('/issuer')) {
      if (!path.endsWith(wellKnown)) return answer.end('<html>')
      return answer.end(JSON.stringify({ ...endpoints, issuer: base + path.slice(0, -wellKnown.length) }))
    }
    const issuerAtPath = Object.entries(issuers).find(([start]) => path.startsWith(start))?.[1]
    const issuer = issuerAtPath ?? 'https://login.example.com'
    answer.end(JSON.stringify({ ...(path.startsWith('/partial') ? {} : endpoints), issuer }))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => new Promise((closed) => server.close(closed)))

beforeEach(() => vi.stubEnv('ALLOW_INSECURE_PROVIDERS', '1'))
afterEach(() => vi.unstubAllEnvs())

/** Fetches the provider's documents from a local server over plain HTTP. */
const local =
  (path = ''): GuardedFetch =>
  (address, request) =>
    guardedFetch({ timeoutMs: 300 })(`${base}${path}${new URL(address).pathname}`, request)
const read = (path: string) => discovery.read(`https://login.example.com${path}`, local())

it('reads the issuer of a document', async () => {
  expect(await read(wellKnown)).toEqual({ issuer: 'https://login.example.com' })
})

it.each(['', '/', '/realms/company', '/realms/company/'])(
  'finds the document of an issuer sent instead of its URL: %s',
  async (path) => {
    const issuer = `${base}/issuer${path}`
    expect(await discovery.read(issuer)).toEqual({ issuer: issuer.replace(/\/$/, '') })
  },
)

it('refuses an issuer with a query', async () => {
  const uri = `https://login.example.com?tenant=1${wellKnown}`
  expect(await discovery.read(uri, local('/query'))).toEqual({ failure: 'could not be read' })
})

it('refuses an issuer on this machine unless allowed', async () => {
  const uri = `${base}/own${wellKnown}`
  expect(await discovery.read(uri)).toEqual({ issuer: `${base}/own` })
  vi.stubEnv('ALLOW_INSECURE_PROVIDERS', '')
  expect(await discovery.read(uri)).toEqual({ failure: 'is invalid' })
})

it.each(['/moved', '/large', '/text', '/null', '/lost', '/broken', '/partial', '/foreign', '/elsewhere', '/slow'])(
  'refuses %s',
  async (path) => {
    expect(await read(`${path}${wellKnown}`)).toEqual({ failure: 'could not be read' })
  },
)

it.each(['https://127.0.0.1/', 'https://[::1]/', 'https://localhost/', 'https://10.0.0.1/', 'https://[fd00::1]/'])(
  'refuses a non-public address before any request: %s',
  async (uri) => {
    vi.stubEnv('ALLOW_INSECURE_PROVIDERS', '')
    expect(await discovery.read(uri)).toEqual({ failure: 'is invalid' })
  },
)
