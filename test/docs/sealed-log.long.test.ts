import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { handler as getLog } from '#functions/api/logs/get-log.ts'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import { handler as sealPub } from '#functions/public/seal-pub.ts'
import { handler as storeFlowLogs } from '#functions/streams/store-flow-logs.ts'
import { flushAccount } from '#shared/archive/flush-account.ts'
import { clock, timestamp } from '#shared/core/clock.ts'
import { call } from '#test/support/accounts/account.ts'
import { flowReport } from '#test/support/logs/flow-account.ts'
import { flowRecord, newFlowGrant } from '#test/support/logs/flows.ts'
import { newSealedAccount } from '#test/support/seal/sealed-account.ts'
import { advanceMinutes, sealNow } from '#test/support/seal/sealing.ts'

const directory = mkdtempSync(join(tmpdir(), 'go-test-'))
const program = join(directory, 'check')

/** Builds the program of the document with fixed versions of its modules. */
function build(): string {
  cpSync(join(import.meta.dirname, 'go'), directory, { recursive: true })
  const [, source = ''] = /^```go\n(.*?)^```$/ms.exec(readFileSync('docs/sealed-log.md', 'utf8')) ?? []
  writeFileSync(join(directory, 'main.go'), source)
  const env = { ...process.env, GOTOOLCHAIN: 'local' }
  if (spawnSync('go', ['mod', 'download'], { cwd: directory, env }).status !== 0) return 'no modules'
  return spawnSync('go', ['build', '-buildvcs=false', '-o', program], { cwd: directory, env, encoding: 'utf8' }).stderr
}

const hasGo = spawnSync('go', ['version']).status === 0
const built = hasGo ? build() : 'no Go'
const isMissing = built.startsWith('no ')
if (isMissing)
  process.stderr.write('There is no Go here, or its modules cannot be downloaded: tlog does not check any proof.\n')
afterAll(() => rmSync(directory, { recursive: true, force: true }))

type Files = { 'entry.json': string; 'proof.json': string; 'seal.pub': string }

/** Runs the program with these files. */
function check(files: Files): { status: number | null; output: string } {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
  const { status, stdout, stderr } = spawnSync(program, { cwd: directory, encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

/** Replaces the first character of the first match by another letter. */
const alter = (text: string, part: RegExp): string =>
  text.replace(part, (match) => `${match.startsWith('A') ? 'B' : 'A'}${match.slice(1)}`)

describe.skipIf(isMissing)('the Go program of docs/sealed-log.md', () => {
  let account: string
  const files: Record<string, Files> = {}

  beforeAll(() => expect(built).toBe(''))

  it('verifies an entry of each type, also a flow in a file of the archive', async () => {
    const sealed = await newSealedAccount()
    const { id } = sealed.account
    account = id
    const { claims } = await newFlowGrant(id)
    const reports = Array.from({ length: 21 }, (_, i) => {
      const report = flowReport(clock.now() - 60_000_000, { end: clock.now(), inner_src_port: i })
      const { closing } = report
      return { ...report, domain: 'wiki "a" <é>', closing: closing && { ...closing, rx_bytes: `${2n ** 63n - 1n}` } }
    })
    await storeFlowLogs({ Records: [flowRecord(claims(), clock.now(), ...(reports as never[]))] })
    for (let i = 0; i < 5; i++) await sealed.changes()
    advanceMinutes(80)
    for (const log of ['changes', 'activity'] as const) await sealNow(id, log)
    await flushAccount(id, Number.POSITIVE_INFINITY)
    await sealNow(id, 'archive')

    const key = (await call(sealPub, { method: 'GET', path: '/seal.pub' })).text
    const end = timestamp(clock.now() - 70 * 60_000_000)
    for (const [type, log] of Object.entries({ change: 'changes', api_request: 'activity', flow: 'archive' })) {
      const { data } = (await sealed.get(listLogs, {}, { type, end, limit: '20' })).body
      const { log_id } = data[Math.floor(data.length / 2)]
      const proof = await sealed.proof(log_id)
      expect(proof.status, proof.text).toBe(200)
      const entry = (await sealed.get(getLog, { log_id })).text
      files[type] = { 'entry.json': entry, 'proof.json': proof.text, 'seal.pub': key }
      const { leaf_index, size } = proof.body.data
      const line = `leaf ${leaf_index} of ${size} of access.example.com/${account}/${log}, signed by access.example.com/seal\n`
      expect(check(files[type])).toEqual({ status: 0, output: line })
    }
    expect(files.flow?.['entry.json']).toContain('"rx_bytes":9223372036854775807')
  })

  it.each([
    ['change', 'entry.json', /[a-z]+(?=","before")/],
    ['api_request', 'entry.json', /(?<="method":")\w/],
    ['flow', 'entry.json', /(?<="domain":"|"inner_domain":")\w/],
    ['change', 'proof.json', /(?<="path":\[")./],
    ['api_request', 'proof.json', /(?<="hour":\{[^}]*"root":")./],
    // A root in the manifest, which is a text in the proof.
    ['flow', 'proof.json', /(?<=\\"root\\":\\")./],
    ['flow', 'proof.json', /(?<="file":\{[^}]*"path":\[")./],
    ['flow', 'proof.json', /(?<="file":\{[^}]*"key":")./],
    ['flow', 'seal.pub', /.(?=.{5}$)/m],
  ] as const)('detects a change to a %s in %s (%s)', (type, name, part) => {
    const original = files[type] as Files
    const altered = { ...original, [name]: alter(original[name], part) }
    expect(altered).not.toEqual(original)
    expect(check(altered).status).toBe(1)
  })
})
