import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { storeHandledPosition } from '#infra/local/lambda/checkpoints.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'handled-test-'))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(dir, { recursive: true, force: true })
})

const at = (position: string | undefined) => ({ get: () => position, store: () => undefined })
const note = (...positions: (string | undefined)[]) => storeHandledPosition(dir, 'table', 'shard', positions.map(at))

it('notes the consumer that is furthest behind', () => {
  note('10', '9', '11')
  expect(JSON.parse(readFileSync(join(dir, 'stream-handled.json'), 'utf8'))).toEqual({ table: 'table', before: '9' })
  note('10', undefined)
  expect(JSON.parse(readFileSync(join(dir, 'stream-handled.json'), 'utf8'))).toMatchObject({ before: '0' })
})

it('tells of a note that cannot be written, leaves no half of it, and lets the service work on', () => {
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  // Creates a directory at the file's path, so that writing fails as on a full disk.
  mkdirSync(join(dir, 'stream-handled.json', 'in the way'), { recursive: true })
  expect(() => note('10')).not.toThrow()
  expect(stderr.mock.calls.join()).toContain(`${join(dir, 'stream-handled.json')} was not written`)
  expect(readdirSync(dir)).toEqual(['stream-handled.json'])
})
