import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type Flow, Ledger, openReporters, readLog, report } from '#test/support/service/reporters.ts'
import { runLocal, type Service, startService } from '#test/support/service/service.ts'

/**
 * Copies of the data directory of a busy service. Each copy corresponds to a table that AWS restored to a point in time
 * (docs/runbooks/restore.md).
 */

const copies: string[] = []
const newCopy = () => {
  const copy = mkdtempSync(join(tmpdir(), 'restore-test-'))
  copies.push(copy)
  return copy
}

/** Index of the last complete copy. */
let whole = 0
const original = () => copies[whole] as string

let service: Service
/** Service that callers use: the original one first, and later the service that runs on a copy. */
let running: Service
const whoever = new Proxy({} as Service, { get: (_, name) => Reflect.get(running, name) })
let accountId: string
let call: Awaited<ReturnType<typeof openReporters>>['call']
const ledger = new Ledger()
const created: string[] = []
let provider = ''
let instant = ''
/** Token that expires after the copy is made and before the copy is checked. `at` is the expiry in milliseconds since 1970. */
let ended = { token: '', at: 0 }

beforeAll(async () => {
  service = await startService()
  running = service
  const opened = await openReporters(whoever, 2)
  accountId = opened.accountId
  call = opened.call
  const fields = { type: 'mdm', name: 'Fleet', subdomain: 'company', region: 'eu', api_token: 'inventory-token-0123' }
  provider = (await call('POST', '/mdm_posture_providers', { mdm_posture_provider: fields })).body.data.id
  let over = false
  const isOver = () => over
  const streams = opened.reporters.map(async (reporter) => {
    let before: Flow[] = []
    while (!over) {
      const { opened: fresh, reports } = ledger.batch(10, before)
      if (await report(call, reporter, reports, isOver)) ledger.acknowledge(reporter, fresh, before)
      before = fresh
      await sleep(20)
    }
  })
  const administrators = [1, 2].map(async (n) => {
    for (let i = 0; !over; i++) {
      const reply = await call('POST', '/groups', { group: { name: `Group ${n}-${i}` } }).catch(() => null)
      if (reply?.status === 201) created.push(reply.body.data.id)
      else await sleep(20)
    }
  })
  await vi.waitFor(() => expect(created.length > 30 && ledger.flows.size > 100).toBe(true), 60_000)
  // Leaves enough time to create the token on a busy machine.
  const at = Date.now() + 15_000
  const client = await call('POST', '/actors', { actor: { type: 'api_client', name: 'Pipeline' } })
  const ending = { name: 'Ends', expires_at: new Date(at).toISOString() }
  const token = await call('POST', `/actors/${client.body.data.id}/api_tokens`, { api_token: ending })
  expect(token.status).toBe(201)
  ended = { token: token.body.data.token, at }
  // Records the time of the copy, and kills all processes while they are working.
  instant = new Date().toISOString()
  await service.kill9()
  over = true
  await Promise.all([...streams, ...administrators])
  // Retries the copy, because the engines exit a moment later and may still change their files.
  await vi.waitFor(() => cpSync(service.dataDir, newCopy(), { recursive: true }), 20_000)
  whole = copies.length - 1
})
afterAll(async () => {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true })
  rmSync(service.dataDir, { recursive: true, force: true })
})

const verify = async (dataDir: string) => {
  const event = JSON.stringify({ account_id: accountId, end: new Date().toISOString() })
  const { stdout } = await runLocal('verify', [event], { DATA_DIR: dataDir })
  return JSON.parse(stdout).data
}

/** Waits until the token has expired, and expects that the service on the copy refuses it. */
async function endedStays(): Promise<void> {
  await sleep(Math.max(0, ended.at - Date.now()) + 100)
  const headers = { authorization: `Bearer ${ended.token}` }
  expect((await fetch(`${running.baseUrl}/groups`, { headers })).status).toBe(401)
}

/** Expects that unique items, index items and counters match the rows, without concurrent writes. */
async function rowsAreWhole(dataDir: string): Promise<void> {
  const { code, stdout } = await runLocal('verify-rows', [], { DATA_DIR: dataDir })
  const { findings, moved, rows } = JSON.parse(stdout).data
  expect([code, findings, moved]).toEqual([0, [], []])
  expect(rows).toBeGreaterThan(created.length)
}

