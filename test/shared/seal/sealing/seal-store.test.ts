import { hash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { HttpRequest } from '@smithy/core/protocols'
import type { NodeHttpHandler } from '@smithy/node-http-handler'
import { beforeEach, expect, it, vi } from 'vitest'
import { s3 as bucketClient } from '#shared/core/aws/s3.ts'
import { workTime } from '#shared/core/work/work.ts'
import { sealStore } from '#shared/seal/sealing/signed-objects.ts'
import { sealWorld } from '#test/support/seal/sealing.ts'
import { sdkByFetch } from '#test/support/service/sdk-by-fetch.ts'

const objects = new Map<string, string>()
let next: (() => Response | undefined) | null = null
const requests: string[] = []

async function s3(
  url: string,
  { method, headers, body }: { method: string; headers: Record<string, string>; body?: Buffer },
) {
  const path = new URL(url).pathname
  const there = objects.get(path)
  const tag = (text: string) => `"${hash('md5', text)}"`
  requests.push([method, path, headers['if-match'] ?? headers['if-none-match'] ?? ''].join(' ').trim())
  if (method === 'GET') {
    return there === undefined
      ? new Response('', { status: 404 })
      : new Response(there, { headers: { etag: tag(there) } })
  }
  if (headers['if-none-match'] === '*' && there !== undefined) return new Response('', { status: 412 })
  if (headers['if-match'] && there === undefined) return new Response('', { status: 404 })
  if (headers['if-match'] && there !== undefined && headers['if-match'] !== tag(there))
    return new Response('', { status: 412 })
  objects.set(path, String(body))
  return next?.() ?? new Response('')
}

const inBucket = () => {
  vi.stubEnv('SEAL_FOLDER', '')
  vi.stubEnv('SEAL_BUCKET', 'sealed')
  for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'eu-central-1')
  sdkByFetch()
  vi.stubGlobal('fetch', s3)
}

beforeEach(() => {
  objects.clear()
  requests.length = 0
  next = null
  sealWorld()
})

it.each([
  ['bucket', inBucket],
  ['folder', () => undefined],
])('puts an object into a %s only if absent, or if it is still the version that was read', async (_where, open) => {
  open()
  const { get, put } = sealStore()
  expect(await get('a/checkpoint')).toBeNull()
  expect(await put('a/checkpoint', 'gone', 'a tag')).toBe(false)
  expect(await put('a/checkpoint', 'one', null)).toBe(true)
  expect(await put('a/checkpoint', 'two', null)).toBe(false)
  const one = await get('a/checkpoint')
  expect(String(one?.content)).toBe('one')
  expect(await put('a/checkpoint', 'two', one?.tag ?? '')).toBe(true)
  expect(await put('a/checkpoint', 'three', one?.tag ?? '')).toBe(false)
  expect(String((await get('a/checkpoint'))?.content)).toBe('two')
  vi.unstubAllGlobals()
})

it('limits retries and the last request to the function timeout', async () => {
  inBucket()
  vi.restoreAllMocks()
  const requestHandler = bucketClient().config.requestHandler as NodeHttpHandler
  // Sends a first request, because the handler resolves its settings only then.
  await expect(requestHandler.handle(new HttpRequest({}), { abortSignal: AbortSignal.abort() })).rejects.toThrow()
  const settings = requestHandler.httpHandlerConfigs()
  expect(settings.throwOnRequestTimeout).toBe(true)
  expect(workTime.retries() + (settings.requestTimeout ?? Number.POSITIVE_INFINITY)).toBeLessThan(29_000)
  vi.unstubAllGlobals()
})

it('puts nothing during a concurrent put of the same object', async () => {
  inBucket()
  next = () => new Response('', { status: 409 })
  expect(await sealStore().put('a/checkpoint', 'one', null)).toBe(false)
  vi.unstubAllGlobals()
})

it('stores files that other users cannot read', async () => {
  const { folder } = sealWorld()
  await sealStore().put('a/checkpoint', 'one', null)
  expect(statSync(join(folder, 'a/checkpoint')).mode & 0o777).toBe(0o600)
  expect(readdirSync(join(folder, 'a'))).toEqual(['checkpoint'])
  expect(await sealStore().put('a/checkpoint', 'two', null)).toBe(false)
  expect(readdirSync(join(folder, 'a'))).toEqual(['checkpoint'])
})

it('uses conditional requests, and retries after a lost response', async () => {
  inBucket()
  const { put } = sealStore()
  next = () => {
    next = null
    return new Response('', { status: 503 })
  }
  // Expects a failed condition, because the retry finds the object that the first request stored. The caller compares the content.
  expect(await put('a/tile/0/000', Buffer.from([1, 255]), null)).toBe(false)
  expect(requests).toEqual(['PUT /a/tile/0/000 *', 'PUT /a/tile/0/000 *'])
  vi.unstubAllGlobals()
})
