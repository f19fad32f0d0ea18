import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadOperations, type OperationSource } from '#functions/operations.ts'
import { bundle, plainFunctions, routeTable } from '#infra/code/bundle.ts'
import { call } from '#test/support/accounts/account.ts'

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
afterAll(() => rm(directory, { recursive: true, force: true }))

const imported = (file: string) => import(pathToFileURL(join(code, file)).href)

/** Caches results by path, because many functions load the same file. */
function once<T>(find: (path: string) => Promise<T>): (path: string) => Promise<T> {
  const found = new Map<string, Promise<T>>()
  return (path) => {
    const cached = found.get(path) ?? find(path)
    found.set(path, cached)
    return cached
  }
}

const readPart = once(async (file) => {
  const text = await readFile(file, 'utf8')
  const paths = [...text.matchAll(/(?:from|import)\s*["'](\.{1,2}\/[^"']+)["']/g)].map(([, path]) => path as string)
  return { text, bytes: Buffer.byteLength(text), imports: paths.map((path) => join(dirname(file), path)) }
})

/** Counts the bytes that a function loads before its first request: its own file and all static imports. */
async function loadedBytes(file: string, seen = new Set<string>()): Promise<number> {
  if (seen.has(file)) return 0
  seen.add(file)
  const { bytes, imports } = await readPart(file)
  const sizes = await Promise.all(imports.map((path) => loadedBytes(path, seen)))
  return sizes.reduce((sum, size) => sum + size, bytes)
}

it('has a handler of every function, which loads without settings', async () => {
  for (const file of files) expect((await imported(file)).handler, file).toBeTypeOf('function')
})

/** Functions whose bundle contains the library that verifies provider responses. */
const verifying = ['sign-in/open-id/complete-sign-in-of-provider.ts', 'sign-in/open-id/complete-sign-in.ts']

/** Functions whose bundle contains the client of S3 and the reader of Parquet files. */
const readsArchive = ['list-logs', 'get-log', 'get-proof', 'get-histogram', 'list-top-values'].map(
  (name) => `api/logs/${name}.ts`,
)

/** Bounds in kilobytes, 10 % above the largest functions, so that code is not reshaped to save a few bytes. */
const maxKilobytes = { operation: 550, archive: 720, verifying: 645 }

function maxKilobytesOf(file: string): number {
  if (readsArchive.includes(file)) return maxKilobytes.archive
  return verifying.includes(file) ? maxKilobytes.verifying : maxKilobytes.operation
}

it('keeps operations within their maximum size', async () => {
  for (const { file } of operations) {
    const loaded = new Set<string>()
    const bytes = await loadedBytes(join(code, file.replace(/\.ts$/, '.mjs')), loaded)
    expect(bytes, file).toBeLessThanOrEqual(maxKilobytesOf(file) * 1024)
    expect(loaded.size, file).toBeLessThanOrEqual(38)
  }
})

it('loads no module of Node that delays the start', async () => {
  const loaded = new Set<string>()
  for (const { file } of operations) await loadedBytes(join(code, file.replace(/\.ts$/, '.mjs')), loaded)
  const parts = await Promise.all([...loaded].map(async (file) => ({ file, text: (await readPart(file)).text })))
  // Expects no static import of a Node module, which would also load the module's lazy exports. `import()` does not load them.
  expect(parts.filter(({ text }) => /\b(?:from|import)\s*["']node:/.test(text)).map(({ file }) => file)).toEqual([])
  const urls = operations.map(({ file }) => pathToFileURL(join(code, file.replace(/\.ts$/, '.mjs'))).href)
  const script = `for (const url of ${JSON.stringify(urls)}) await import(url)
    console.log(JSON.stringify(process.moduleLoadList))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
  const modules: string[] = JSON.parse(stdout)
  expect(modules).toContain('NativeModule https')
  const unwanted = ['http2', 'child_process', 'inspector', 'internal/deps/undici/undici']
  expect(modules.filter((name) => unwanted.includes(name.replace('NativeModule ', '')))).toEqual([])
})

it('excludes the credential provider chain of the SDK', async () => {
  const maps = await Promise.all(
    (await readdir(code)).filter((file) => file.endsWith('.map')).map((file) => readFile(join(code, file), 'utf8')),
  )
  expect(maps.length).toBeGreaterThan(20)
  expect(
    maps.filter((map) => /node_modules\/@aws-sdk\/credential-provider|dist-es\/node-http2-handler/.test(map)),
  ).toEqual([])
})

it('includes the sign-in library only in callbacks of providers', async () => {
  const signing: string[] = []
  for (const file of files) {
    const loaded = new Set<string>()
    await loadedBytes(join(code, file), loaded)
    const parts = await Promise.all([...loaded].map(readPart))
    // Detects the library by one of its error codes, which minifiers keep.
    if (parts.some(({ text }) => text.includes('OAUTH_JWT_CLAIM_COMPARISON_FAILED'))) signing.push(file)
  }
  // Expects the library in the sync schedule too, which uses its low-level API to authenticate to directories.
  expect(signing.sort()).toEqual(['schedules/sync.mjs', ...verifying.map((file) => file.replace(/\.ts$/, '.mjs'))])
})

it('reports an error with files, lines and names of the sources', async () => {
  const event = {
    headers: { authorization: `Bearer naa_${Buffer.alloc(80, 1).toString('base64url')}` },
    requestContext: { http: { method: 'GET', path: '/groups', sourceIp: '192.0.2.1' } },
  }
  // Uses a separate process, because the test runner transforms imports and thus changes the positions in stack traces.
  const file = pathToFileURL(join(code, 'api/groups/list-groups.mjs')).href
  const script = `const { handler } = await import('${file}'); await handler(${JSON.stringify(event)})`
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    env: {
      SIGNING_SECRET: 'none',
      LOG_LEVEL: 'ERROR',
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'none',
      AWS_SECRET_ACCESS_KEY: 'none',
    },
  })
  const { stack } = JSON.parse((await run).stderr)
  const [position = ''] = /shared\/core\/env\.ts:\d+:\d+/.exec(stack) ?? []
  const [source = '', at] = position.split(':')
  expect((await readFile(source, 'utf8')).split('\n')[Number(at) - 1]).toContain(
    'throw new Error(`The environment variable',
  )
  expect(stack).toMatch(/at tableName \(shared\/table\/table\.ts:/)
  expect(stack).not.toContain('.mjs')
})

it('serves an API reference renderer without requests to a CDN', async () => {
  const script = await readFile(join(code, 'public/redoc.standalone.js'), 'utf8')
  expect(script.length).toBeGreaterThan(500_000)
  expect(script).not.toContain('cdn.redoc.ly')
})

it('passes the known routes to the handler of unknown routes', async () => {
  const { handler } = await imported('api/unknown-route.mjs')
  const cached = await call(handler, { method: 'DELETE', path: '/groups' })
  expect([cached.status, cached.headers.allow]).toEqual([405, 'GET, POST'])
  expect((await call(handler, { path: '/nothing' })).status).toBe(404)
})

it('lists both methods of an operation with an alias', () => {
  const [source] = operations
  const two = { ...source, operation: { ...source?.operation, method: 'PATCH', alias: 'PUT', path: '/x/{id}' } }
  const one = { ...source, operation: { ...source?.operation, method: 'GET', alias: undefined, path: '/x/{id}' } }
  expect(routeTable([two, one] as OperationSource[])).toEqual({ '/x/{id}': ['GET', 'PATCH', 'PUT'] })
})
