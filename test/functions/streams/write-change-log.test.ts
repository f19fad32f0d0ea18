import { randomUUID } from 'node:crypto'
import type { DynamoDBRecord } from 'aws-lambda'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import { handler } from '#functions/streams/write-change-log.ts'
import { commit } from '#shared/commit/commit.ts'
import { type Change, commitItem } from '#shared/commit/commit-record.ts'
import { clock, timestamp } from '#shared/core/clock.ts'
import { sites } from '#shared/domain/sites/site.ts'
import { logId, positionTail } from '#shared/logs/entries/log-id.ts'
import { pointerPartition } from '#shared/logs/entries/log-keys.ts'
import { commitKey } from '#shared/table/keys.ts'
import { getItem, queryItems } from '#shared/table/read.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { removeItem } from '#test/support/logs/change-log-items.ts'
import { toStreamRecord } from '#test/support/logs/commit-stream.ts'
import { failTable, inserts } from '#test/support/table/table-faults.ts'

// biome-ignore lint/suspicious/noExplicitAny: entries of every shape
type Entry = any
let account: Awaited<ReturnType<typeof newAccount>>
let sequence = 0

beforeAll(async () => {
  account = await newAccount()
})
afterEach(() => {
  vi.restoreAllMocks()
})

const streamRecord = (item: Record<string, unknown>): DynamoDBRecord => {
  const { eventName, dynamodb } = toStreamRecord(item)
  return { eventName, dynamodb: { ...dynamodb, SequenceNumber: String(++sequence) } } as DynamoDBRecord
}

const commitItems = async () => (await queryItems(commitKey(account.id, 1).pk)) as Record<string, unknown>[]
const change = (position: number) => ({
  object: 'sites',
  operation: 'insert',
  before: null,
  after: { id: String(position) },
})
const record = (changes: unknown[], time = clock.now()) =>
  streamRecord(
    commitItem(commitKey(account.id, 1), {
      account_id: account.id,
      commit_id: randomUUID(),
      sequence: 1,
      time,
      first_leaf: 0,
      subject: null,
      changes: changes as Change[],
      rows: {},
      revocations: [],
      follow_ups: [],
    }),
  )
const deliver = async (...Records: DynamoDBRecord[]) =>
  (await handler({ Records })).batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)
const changes = async (query: Record<string, string> = {}): Promise<Entry[]> =>
  (await account.call(listLogs, { query: { type: 'change', limit: '100', ...query } })).body.data
const at = (time: number) => ({ begin: timestamp(time), end: timestamp(time) })

it('writes one entry of each change for any number of deliveries', async () => {
  const subject = {
    actor_id: account.apiClient.id,
    actor_name: 'x',
    actor_type: 'api_client',
    actor_email: null,
    auth_provider_id: null,
    device_id: null,
    gateway_id: null,
    token_id: null,
    ip: '192.0.2.1',
    ip_region: null,
    ip_city: null,
    ip_lat: 1.5,
    ip_lon: null,
    user_agent: null,
  }
  const site = await commit({ accountId: account.id, subject }, async (transaction) =>
    transaction.insert(sites, { name: 'Oslo', managed_by: 'account' }),
  )
  const records = (await commitItems()).map(streamRecord)
  expect(await deliver(...records)).toEqual([])
  const first = await changes()
  expect(await deliver(...records, ...records)).toEqual([])
  expect(await changes()).toEqual(first)

  const entry = first[0]
  expect(entry).toMatchObject({
    type: 'change',
    object: 'sites',
    operation: 'insert',
    before: null,
    after: { id: site.id, name: 'Oslo' },
    subject,
  })
  const stored = (await getItem(commitKey(account.id, records.length))) as { time: number }
  expect(entry.timestamp).toBe(timestamp(stored.time))
  expect(entry.log_id).toBe(`c${stored.time.toString(16).padStart(13, '0')}0000000000`)
})

