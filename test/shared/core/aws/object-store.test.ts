import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HttpRequest } from '@smithy/core/protocols'
import type { NodeHttpHandler } from '@smithy/node-http-handler'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { archiveStore, sealStore } from '#shared/core/aws/object-store.ts'
import { s3 } from '#shared/core/aws/s3.ts'
import { workTime } from '#shared/core/work/work.ts'
import { MemoryBucket } from '#test/support/service/memory-bucket.ts'
import { objectStoreCases } from '#test/support/service/object-store-cases.ts'

function inFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'object-store-'))
  vi.stubEnv('SEAL_FOLDER', folder)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true })
  })
  return folder
}

function inBucket(): MemoryBucket {
  vi.stubEnv('SEAL_FOLDER', '')
  vi.stubEnv('SEAL_BUCKET', 'sealed')
  onTestFinished(() => {
    vi.unstubAllEnvs()
    vi.unstubAllGlobals()
    vi.restoreAllMocks()
  })
  return new MemoryBucket()
}

describe.each([
  ['bucket', inBucket],
  ['folder', inFolder],
])('a %s', (_where, open) => {
  it.each(objectStoreCases)('%s', async (_title, run) => {
    open()
    await run(sealStore())
  })
})

it('separates the sealed logs from the archive', async () => {
  const folder = inFolder()
  vi.stubEnv('ARCHIVE_FOLDER', join(folder, 'archive'))
  await archiveStore().put('a/file', 'one', null)
  expect(await sealStore().get('a/file')).toBeNull()
  expect(await sealStore().get('archive/a/file')).not.toBeNull()
  vi.stubEnv('ARCHIVE_FOLDER', '')
  vi.stubEnv('ARCHIVE_BUCKET', '')
  expect(archiveStore).toThrow('ARCHIVE_BUCKET')
})

it('limits retries and the last request to the function timeout', async () => {
  inBucket()
  vi.restoreAllMocks()
  const requestHandler = s3().config.requestHandler as NodeHttpHandler
  // Sends a first request, because the handler resolves its settings only then.
  await expect(requestHandler.handle(new HttpRequest({}), { abortSignal: AbortSignal.abort() })).rejects.toThrow()
  const settings = requestHandler.httpHandlerConfigs()
  expect(settings.throwOnRequestTimeout).toBe(true)
  expect(workTime.retries() + (settings.requestTimeout ?? Number.POSITIVE_INFINITY)).toBeLessThan(29_000)
})

it('puts nothing during a concurrent put of the same object', async () => {
  inBucket().nextResponse = () => new Response('', { status: 409 })
  expect(await sealStore().put('a/checkpoint', 'one', null)).toBe(false)
})

it('stores files that other users cannot read', async () => {
  const folder = inFolder()
  await sealStore().put('a/checkpoint', 'one', null)
  expect(statSync(join(folder, 'a/checkpoint')).mode & 0o777).toBe(0o600)
  expect(readdirSync(join(folder, 'a'))).toEqual(['checkpoint'])
  expect(await sealStore().put('a/checkpoint', 'two', null)).toBe(false)
  expect(readdirSync(join(folder, 'a'))).toEqual(['checkpoint'])
})

it('lists no file that a terminated process has not finished', async () => {
  const folder = inFolder()
  await sealStore().put('a/file', 'one', null)
  writeFileSync(join(folder, 'a/other.0190.tmp'), 'half')
  expect(await Array.fromAsync(sealStore().list('a/'))).toEqual([{ path: 'a/file', size: 3 }])
})

it('uses conditional requests, and retries after a lost response', async () => {
  const bucket = inBucket()
  bucket.nextResponse = () => {
    bucket.nextResponse = null
    return new Response('', { status: 503 })
  }
  // Expects a failed condition, because the retry finds the object that the first request stored. The caller compares the content.
  expect(await sealStore().put('a/tile/0/000', Buffer.from([1, 255]), null)).toBe(false)
  expect(bucket.requests).toEqual(['PUT /a/tile/0/000 *', 'PUT /a/tile/0/000 *'])
})

it('reports an object that cannot be deleted, and stops without time', async () => {
  const bucket = inBucket()
  for (const name of ['1', '2', '3']) await sealStore().put(`a/${name}`, 'one', null)
  expect(await sealStore().deleteFolder('a/', () => false)).toBe(false)
  expect(bucket.objects.size).toBe(3)
  bucket.undeletable.add('a/2')
  await expect(sealStore().deleteFolder('a/', () => true)).rejects.toMatchObject({ name: 'AccessDenied' })
  expect([...bucket.objects.keys()]).toEqual(['a/2', 'a/3'])
})
