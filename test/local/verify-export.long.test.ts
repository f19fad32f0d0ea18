import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runLocal, type Service, startService } from '#test/support/service.ts'

let service: Service
let dir: string
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'export-test-'))
  service = await startService()
})
afterAll(async () => {
  await service.stop()
  rmSync(dir, { recursive: true, force: true })
})

/** Runs the one file alone, where nothing else of the service is. */
const verifier = (...args: string[]) =>
  new Promise<{ code: number; stdout: string }>((resolve) => {
    const file = join(dir, 'verify-export.mjs')
    execFile(process.execPath, [file, ...args], { cwd: dir, env: {} }, (error, stdout) =>
      resolve({ code: Number(error?.code ?? 0), stdout }),
    )
  })

it('exports over HTTP, and verifies with one file by its exit code', async () => {
  const variables = { DATA_DIR: service.dataDir }
  const file = join(dir, 'audit.ndjson')
  expect((await runLocal('build-verifier.ts', [join(dir, 'verify-export.mjs')])).code).toBe(0)
  expect((await runLocal('seal.ts', [], variables)).code).toBe(0)
  const { code, stderr } = await runLocal('export.ts', ['--out', file], variables)
  expect([code, stderr]).toEqual([0, ''])
  const key = (await (await fetch(`${service.baseUrl}/seal.pub`)).text()).trim()
  const verified = await verifier(file, '--key', key)
  expect(verified).toMatchObject({ code: 0, stdout: expect.stringMatching(/^OK: \d+ change entries .*\n$/) })
  const lines = readFileSync(file, 'utf8').split('\n')
  const second = JSON.parse(lines[1] ?? '')
  writeFileSync(file, lines.with(1, JSON.stringify({ ...second, operation: 'delete' })).join('\n'))
  const refuted = await verifier(file, '--key', key)
  expect(refuted.code).toBe(1)
  expect(refuted.stdout).toContain(`line 2, log_id ${second.log_id}`)
  expect((await verifier(join(dir, 'nothing'))).code).toBe(2)
  expect((await verifier()).code).toBe(2)
})
