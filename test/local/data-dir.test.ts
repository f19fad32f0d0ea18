import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isDataDir } from '#infra/local/secret-file.ts'

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'data-dir-test-'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

it('knows a data directory by its secret', () => {
  const [begun, empty] = [join(dir, 'begun'), join(dir, 'empty')]
  for (const one of [begun, empty]) mkdirSync(one)
  writeFileSync(join(begun, 'service-secret'), 'secret')
  expect([begun, empty, join(dir, 'nowhere')].map(isDataDir)).toEqual([true, false, false])
})

it('takes what cannot be looked into for one, so that opening it says why', () => {
  const file = join(dir, 'file')
  writeFileSync(file, '')
  expect(isDataDir(file)).toBe(true)
  const closed = join(dir, 'closed')
  mkdirSync(closed)
  chmodSync(closed, 0)
  // Root looks into everything.
  expect(isDataDir(closed)).toBe(process.getuid?.() !== 0)
  chmodSync(closed, 0o700)
})
