import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { names } from '#shared/outside/allowed-target.ts'
import { guardedFetch } from '#shared/outside/guarded-fetch.ts'
import { OutsideError, outsideErrorOf } from '#shared/outside/outside-error.ts'

let server: Server
let base: string
const received: { method?: string; url?: string; headers: IncomingMessage['headers']; body: string; port?: number }[] =
  []
const answers: Record<string, (answer: ServerResponse, incoming: IncomingMessage) => unknown> = {
  '/json': (answer) => answer.setHeader('content-type', 'application/json').end('{"a":1}'),
  '/moved': (answer) => answer.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
  '/nothing': (answer) => answer.writeHead(204).end(),
  '/teapot': (answer) => answer.writeHead(418).end('short and stout'),
  '/large': (answer) => answer.end('x'.repeat(5_000_000)),
  '/endless': (answer) => {
    const more = () => answer.write('x'.repeat(100_000), (error) => error ?? setImmediate(more))
    more()
  },
  '/lied': (answer) => answer.writeHead(200, { 'content-length': '5000000' }).write('x'),
  '/silent': () => {},
  '/drip': (answer) => {
    const timer = setInterval(() => answer.write(' '), 20)
    answer.on('close', () => clearInterval(timer))
  },
  '/cut': (answer) => {
    answer.writeHead(200, { 'content-length': '100' }).write('half')
    setTimeout(() => answer.destroy(), 20)
  },
  '/destroyed': (answer) => answer.destroy(),
  '/upgrade': (answer) =>
    answer.socket?.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
  '/odd': (answer) => answer.socket?.end('HTTP/1.1 700 Odd\r\ncontent-length: 0\r\n\r\n'),
  '/garbage': (answer) => answer.socket?.end('nonsense\r\n\r\n'),
  '/headers': (answer) => answer.socket?.end(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`),
}

beforeAll(async () => {
  server = createHttpServer(async (incoming, answer) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const { method, url, headers, socket } = incoming
    received.push({ method, url, headers, body: Buffer.concat(chunks).toString(), port: socket.remotePort })
    answers[url ?? '']?.(answer, incoming)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  return new Promise((closed) => server.close(closed))
})
beforeEach(() => {
  received.length = 0
  vi.stubEnv('ALLOW_INSECURE_PROVIDERS', '1')
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

const failure = (work: Promise<unknown>): Promise<OutsideError> =>
  work.then(
    () => Promise.reject(new Error('There was an answer.')),
    (error) => error,
  )
const resolving = (...addresses: string[]) =>
  vi.spyOn(names, 'lookup').mockImplementation(((
    _name: string,
    _options: object,
    found: (...given: unknown[]) => void,
  ) => {
    found(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }) as never)

describe('a response', () => {
  it('is returned for any status', async () => {
    const fetch = guardedFetch()
    const answer = await fetch(`${base}/json`)
    expect([answer.status, answer.headers.get('content-type'), await answer.json()]).toEqual([
      200,
      'application/json',
      { a: 1 },
    ])
    expect((await fetch(`${base}/nothing`)).status).toBe(204)
    const teapot = await fetch(`${base}/teapot`)
    expect([teapot.status, await teapot.text()]).toEqual([418, 'short and stout'])
  })

  it('with a redirect is not followed', async () => {
    const answer = await guardedFetch()(`${base}/moved`)
    expect([answer.status, answer.headers.get('location')]).toEqual([302, 'http://169.254.169.254/latest/meta-data'])
    expect(received).toHaveLength(1)
  })
})

describe('a request', () => {
  it('has method, headers and body, and accepts no compression', async () => {
    await guardedFetch()(`${base}/json`, {
      method: 'POST',
      headers: new Headers({ authorization: 'Basic abc', 'accept-encoding': 'gzip' }),
      body: new URLSearchParams({ grant_type: 'authorization_code', code: 'ü&=' }),
    })
    expect(received).toMatchObject([
      {
        method: 'POST',
        body: 'grant_type=authorization_code&code=%C3%BC%26%3D',
        headers: {
          authorization: 'Basic abc',
          'accept-encoding': 'identity',
          'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
        },
      },
    ])
  })

  it.each([['text'], [new TextEncoder().encode('text')], [new TextEncoder().encode('text').buffer]])(
    'accepts a body of any type (%#)',
    async (body) => {
      await guardedFetch()(`${base}/json`, { method: 'POST', body })
      expect(received[0]?.body).toBe('text')
    },
  )

  it("is aborted by its caller's signal", async () => {
    const stopping = new AbortController()
    const reason = new Error('no more')
    const pending = failure(guardedFetch()(`${base}/silent`, { signal: stopping.signal }))
    setTimeout(() => stopping.abort(reason), 20)
    expect(await pending).toBe(reason)
    expect(await failure(guardedFetch()(`${base}/json`, { signal: stopping.signal }))).toBe(reason)
  })

  /** Counts only connections for `/json`, because the server may handle an aborted request of an earlier test late. */
  const ports = () => new Set(received.filter(({ url }) => url === '/json').map(({ port }) => port))

  it('reuses connections, even after the server has closed one', async () => {
    const fetch = guardedFetch({ keepAlive: true })
    for (let i = 0; i < 3; i++) await fetch(`${base}/json`)
    expect(ports().size).toBe(1)
    server.closeAllConnections()
    expect((await fetch(`${base}/json`)).status).toBe(200)
    received.length = 0
    for (let i = 0; i < 2; i++) await guardedFetch()(`${base}/json`)
    expect(ports().size).toBe(2)
  })
})

describe('a failed request', () => {
  it.each(['/silent', '/drip'])('times out: %s', async (path) => {
    const error = await failure(guardedFetch({ timeoutMs: 100 })(base + path))
    expect([error.reason, error.message]).toEqual(['timeout', '127.0.0.1 did not respond within 0.1 seconds.'])
  })

  it.each(['/large', '/endless', '/lied'])('is too large: %s', async (path) => {
    const error = await failure(guardedFetch({ maxBytes: 1_000_000 })(base + path))
    expect([error.reason, error.message]).toEqual(['too_large', '127.0.0.1 returned more than 1000000 bytes.'])
  })

  it.each(['/cut', '/destroyed', '/upgrade', '/odd', '/garbage', '/headers'])(
    'is incomplete or invalid: %s',
    async (path) => {
      const error = await failure(guardedFetch({ timeoutMs: 2_000 })(`${base}${path}`))
      expect(error).toBeInstanceOf(OutsideError)
      expect(error.reason).toBe('unreachable')
    },
  )

  it('is found as the cause of an error', async () => {
    const error = await failure(guardedFetch({ timeoutMs: 20 })(`${base}/silent`))
    expect(outsideErrorOf(new Error('failed', { cause: new Error('why', { cause: error }) }))).toBe(error)
    expect([outsideErrorOf(new Error('other')), outsideErrorOf('text')]).toEqual([null, null])
  })

  it('has no certificate for the name', async () => {
    const error = await failure(guardedFetch({ timeoutMs: 2_000 })(base.replace('http:', 'https:')))
    expect(error.reason).toBe('unreachable')
    expect(received).toEqual([])
  })
})

describe('a forbidden address', () => {
  beforeEach(() => vi.stubEnv('ALLOW_INSECURE_PROVIDERS', ''))

  it.each([
    'https://127.0.0.1/',
    'https://127.1/',
    'https://0x7f.0.0.1/',
    'https://2130706433/',
    'https://0/',
    'https://[::1]/',
    'https://[::ffff:169.254.169.254]/',
    'https://169.254.169.254/latest/meta-data',
    'https://10.0.0.1/',
    'https://[fd00:ec2::254]/',
    'https://[fe80::1]/',
    'https://[64:ff9b::a9fe:a9fe]/',
    'https://localhost/',
    'http://login.example.com/',
    'https://somebody:secret@login.example.com/',
    'ftp://login.example.com/',
    'file:///etc/passwd',
    'data:text/plain,{}',
    'nonsense',
    '',
  ])('is %s', async (address) => {
    const error = await failure(guardedFetch()(address))
    expect([error.name, error.reason]).toEqual(['OutsideError', 'refused'])
    expect(error.message).not.toContain('secret')
  })

  it('is the machine itself, over HTTP or HTTPS', async () => {
    expect((await failure(guardedFetch()(`${base}/json`))).reason).toBe('refused')
    vi.stubEnv('ALLOW_INSECURE_PROVIDERS', '1')
    vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'f')
    expect((await failure(guardedFetch()(`${base}/json`))).reason).toBe('refused')
    expect(received).toEqual([])
  })

  it('is resolved from a name, alone or among others', async () => {
    for (const addresses of [['10.0.0.1'], ['::1'], ['93.184.215.14', '127.0.0.1'], ['169.254.169.254', '8.8.8.8']]) {
      resolving(...addresses)
      expect((await failure(guardedFetch()('https://login.example.com/'))).reason, String(addresses)).toBe('refused')
    }
  })

  it('is on one machine every private or plain HTTP address except its own', async () => {
    vi.stubEnv('ALLOW_INSECURE_PROVIDERS', '1')
    resolving('93.184.215.14')
    expect((await failure(guardedFetch()('http://login.example.com/'))).reason).toBe('refused')
    expect((await failure(guardedFetch()('http://192.168.0.1/'))).reason).toBe('refused')
    expect((await failure(guardedFetch()('https://192.168.0.1/'))).reason).toBe('refused')
  })
})

it('resolves a name once, and connects to the checked address', async () => {
  const port = new URL(base).port
  // Expects a single lookup. A second lookup for the connection could return a different address (DNS rebinding).
  const lookup = resolving('127.0.0.1')
  expect((await guardedFetch()(`http://login.example.com:${port}/json`)).status).toBe(200)
  expect(lookup).toHaveBeenCalledTimes(1)
  expect(received[0]?.headers.host).toBe(`login.example.com:${port}`)
})

it('reports a name that does not exist', async () => {
  vi.spyOn(names, 'lookup').mockImplementation(((
    _name: string,
    _options: object,
    found: (...given: unknown[]) => void,
  ) => found(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }))) as never)
  const error = await failure(guardedFetch()('https://login.example.com/'))
  expect([error.reason, error.message]).toEqual(['unreachable', 'login.example.com could not be reached: ENOTFOUND.'])
})
