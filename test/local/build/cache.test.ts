import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { install, openCache, removeUnused, reserve } from '#infra/local/build/cache.ts'

let cache: string

beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'cache-test-'))
})

afterEach(() => rmSync(cache, { recursive: true, force: true }))

/** Builds a folder with two files and moves it into place. */
function installed(name: string, text = 'text'): string {
  const built = mkdtempSync(join(cache, `${name}.`))
  mkdirSync(join(built, 'inner'))
  writeFileSync(join(built, 'inner/file.mjs'), text)
  writeFileSync(join(built, 'other.mjs'), text)
  install(built, join(cache, name))
  return join(cache, name)
}

it('reserves a folder only after it was moved into place', () => {
  expect(reserve(join(cache, 'server-1'))).toBe(false)
  expect(reserve(installed('server-1'))).toBe(true)
})

it.each([
  ['a deleted file', (folder: string) => rmSync(join(folder, 'inner/file.mjs'))],
  ['a truncated file', (folder: string) => truncateSync(join(folder, 'other.mjs'), 1)],
  ['a truncated manifest', (folder: string) => truncateSync(join(folder, 'manifest.json'), 9)],
  ['a damaged lock', (folder: string) => writeFileSync(join(folder, 'lock'), 'x'.repeat(1_000))],
  ['a deleted manifest', (folder: string) => rmSync(join(folder, 'manifest.json'))],
])('detects %s, and replaces the folder', (_, damage) => {
  const folder = installed('server-1')
  damage(folder)
  expect(reserve(folder)).toBe(false)
  installed('server-1', 'new text')
  expect(reserve(folder)).toBe(true)
  expect(readFileSync(join(folder, 'inner/file.mjs'), 'utf8')).toBe('new text')
  expect(readdirSync(cache)).toEqual(['server-1'])
})

it('keeps the folder that another process has put in place first', () => {
  const folder = installed('server-1', 'first')
  expect(reserve(folder)).toBe(true)
  installed('server-1', 'later')
  expect(readFileSync(join(folder, 'other.mjs'), 'utf8')).toBe('first')
  expect(readdirSync(cache)).toEqual(['server-1'])
})

it('removes old folders except those in use and the six that were used last', () => {
  const age = (folder: string, minutes: number) => utimesSync(folder, 0, Date.now() / 1_000 - minutes * 60)
  for (let minutes = 2; minutes < 12; minutes++) age(installed(`server-${minutes}`), minutes)
  const running = join(cache, 'server-11')
  expect(reserve(running)).toBe(true)
  age(running, 11)
  const interrupted = mkdtempSync(join(cache, 'functions-1.'))
  age(interrupted, 20)
  removeUnused(cache)
  expect(readdirSync(cache).sort()).toEqual(['server-11', ...[2, 3, 4, 5, 6, 7].map((minutes) => `server-${minutes}`)])
})

it('keeps folders of the last minute, because another process may still build them', () => {
  for (let i = 0; i < 10; i++) mkdtempSync(join(cache, 'functions-1.'))
  removeUnused(cache)
  expect(readdirSync(cache)).toHaveLength(10)
})

it('is in the data directory, with a link to the packages, if their folder cannot be written', () => {
  const packages = join(cache, 'node_modules')
  mkdirSync(join(packages, 'kinesalite'), { recursive: true })
  expect(openCache(join(cache, 'data'), packages)).toBe(join(packages, '.cache/network-access'))
  rmSync(join(packages, '.cache'), { recursive: true })
  writeFileSync(join(packages, '.cache'), '')
  for (let i = 0; i < 2; i++) expect(openCache(join(cache, 'data'), packages)).toBe(join(cache, 'data/cache'))
  expect(existsSync(join(cache, 'data/cache/node_modules/kinesalite'))).toBe(true)
})
