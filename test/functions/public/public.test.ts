import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { bundle } from '#infra/code/bundle.ts'
import type { Answer, Event } from '#shared/http/exchange.ts'
import type { Handler } from '#shared/http/lambda.ts'

let directory: string
let handlers: Record<'openapi' | 'docs', Handler>

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'public-test-'))
  await bundle([], directory)
  const handlerOf = async (file: string) => (await import(pathToFileURL(join(directory, 'public', file)).href)).handler
  handlers = { openapi: await handlerOf('openapi.mjs'), docs: await handlerOf('docs.mjs') }
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const get = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  handlers[path.startsWith('/docs') ? 'docs' : 'openapi']({
    rawPath: path,
    rawQueryString: '',
    headers,
    requestContext: { http: { method: 'GET', path, sourceIp: '192.0.2.10' } },
  } as unknown as Event)

const bytesOf = ({ body = '' }: Answer) => Buffer.from(body, 'base64')

describe('GET /openapi.json', () => {
  it('returns the committed document to anyone', async () => {
    const answer = await get('/openapi.json')
    expect(answer.statusCode).toBe(200)
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=300',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    const committed = await readFile(new URL('../../../docs/openapi.json', import.meta.url))
    expect(bytesOf(answer).equals(committed)).toBe(true)
  })

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('is a tenth of its size with encoding %s', async (coding, decompress) => {
    const plain = await get('/openapi.json', { 'accept-encoding': 'identity' })
    const packed = await get('/openapi.json', { 'accept-encoding': `deflate, ${coding};q=0.5` })
    expect(packed.headers).toMatchObject({ 'content-encoding': coding, vary: 'accept-encoding' })
    expect(decompress(bytesOf(packed)).equals(bytesOf(plain))).toBe(true)
    expect(bytesOf(packed).length * 10).toBeLessThan(bytesOf(plain).length)
    expect(packed.headers?.etag).not.toBe(plain.headers?.etag)
  })

  it('does not use an encoding that the caller refuses', async () => {
    const answer = await get('/openapi.json', { 'accept-encoding': 'br;q=0, gzip;q=0.0' })
    expect(answer.headers).not.toHaveProperty('content-encoding')
  })

  it('returns 304 for a current entity tag', async () => {
    const { headers } = await get('/openapi.json', { 'accept-encoding': 'br' })
    const again = await get('/openapi.json', { 'accept-encoding': 'br', 'if-none-match': String(headers?.etag) })
    expect([again.statusCode, again.body]).toEqual([304, undefined])
    expect(again.headers?.['cache-control']).toBe('public, max-age=300')
    expect((await get('/openapi.json', { 'if-none-match': '"other"' })).statusCode).toBe(200)
  })

  it('keeps the request id of the caller', async () => {
    expect((await get('/openapi.json', { 'x-request-id': 'mine' })).headers?.['x-request-id']).toBe('mine')
  })
})

it('marks errors as not cacheable', async () => {
  vi.stubEnv('CDN_SECRET', 'word')
  try {
    const { statusCode, headers } = await get('/docs')
    expect([statusCode, headers?.['cache-control']]).toEqual([403, 'private, no-cache'])
  } finally {
    vi.unstubAllEnvs()
  }
})

it('redirects from /openapi to /openapi.json', async () => {
  const { statusCode, headers } = await get('/openapi')
  expect([statusCode, headers?.location]).toEqual([308, '/openapi.json'])
})

describe('GET /docs', () => {
  it('loads nothing from other hosts', async () => {
    const answer = await get('/docs')
    expect([answer.statusCode, answer.headers?.['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    const policy = String(answer.headers?.['content-security-policy'])
    expect(policy).toContain("default-src 'none'; script-src 'self';")
    expect(policy).not.toMatch(/https?:|unsafe-eval/)
    expect(bytesOf(answer).toString()).not.toMatch(/https?:\/\//)
  })

  it('includes its renderer, well below the maximum response size', async () => {
    const source = /<script src="([^"]+)">/.exec(bytesOf(await get('/docs')).toString())?.[1] as string
    const answer = await get(source)
    expect([answer.statusCode, answer.headers?.['content-type']]).toEqual([200, 'text/javascript; charset=utf-8'])
    expect(bytesOf(answer).toString()).toContain('spec-url')
    expect(answer.headers?.['cache-control']).toBe('public, max-age=86400')
    expect(answer.body?.length).toBeLessThan(5_000_000)
    expect(bytesOf(await get(source, { 'accept-encoding': 'gzip, br' })).length).toBeLessThan(400_000)
  })
})
