import { execFile, spawnSync } from 'node:child_process'
import {
  closeSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { canonicalJson } from '#shared/seal/log/canonical-json.ts'
import { runLocal, type Service, startService } from '#test/support/service/service.ts'

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

/** Runs the verifier file in a folder that has no other file of the service. */
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
  expect((await runLocal('build:verifier', [join(dir, 'verify-export.mjs')])).code).toBe(0)
  expect((await runLocal('seal', [], variables)).code).toBe(0)
  const { code, stdout, stderr } = await runLocal('export', ['--out', file], variables)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain('up to the newest checkpoint. Entries of the last five minutes may be missing.')
  const key = (await (await fetch(`${service.baseUrl}/seal.pub`)).text()).trim()
  const verified = await verifier(file, '--key', key)
  expect(verified).toMatchObject({ code: 0, stdout: expect.stringMatching(/^OK: \d+ change entries .*\n$/) })
  const lines = readFileSync(file, 'utf8').split('\n')
  const second = JSON.parse(lines[1] ?? '')
  expect(verified.stdout).toMatch(
    /complete from 1970-01-01T00:00:00.000000Z to the last entry that the checkpoint covers/,
  )
  writeFileSync(file, lines.with(1, (lines[1] ?? '').replace(/^\{/, '{"after":{"name":"LIE"},')).join('\n'))
  expect(await verifier(file, '--key', key)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('line 2: is not in'),
  })
  writeFileSync(file, lines.with(1, canonicalJson({ ...second, operation: 'delete' })).join('\n'))
  const refuted = await verifier(file, '--key', key)
  expect(refuted.code).toBe(1)
  expect(refuted.stdout).toContain(`line 2, log_id ${second.log_id}`)
  const full = openSync('/dev/full', 'w')
  expect(
    spawnSync(process.execPath, [join(dir, 'verify-export.mjs'), file], { stdio: ['ignore', full, 'pipe'] }),
  ).toMatchObject({ status: 2, stderr: Buffer.alloc(0) })
  closeSync(full)
  expect((await verifier()).code).toBe(2)
  expect(await verifier(file, '--kay', key)).toMatchObject({ code: 2, stdout: expect.stringContaining("'--kay'. ") })
  const note = JSON.parse(lines.at(-2) ?? '').note as string
  writeFileSync(file, lines.join('\n'))
  expect((await verifier(file, '--key', key, '--against', note)).code).toBe(0)
  const large = join(dir, 'large.ndjson')
  writeFileSync(large, lines.with(0, '{')[0] ?? '')
  truncateSync(large, 600 * 2 ** 20)
  writeFileSync(large, `\n${lines.at(-2)}\n`, { flag: 'a' })
  const unchecked: [string, string][] = [
    [join(dir, 'nothing'), 'cannot be read'],
    [large, 'Line 1 is longer than'],
    [dir, 'is not a file'],
  ]
  for (const [path, message] of unchecked) {
    const expected = { code: 2, stdout: expect.stringMatching(new RegExp(`^NOT VERIFIED: .*${message}`)) }
    expect(await verifier(path, '--key', key)).toMatchObject(expected)
    expect(await verifier(file, '--key', key, '--against', path)).toMatchObject(expected)
  }
})

it('reports a fault of an export in one line, before it writes anything', async () => {
  const file = join(dir, 'refused.ndjson')
  const missing = join(dir, 'missing')
  const kept = join(dir, 'kept.txt')
  writeFileSync(kept, 'not an export')
  const faults: [string[], string][] = [
    [['--out', file, '--against', missing], `--against: ${missing} cannot be read.`],
    [['--out', file, '--against', kept], '--against: A note must be a text, an empty line, and signatures.'],
    [['--out', file, '--base-url', 'nonsense'], '--base-url must be an address like https://access.example.com, not'],
    [['--out', join(missing, 'a.ndjson')], 'The export cannot be written: ENOENT'],
    [['--out', kept], `${kept} already exists and is not an interrupted export of change.`],
    [['--out', dir], `${dir} is not a file.`],
    [['--out', file, '--type', 'changes'], '--type must be change, session or api_request, not changes.'],
    [['--typ', 'change'], "Unknown option '--typ'"],
    [[], '--out is missing'],
  ]
  for (const [args, message] of faults) {
    const { code, stderr } = await runLocal('export', args, { DATA_DIR: service.dataDir })
    expect([code, stderr.split('\n')]).toEqual([1, [expect.stringContaining(message), '']])
  }
  expect([existsSync(file), readFileSync(kept, 'utf8')]).toEqual([false, 'not an export'])
})

