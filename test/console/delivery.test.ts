import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { styleHashes } from '#functions/public/console.ts'
import { buildConsole, type ConsoleFiles, writeConsole } from '#infra/code/console-files.ts'

const kilobyte = 1024

/** Bounds of K10.3: kilobytes after `gzip -9`, and files. */
const maxFirst = { kilobytes: 230, files: 6 }
const maxChunk = 110
const maxTotal = 480

let folder: string
let built: ConsoleFiles
// biome-ignore lint/suspicious/noExplicitAny: the handler of the built module
let handler: any

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'console-test-'))
  built = await buildConsole()
  await writeConsole(join(folder, 'console'))
  const file = join(folder, 'console.mjs')
  const entry = fileURLToPath(new URL('../../functions/public/console.ts', import.meta.url))
  await build({
    entryPoints: [entry],
    outfile: file,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
    banner: { js: `import { createRequire } from 'node:module';const require = createRequire(import.meta.url);` },
  })
  handler = (await import(pathToFileURL(file).href)).handler
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const get = (rawPath: string, headers: Record<string, string> = {}) =>
  handler({
    rawPath,
    routeKey: 'GET /console/{path+}',
    headers,
    requestContext: { http: { method: 'GET', sourceIp: '192.0.2.1' } },
  })

const kilobytesOf = (name: string): number => gzipSync(built.files.get(name) ?? '', { level: 9 }).length / kilobyte

it('keeps the budget of bytes and files (K10.3)', () => {
  const names = [...built.files.keys()]
  const sum = (some: string[]) => some.reduce((total, name) => total + kilobytesOf(name), 0)
  expect(built.first.length).toBeLessThanOrEqual(maxFirst.files)
  expect(sum(built.first)).toBeLessThanOrEqual(maxFirst.kilobytes)
  expect(sum(names)).toBeLessThanOrEqual(maxTotal)
  for (const name of names.filter((one) => !built.first.includes(one)))
    expect(kilobytesOf(name), name).toBeLessThanOrEqual(maxChunk)
})

it('has no texts of react-aria in other languages', () => {
  const text = [...built.files.values()].map((bytes) => Buffer.from(bytes).toString()).join('')
  expect(text).not.toContain('Auswahl')
})

const hashOf = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`

/** Reads the style element of Plot, whose class is constant, from the installed version. */
async function plotStyle(): Promise<string> {
  const read = (file: string) => readFile(new URL(file, import.meta.resolve('@observablehq/plot')), 'utf8')
  const [source, names] = [await read('plot.js'), await read('style.js')]
  const [, name = ''] = /if \(name === undefined\) return "([^"]+)"/.exec(names) ?? []
  const [, text = ''] = /append\("style"\)\.text\(\s*`([^`]+)`/.exec(source) ?? []
  return text.replace(/\$\{className\}/g, name)
}

it('allows exactly the style elements that react-aria and Plot insert (K4.1)', async () => {
  const file = '../../../react-aria/dist/private/interactions/usePress.mjs'
  const source = await readFile(new URL(file, import.meta.resolve('react-aria-components')), 'utf8')
  const [, attribute = ''] = /PRESSABLE_ATTRIBUTE = '([^']+)'/.exec(source) ?? []
  const [, css = ''] = /style\.textContent = `([^`]+)`/.exec(source) ?? []
  const text = css.replace(/\$\{[^}]+\}/, attribute).trim()
  expect(styleHashes).toEqual([hashOf(text), hashOf(await plotStyle())])
})

it('serves the page at every path, with its headers and an entity tag (K2.3, K4.1)', async () => {
  const page = await get('/console/demo/groups', { 'accept-encoding': 'br' })
  expect(page).toMatchObject({ statusCode: 200, headers: { 'cache-control': 'no-cache', 'content-encoding': 'br' } })
  const text = brotliDecompressSync(Buffer.from(page.body, 'base64')).toString()
  expect(text).toBe(built.page)
  for (const name of built.first) expect(text).toContain(`/console/_/${name}`)
  const policy = page.headers['content-security-policy']
  for (const directive of [
    "default-src 'none'",
    "script-src 'self'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ])
    expect(policy).toContain(directive)
  expect(page.headers).toMatchObject({ 'cross-origin-opener-policy': 'same-origin', 'referrer-policy': 'no-referrer' })
  expect(await get('/console', { 'accept-encoding': 'br', 'if-none-match': page.headers.etag })).toMatchObject({
    statusCode: 304,
  })
})

it('serves files that never change, and 404 for a missing one', async () => {
  const [name = ''] = built.first
  const file = await get(`/console/_/${name}`, { 'accept-encoding': 'gzip' })
  expect(file.headers).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-type': 'text/javascript; charset=utf-8',
    'x-content-type-options': 'nosniff',
  })
  expect(gunzipSync(Buffer.from(file.body, 'base64'))).toEqual(Buffer.from(built.files.get(name) ?? ''))
  const plain = await get(`/console/_/${name}`)
  expect(Buffer.from(plain.body, 'base64')).toEqual(Buffer.from(built.files.get(name) ?? ''))
  for (const path of ['/console/_/none-ABC.js', '/console/_/', '/console/_/../console.mjs', '/console/_/page.html'])
    expect(await get(path), path).toMatchObject({ statusCode: 404 })
})
