import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { exportLog } from '#infra/commands/export/export-log.ts'
import { LogClient } from '#infra/commands/export/log-client.ts'
import { holdExport } from '#infra/commands/export/resume-export.ts'
import { microsOf } from '#shared/core/clock.ts'

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'hold-test-'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const unreachable = new LogClient('http://127.0.0.1:1', 'none')
const changes = { type: 'change', begin: 0, end: microsOf('2026-11-22T00:00:00Z') } as const

it('allows one export at a time to write a file', async () => {
  const out = join(dir, 'october.ndjson')
  const lock = holdExport(out)
  await expect(exportLog(unreachable, { ...changes, out })).rejects.toThrow(
    `Another export is writing ${out}. Wait until it ends, or choose another --out.`,
  )
  const other = holdExport(join(dir, 'november.ndjson'))
  other.release()
  lock.release()
  holdExport(out).release()
  expect(existsSync(`${out}.lock`)).toBe(false)
})

it('releases the file of a failed export', async () => {
  const out = join(dir, 'broken.ndjson')
  await expect(exportLog(unreachable, { ...changes, out })).rejects.toThrow()
  expect(existsSync(`${out}.lock`)).toBe(false)
  holdExport(out).release()
})

it('reports a missing folder', () => {
  expect(() => holdExport(join(dir, 'none', 'october.ndjson'))).toThrow(/ENOENT/)
})