/** Creates a group, waits for its log entry, and seals. Returns the number of added leaves. */
async function sealGroup(of: Service, name: string): Promise<number> {
  const headers = { authorization: `Bearer ${of.credentials.api_token}`, 'content-type': 'application/json' }
  const ask = async (path: string) =>
    ((await (await fetch(`${of.baseUrl}${path}`, { headers })).json()) as { data: never }).data
  const size = async () => ((await ask('/logs/checkpoints/changes')) as { size: number }).size
  const before = await size()
  const body = JSON.stringify({ group: { name } })
  expect((await fetch(`${of.baseUrl}/groups`, { method: 'POST', headers, body })).status).toBe(201)
  await vi.waitFor(
    async () => {
      expect(await ask('/logs?type=change&limit=1')).toMatchObject([{ after: { name } }])
    },
    { timeout: 20_000, interval: 200 },
  )
  expect((await runLocal('seal', [], { DATA_DIR: of.dataDir })).code).toBe(0)
  return (await size()) - before
}

it('begins a successor log in a copy of the data directory, next to the sealed one (docs/runbooks/seal-stopped.md)', async () => {
  const exported = async (of: Service, name: string) => {
    const file = join(dir, name)
    expect((await runLocal('export', ['--out', file], { DATA_DIR: of.dataDir })).code).toBe(0)
    return file
  }
  const shared = await exported(service, 'shared.ndjson')
  const key = (await (await fetch(`${service.baseUrl}/seal.pub`)).text()).trim()
  await service.kill9()
  const copy = join(dir, 'restored')
  await vi.waitFor(() => cpSync(service.dataDir, copy, { recursive: true }), 20_000)
  await service.restart()
  expect(await sealGroup(service, 'Lost')).toBe(1)
  const lost = await exported(service, 'lost.ndjson')
  const port = Number(new URL(service.baseUrl).port)
  await service.kill9()
  // Copies the sealed log, which is stored in files and not in the table.
  cpSync(join(service.dataDir, 'seal'), join(copy, 'seal'), { recursive: true })
  const restored = await startService({ dataDir: copy, port })
  try {
    expect(await sealGroup(restored, 'Kept')).toBe(0)
    expect(restored.output()).toMatch(/seal_stopped .*problem=diverged/)
    const event = JSON.stringify({ account_id: restored.credentials.account_id })
    const begun = await runLocal('begin-sealed-log', [event], { DATA_DIR: copy })
    expect([begun.code, JSON.parse(begun.stdout).data.changes.origin]).toEqual([
      0,
      expect.stringMatching(/changes\.2$/),
    ])
    expect((await runLocal('begin-sealed-log', ['{}'], { DATA_DIR: copy })).code).toBe(1)
    const file = await exported(restored, 'restored.ndjson')
    expect(await verifier(file, '--key', key)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /changes\.2, complete from .*; it follows \S+changes with \d+ leaves and has the first \d+ of them/,
      ),
    })
    expect(await verifier(file, '--key', key, '--against', shared)).toMatchObject({ code: 0 })
    expect(await verifier(file, '--key', key, '--against', lost)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('RESTARTED'),
    })
    expect(await verifier(lost, '--key', key, '--against', shared)).toMatchObject({ code: 0 })
  } finally {
    await restored.stop()
  }
}, 180_000)