it('writes one index item by object of each change, and does not overwrite existing ones', async () => {
  const time = clock.now()
  const rows = [randomUUID(), randomUUID()]
  const changed = rows.flatMap((id) => [
    { ...change(0), after: { id } },
    { ...change(0), operation: 'delete', before: { id }, after: null },
  ])
  const commitRecord = record(changed, time)
  expect(await deliver(commitRecord)).toEqual([])
  const pointers = () => Promise.all(rows.map((id) => queryItems(pointerPartition(account.id, 'change', 'object', id))))
  const first = await pointers()
  expect(first.map((items) => items.map(({ sk, kind }) => [sk, kind]))).toEqual([
    [0, 1].map((position) => [logId('change', time, positionTail(position)), 'log_pointer']),
    [2, 3].map((position) => [logId('change', time, positionTail(position)), 'log_pointer']),
  ])
  // Expects that a later delivery with a different retention does not change existing items.
  vi.stubEnv('LOG_RETENTION_DAYS', '400')
  expect(await deliver(commitRecord, commitRecord)).toEqual([])
  vi.unstubAllEnvs()
  expect(await pointers()).toEqual(first)
})

it('writes the index item that an interrupted delivery omitted', async () => {
  const time = clock.now()
  const id = randomUUID()
  const commitRecord = record([{ ...change(0), after: { id } }], time)
  failTable('TimeoutError', inserts(time.toString(16)))
  expect(await deliver(commitRecord)).toHaveLength(1)
  vi.restoreAllMocks()
  expect(await deliver(commitRecord)).toEqual([])
  await removeItem({
    pk: pointerPartition(account.id, 'change', 'object', id),
    sk: logId('change', time, positionTail(0)),
  })
  expect(await changes({ object_id: id })).toEqual([])
  expect(await deliver(commitRecord)).toEqual([])
  expect(await changes({ object_id: id })).toHaveLength(1)
})

it('numbers the changes of a commit', async () => {
  const time = clock.now()
  expect(
    await deliver(
      record(
        Array.from({ length: 60 }, (_, i) => change(i)),
        time,
      ),
    ),
  ).toEqual([])
  const entries = await changes(at(time))
  expect(entries.map(({ after }) => Number(after.id))).toEqual(Array.from({ length: 60 }, (_, i) => 59 - i))
  expect(entries[0].log_id.endsWith('000000003b')).toBe(true)
})

it('reports the first commit that was not written, after writing those before it', async () => {
  const times = [clock.now(), clock.now(), clock.now()]
  const records = times.map((time) => record([change(0)], time))
  failTable('TimeoutError', inserts((times[1] as number).toString(16)))
  expect(await deliver(...records)).toEqual([records[1]?.dynamodb?.SequenceNumber])
  vi.restoreAllMocks()
  expect(await changes(at(times[0] as number))).toHaveLength(1)
  expect(await changes(at(times[1] as number))).toHaveLength(0)

  expect(await deliver(...records.slice(1))).toEqual([])
  for (const time of times) expect(await changes(at(time))).toHaveLength(1)
})

it('writes the entries of a compressed commit', async () => {
  const time = clock.now()
  const large = Array.from({ length: 400 }, (_, i) => ({
    ...change(i),
    after: { id: String(i), name: 'x'.repeat(100) },
  }))
  expect(await deliver(record(large, time))).toEqual([])
  const entries = await changes(at(time))
  expect(entries).toHaveLength(100)
  expect(entries[0].after).toEqual({ id: '399', name: 'x'.repeat(100) })
})

it('names the sync run of a change, or null', async () => {
  const time = clock.now()
  const runId = '01990000-0000-7000-8000-0000000000aa'
  await commit({ accountId: account.id, subject: null, runId }, async (transaction) => {
    transaction.insert(sites, { name: 'By a run', is_managed: false } as never)
  })
  const [own] = (await commitItems()).slice(-1)
  expect(own?.run_id).toBe(runId)
  expect(await deliver(streamRecord({ ...own, time }), record([change(1)], time + 5))).toEqual([])
  const [byRun, byNone] = [await changes(at(time)), await changes(at(time + 5))]
  expect([byRun[0].run_id, byNone[0].run_id]).toEqual([runId, null])
})
