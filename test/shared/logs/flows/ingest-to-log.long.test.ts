import { gzipSync } from 'node:zlib'
import { KinesisClient, PutRecordsCommand, type PutRecordsResultEntry } from '@aws-sdk/client-kinesis'
import type { KinesisStreamEvent, KinesisStreamRecord } from 'aws-lambda'
import { mockClient } from 'aws-sdk-client-mock'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { handler as ingest } from '#functions/api/ingestion/report-flow-logs.ts'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import { handler as store } from '#functions/streams/store-flow-logs.ts'
import { kinesisSource } from '#infra/local/lambda/kinesis-source.ts'
import { env } from '#shared/core/env.ts'
import { SeededRandom } from '#test/simulation/world/seeded-random.ts'
import { call, newAccount } from '#test/support/accounts/account.ts'
import { deliverAll } from '#test/support/logs/deliver-all.ts'
import { closeRecord, newFlowGrant, openRecord } from '#test/support/logs/flows.ts'
import { seedOf } from '#test/support/run/seeds.ts'
import { crashAfter } from '#test/support/table/table-faults.ts'

type Account = Awaited<ReturnType<typeof newAccount>>
let account: Account
let grant: Awaited<ReturnType<typeof newFlowGrant>>
let token: string

beforeAll(async () => {
  account = await newAccount({ limits: { ingest_capacity: 1_000_000, ingest_refill_rate: 1_000_000 } })
  grant = await newFlowGrant(account.id)
  token = await grant.token()
})
afterEach(() => {
  vi.restoreAllMocks()
})

const random = new SeededRandom(seedOf('PROPERTY_SEED'))

function disturbStream(): void {
  const { send } = KinesisClient.prototype
  vi.spyOn(KinesisClient.prototype, 'send').mockImplementation(async function (this: KinesisClient, command: object) {
    const pass = (one: object) =>
      (send as (command: object) => unknown).call(this, one) as Promise<{ Records: PutRecordsResultEntry[] }>
    const lost = () => Object.assign(new Error('no answer'), { name: 'TimeoutError' })
    if (!(command instanceof PutRecordsCommand)) return pass(command)
    if (random.chance(0.2)) throw lost()
    const records = command.input.Records ?? []
    const refused = records.map(() => random.chance(0.3))
    const accepted = records.filter((_, i) => !refused[i])
    const answers =
      accepted.length > 0 ? (await pass(new PutRecordsCommand({ ...command.input, Records: accepted }))).Records : []
    if (random.chance(0.2)) throw lost()
    return { Records: refused.map((isRefused) => (isRefused ? { ErrorCode: 'InternalFailure' } : answers.shift())) }
  } as never)
}

async function report(records: object[]): Promise<number> {
  for (let sent = 1; ; sent++) {
    const body = { flow_logs: records }
    const { status } = await call(ingest, { method: 'POST', path: '/ingestion/flow_logs', token, body })
    if (status === 200) return sent
    expect(status).toBe(503)
  }
}

/** Reads the stream records with the reports of one authorization. Concurrent tests use the same stream. */
async function streamedOf({ attribution }: typeof grant): Promise<KinesisStreamRecord[]> {
  const source = kinesisSource(env.flowStreamName, 'arn:stream')
  const records: KinesisStreamRecord[] = []
  for (const shard of await source.shards()) {
    for (let after: string | undefined; ; ) {
      const { records: page } = await source.read(shard, after, 1_000)
      if (page.length === 0) break
      const own = page.filter(({ key }) => key === attribution.policy_authorization_id)
      records.push(...own.map(({ event }) => event as KinesisStreamRecord))
      after = page.at(-1)?.sequence
    }
  }
  return records
}

const ports = async (): Promise<Map<number, number | null>> => {
  const found = new Map<number, number | null>()
  for (let cursor = ''; ; ) {
    const query = { type: 'flow', begin: '2026-11-20T00:00:00Z', limit: '1000', ...(cursor && { page_cursor: cursor }) }
    const { body } = await account.call(listLogs, { query })
    for (const { inner_src_port, rx_bytes } of body.data) {
      expect(found.has(inner_src_port)).toBe(false)
      found.set(inner_src_port, rx_bytes)
    }
    cursor = body.metadata.next_page
    if (!cursor) return found
  }
}

