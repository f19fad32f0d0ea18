import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { claimDataDir, closeDataDir, recordStopping } from '#infra/local/files/data-dir.ts'
import { isDataDir } from '#infra/local/secret-file.ts'

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'data-dir-test-'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

it('recognizes a data directory by its secret', () => {
  const [used, empty] = [join(dir, 'begun'), join(dir, 'empty')]
  for (const one of [used, empty]) mkdirSync(one)
  writeFileSync(join(used, 'secret-key'), 'secret')
  expect([used, empty, join(dir, 'nowhere')].map(isDataDir)).toEqual([true, false, false])
})

it('accepts an unreadable path, so that opening it reports the reason', () => {
  const file = join(dir, 'file')
  writeFileSync(file, '')
  expect(isDataDir(file)).toBe(true)
  const closed = join(dir, 'closed')
  mkdirSync(closed)
  chmodSync(closed, 0)
  // Expects a different result for root, who can read every directory.
  expect(isDataDir(closed)).toBe(process.getuid?.() !== 0)
  chmodSync(closed, 0o700)
})

it('is claimed by one service at a time, and by the next one after the first has ended', async () => {
  const path = join(dir, 'claimed')
  const first = await claimDataDir(path)
  await expect(claimDataDir(path)).rejects.toThrow(`Another service (process ${process.pid}) already uses`)
  recordStopping(first)
  let claimed = false
  const next = claimDataDir(path).then((second) => {
    claimed = true
    return second
  })
  await sleep(120)
  expect(claimed).toBe(false)
  closeDataDir(first)
  closeDataDir(await next)
})

it('is claimed after a service that has removed its record but still holds the lock', async () => {
  const path = join(dir, 'closing')
  const first = await claimDataDir(path)
  rmSync(join(path, 'service.pid'))
  const next = claimDataDir(path)
  closeDataDir(first)
  closeDataDir(await next)
  expect(await claimDataDir(path)).toMatchObject({ path })
})
