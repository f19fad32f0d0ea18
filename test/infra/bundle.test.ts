import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { loadOperations, type OperationSource } from '#functions/operations.ts'
import { buildApp } from '#infra/build-app.ts'
import { bundle, plainFunctions, routeTable } from '#infra/bundle.ts'
import { call } from '#test/support/account.ts'
import { catchLog } from '#test/support/log-lines.ts'

let directory: string
let code: string
let operations: OperationSource[]
let files: string[]

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bundle-test-'))
  code = join(directory, 'code')
  operations = await loadOperations()
  files = [...operations.map(({ file }) => file), ...(await plainFunctions())].map((file) =>
    file.replace(/\.ts$/, '.mjs'),
  )
  await bundle(operations, code)
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const imported = (file: string) => import(pathToFileURL(join(code, file)).href)

/** The bytes that a function loads before its first request: its file and what that imports. */
async function loadedBytes(file: string, seen = new Set<string>()): Promise<number> {
  if (seen.has(file)) return 0
  seen.add(file)
  const text = await readFile(file, 'utf8')
  const imports = [...text.matchAll(/(?:from|import)\s*["'](\.{1,2}\/[^"']+)["']/g)].map(([, path]) => path as string)
  const sizes = await Promise.all(imports.map((path) => loadedBytes(join(dirname(file), path), seen)))
  return sizes.reduce((sum, size) => sum + size, Buffer.byteLength(text))
}

it('makes a handler of every function, which loads without settings', async () => {
  for (const file of files) expect((await imported(file)).handler, file).toBeTypeOf('function')
})

// The logger is 21 KB of it.
it('loads at most 380 KB for a read', async () => {
  const reads = operations.filter(({ operation }) => operation.method === 'GET')
  const sizes = await Promise.all(
    reads.map(async ({ file }) => ({ file, bytes: await loadedBytes(join(code, file.replace(/\.ts$/, '.mjs'))) })),
  )
  for (const { file, bytes } of sizes) expect(bytes, file).toBeLessThanOrEqual(380 * 1024)
})

it('tells of an error by the files, lines and names of the sources', async () => {
  vi.stubEnv('SERVICE_SECRET', 'none')
  vi.stubEnv('TABLE_NAME', '')
  const log = catchLog('ERROR')
  const { handler } = await imported('api/groups/list-groups.mjs')
  const token = `naa_${Buffer.alloc(80, 1).toString('base64url')}`
  expect((await call(handler, { token })).status).toBe(500)
  const [line] = log.lines()
  expect(line?.stack).toContain('shared/core/env.ts')
  const [place] = /shared\/core\/env\.ts:\d+:\d+/.exec(String(line?.stack)) ?? []
  const [file = '', at] = place?.split(':') ?? []
  expect((await readFile(file, 'utf8')).split('\n')[Number(at) - 1]).toContain(
    'throw new Error(`The environment variable',
  )
  expect(line?.stack).toMatch(/at tableName \(shared\/table\/client\.ts:/)
  expect(line?.stack).not.toContain('.mjs')
})

it('tells the handler of unknown routes the routes there are', async () => {
  const { handler } = await imported('api/unknown-route.mjs')
  const known = await call(handler, { method: 'DELETE', path: '/groups' })
  expect([known.status, known.headers.allow]).toEqual([405, 'GET, POST'])
  expect((await call(handler, { path: '/nothing' })).status).toBe(404)
})

it('lists both methods of an operation with an alias', () => {
  const [source] = operations
  const two = { ...source, operation: { ...source?.operation, method: 'PATCH', alias: 'PUT', path: '/x/{id}' } }
  const one = { ...source, operation: { ...source?.operation, method: 'GET', alias: undefined, path: '/x/{id}' } }
  expect(routeTable([two, one] as OperationSource[])).toEqual({ '/x/{id}': ['GET', 'PATCH', 'PUT'] })
})

it('makes the same templates of the same code, wherever it is bundled', async () => {
  const templates = async (name: string) => {
    const assembly = (await buildApp({ outdir: join(directory, name) })).synth()
    return assembly.stacks.map(({ template }) => template)
  }
  expect(await templates('first')).toEqual(await templates('second'))
})