it('logs every acknowledged flow exactly once, despite rejected, lost and unanswered puts', async () => {
  disturbStream()
  const flows = Array.from({ length: 24 }, (_, i) => i + 1)
  for (let at = 0; at < flows.length; at += 4) {
    const some = flows.slice(at, at + 4)
    await report(some.map((inner_src_port) => openRecord({ inner_src_port })))
    await report(some.map((inner_src_port) => closeRecord({ inner_src_port, rx_bytes: inner_src_port })))
  }
  vi.restoreAllMocks()

  const records = await streamedOf(grant)
  const sequenceOf = ({ kinesis }: KinesisStreamRecord) => kinesis.sequenceNumber
  const consumer = async (event: KinesisStreamEvent) => {
    if (random.chance(0.3)) crashAfter(random.int(0, 19), { isResponseLost: random.chance(0.5) })
    try {
      return await store(event)
    } finally {
      vi.restoreAllMocks()
    }
  }
  for (let at = 0; at < records.length; at += 20) {
    const kept = await deliverAll(records.slice(at, at + 20), sequenceOf, consumer)
    const redriven = records.filter((record) => kept.includes(sequenceOf(record)))
    expect((await store({ Records: redriven })).batchItemFailures).toEqual([])
  }
  expect([...(await ports())].sort(([a], [b]) => a - b)).toEqual(flows.map((port) => [port, port]))
})

it('returns 503 while the stream is unavailable, and accepts the same batch afterwards', async () => {
  const away = mockClient(KinesisClient).rejects(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }))
  const body = { flow_logs: [openRecord({ inner_src_port: 60_000 })] }
  const send = () => call(ingest, { method: 'POST', path: '/ingestion/flow_logs', token, body })
  const refused = await send()
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1'])
  away.restore()
  expect((await send()).body.data.accepted).toBe(1)
})

it('carries flows with 1,000 outer paths from ingest to a page of the log', async () => {
  const own = await newFlowGrant(account.id)
  const ip = (i: number) => `2001:db8:1111:2222:3333:4444:${(0xa000 + i).toString(16)}:ffff`
  const outers = Array.from({ length: 1_000 }, (_, i) => ({
    src_ip: ip(i),
    src_port: 51_820,
    dst_ip: ip(i + 1_000),
    dst_port: 51_820,
    path_activated_at: '2026-11-21T10:00:00.123456Z',
  }))
  const flows = Array.from({ length: 40 }, (_, i) => {
    const flow_start = `2026-11-21T10:00:00.${String(i).padStart(6, '0')}Z`
    return closeRecord({ flow_start, outers, rx_bytes: 2 ** 53 - 1, tx_bytes: 2 ** 53 - 1 })
  })
  const { status, body } = await call(ingest, {
    method: 'POST',
    path: '/ingestion/flow_logs',
    token: await own.token(),
    rawBody: gzipSync(JSON.stringify({ flow_logs: flows })),
    headers: { 'content-encoding': 'gzip' },
  })
  expect([status, body.data?.accepted]).toEqual([200, flows.length])
  const records = await streamedOf(own)
  expect(records.length).toBeGreaterThan(1)
  expect((await store({ Records: records })).batchItemFailures).toEqual([])

  const window = { type: 'flow', begin: '2026-11-21T10:00:00Z', end: '2026-11-21T11:00:00Z' }
  const one = await account.call(listLogs, { query: { ...window, limit: '1' } })
  expect([one.body.data.length, one.body.data[0].outers]).toEqual([
    1,
    outers.map((outer) => ({ ...outer, path_activated_at: '2026-11-21T10:00:00.123456Z' })),
  ])
  const ids = new Set<string>()
  for (let cursor = ''; ; ) {
    const query = { ...window, limit: '20', ...(cursor && { page_cursor: cursor }) }
    const { body: page } = await account.call(listLogs, { query })
    for (const entry of page.data) if (entry.outers.length === 1_000) ids.add(entry.log_id)
    cursor = page.metadata.next_page
    if (!cursor) break
  }
  expect(ids.size).toBe(flows.length)
})
