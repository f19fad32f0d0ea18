import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { discovery } from '#shared/domain/auth-providers/discovery.ts'
import { isPublicAddress } from '#shared/domain/auth-providers/public-address.ts'

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
    const issuers = { '/foreign': 'https://other.example.com', '/query': 'https://login.example.com?tenant=1' }
    const named = Object.entries(issuers).find(([start]) => path.startsWith(start))?.[1]
    const issuer = named ?? 'https://login.example.com'
    answer.end(JSON.stringify({ ...(path.startsWith('/partial') ? {} : endpoints), issuer }))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => new Promise((closed) => server.close(closed)))

/** Sends what is meant for the provider to this machine, in plain HTTP. */
const local = {
  request: ((uri: string, ...rest: [never]) => request(`${base}${new URL(uri).pathname}`, ...rest)) as never,
  isAllowed: () => true,
}
const read = (path: string) => discovery.read(`https://login.example.com${path}`, local)

it('reads the issuer of a document', async () => {
  expect(await read(wellKnown)).toEqual({ issuer: 'https://login.example.com' })
})

it('takes no issuer with a query', async () => {
  const uri = `https://login.example.com?tenant=1${wellKnown}`
  const documents = { ...local, request: ((_: string, ...rest: [never]) => request(`${base}/query`, ...rest)) as never }
  expect(await discovery.read(uri, documents)).toEqual({ failure: 'could not be read' })
})

it.each(['/moved', '/large', '/text', '/null', '/lost', '/broken', '/partial', '/foreign', '/elsewhere'])(
  'takes nothing from %s',
  async (path) => {
    expect(await read(`${path}${wellKnown}`)).toEqual({ failure: 'could not be read' })
  },
)

describe('an address that is not public', () => {
  it.each(['https://127.0.0.1/', 'https://[::1]/', 'https://localhost/', 'https://10.0.0.1/', 'https://[fd00::1]/'])(
    'is refused before anything is sent: %s',
    async (uri) => {
      expect(await discovery.read(uri)).toEqual({ failure: 'is invalid' })
    },
  )

  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '172.31.255.255',
    '192.168.0.1',
    '198.51.100.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:10.0.0.1',
    '::ffff:127.0.0.1',
    '64:ff9b::a00:1',
    'fc00::1',
    'fe80::1',
    'ff02::1',
    '2001:db8::1',
    '2002:a00:1::',
    'nonsense',
  ])('is %s', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  it.each(['8.8.8.8', '172.32.0.1', '::ffff:8.8.8.8', '2606:4700::1111'])('is not %s', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })
})
