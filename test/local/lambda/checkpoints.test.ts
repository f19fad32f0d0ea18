import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readJson } from '#infra/local/files/data-dir.ts'
import { openCheckpoint, storeHandledPosition } from '#infra/local/lambda/checkpoints.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'checkpoints-test-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const storedPosition = () => openCheckpoint(dir, 'consumer').get('one')

it('writes its file at most once a second, and the last position on request', () => {
  const checkpoint = openCheckpoint(dir, 'consumer')
  const start = performance.now()
  const contents = new Set<string>()
  for (let n = 1; n <= 200; n++) {
    checkpoint.set('one', String(n))
    contents.add(readFileSync(checkpoint.path, 'utf8'))
  }
  expect(contents.size).toBeLessThanOrEqual(1 + (performance.now() - start) / 1_000)
  expect(checkpoint.get('one')).toBe('200')
  checkpoint.store()
  expect(storedPosition()).toBe('200')
})

it('reports a position that it cannot write, and stores it later', () => {
  const checkpoint = openCheckpoint(dir, 'consumer')
  // Creates a directory at the file's path, so that writing fails as on a full disk.
  mkdirSync(join(checkpoint.path, 'in the way'), { recursive: true })
  expect(() => checkpoint.set('one', '1')).toThrow(checkpoint.path)
  expect(() => checkpoint.store()).toThrow(checkpoint.path)
  rmSync(checkpoint.path, { recursive: true })
  checkpoint.store()
  expect(storedPosition()).toBe('1')
})

it('stores a checkpoint before the next start may remove the records before it', () => {
  const checkpoint = openCheckpoint(dir, 'consumer')
  checkpoint.set('one', '1')
  checkpoint.set('one', '2')
  expect(storedPosition()).toBe('1')
  storeHandledPosition(dir, 'table', 'one', [checkpoint])
  expect(storedPosition()).toBe('2')
  expect(readJson(join(dir, 'stream-handled.json'))).toEqual({ table: 'table', before: '2' })
})