/**
 * Expects that the API returns complete data: the correct total and every acknowledged group. Also expects that the next commit succeeds.
 */
async function isWhole(): Promise<void> {
  const ids: string[] = []
  let total = 0
  for (let cursor = ''; ; ) {
    const { body } = await call('GET', `/groups?limit=1000${cursor && `&page_cursor=${cursor}`}`)
    ids.push(...body.data.map(({ id }: { id: string }) => id))
    total = body.metadata.count
    if (!body.metadata.next_page) break
    cursor = encodeURIComponent(body.metadata.next_page)
  }
  expect(created.filter((id) => !ids.includes(id))).toEqual([])
  expect(ids.length).toBe(total)
  expect((await call('POST', '/groups', { group: { name: 'After' } })).status).toBe(201)
  // Expects that the copy contains the key, so that old tokens are valid and stored secrets can be decrypted.
  const change = { mdm_posture_provider: { api_token: 'inventory-token-0123' } }
  const [before, after] = [
    await call('GET', `/mdm_posture_providers/${provider}`),
    await call('PATCH', `/mdm_posture_providers/${provider}`, change),
  ]
  expect(after.body.data).toEqual(before.body.data)
}

it('continues from a copy with its streams, and has every acknowledged change and flow', async () => {
  const dataDir = newCopy()
  cpSync(original(), dataDir, { recursive: true })
  running = await startService({ dataDir })
  try {
    await isWhole()
    await endedStays()
    await rowsAreWhole(dataDir)
    await vi.waitFor(async () => expect((await verify(dataDir)).damages).toEqual([]), {
      timeout: 60_000,
      interval: 1_000,
    })
    await vi.waitFor(
      async () => expect(ledger.judge(await readLog(call, 'type=flow'))).toMatchObject({ lost: 0, duplicated: 0 }),
      { timeout: 60_000, interval: 1_000 },
    )
  } finally {
    await running.stop()
  }
}, 180_000)

it('is repaired by a replay if only the table was restored, with a new stream', async () => {
  const dataDir = newCopy()
  cpSync(original(), dataDir, { recursive: true })
  for (const path of ['checkpoints', 'stream-handled.json', 'kinesis'])
    rmSync(join(dataDir, path), { recursive: true, force: true })
  const table = new DatabaseSync(join(dataDir, 'dynamodb.db'))
  // Removes the unprocessed stream records, so that at least the last changes have no log entry.
  table.exec('DELETE FROM _stream_records')
  table.close()
  running = await startService({ dataDir })
  try {
    await isWhole()
    await endedStays()
    await rowsAreWhole(dataDir)
    const begin = new Date(Date.parse(instant) - 3_600_000).toISOString()
    const event = JSON.stringify({ account_id: accountId, begin })
    const replayed = await runLocal('replay-commits', [event], { DATA_DIR: dataDir })
    expect([replayed.code, JSON.parse(replayed.stdout).data]).toEqual([
      0,
      { commits: expect.any(Number), kept: [], next: null },
    ])
    expect(JSON.parse(replayed.stdout).data.commits).toBeGreaterThan(created.length)
    expect((await verify(dataDir)).damages).toEqual([])
  } finally {
    await running.stop()
  }
}, 180_000)

it('is refused with one line if its key is damaged or missing', async () => {
  const dataDir = newCopy()
  cpSync(original(), dataDir, { recursive: true })
  const start = () => runLocal('start', [], { DATA_DIR: dataDir, PORT: '0' })
  writeFileSync(join(dataDir, 'secret-key'), 'of another directory')
  const other = await start()
  expect([other.code, other.stderr.trim().split('\n')]).toEqual([
    1,
    [expect.stringMatching(/^The file .*secret-key is damaged/)],
  ])
  rmSync(join(dataDir, 'secret-key'))
  const none = await start()
  expect([none.code, none.stderr.trim().split('\n')]).toEqual([
    1,
    [expect.stringMatching(/^The data directory .* has a table but no key\./)],
  ])
})
