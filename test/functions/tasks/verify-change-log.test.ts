import { randomUUID } from 'node:crypto'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, expect, it } from 'vitest'
import { handler } from '#functions/tasks/verify-change-log.ts'
import { commit } from '#shared/commit/commit.ts'
import { clock, timestamp } from '#shared/core/clock.ts'
import { anonymousSubject } from '#shared/core/subject.ts'
import { sites } from '#shared/domain/sites/site.ts'
import { instantOf, logId, parseLogId, positionTail } from '#shared/logs/entries/log-id.ts'
import { dayOf, logPartition } from '#shared/logs/entries/log-keys.ts'
import type { Damage } from '#shared/logs/verify-change-log.ts'
import type { Item } from '#shared/table/keys.ts'
import { table, tableName } from '#shared/table/table.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import {
  alterEntry,
  pointersTo,
  readChangeEntries,
  removeItem as remove,
  removePointers,
} from '#test/support/logs/change-log-items.ts'
import { readCommits, writeChangeLogOf } from '#test/support/logs/commit-stream.ts'

type Answer = {
  data: { commits: number; entries: number; damages: Damage[] }
  error?: { code: string; detail: string }
}

const origin = { ip: '192.0.2.1', ip_region: null, ip_city: null, ip_lat: null, ip_lon: null, user_agent: null }

let account: Awaited<ReturnType<typeof newAccount>>
const verify = async (event: Record<string, unknown> = {}) =>
  (await handler({ account_id: account.id, end: timestamp(clock.now()), ...event })) as Answer
const damages = async () => (await verify()).data.damages
const put = (Item: Item) => table().send(new PutCommand({ TableName: tableName(), Item }))
const place = (micros: number, position = 0) => {
  const sk = logId('change', micros, positionTail(position))
  return { pk: logPartition(account.id, 'change', dayOf(micros)), sk }
}

const entries = () => readChangeEntries(account.id)

beforeEach(async () => {
  account = await newAccount()
  for (const name of ['a', 'b', 'c']) {
    await commit({ accountId: account.id, subject: null }, async (transaction) => {
      transaction.insert(sites, { name: `${name}1`, managed_by: 'account' })
      transaction.insert(sites, { name: `${name}2`, managed_by: 'account' })
    })
  }
  await writeChangeLogOf(account.id)
})

it('finds no discrepancy in an intact log', async () => {
  const { data } = await verify()
  const commits = await readCommits(account.id)
  expect(data).toMatchObject({
    commits: commits.length,
    entries: commits.reduce((sum, { changes }) => sum + changes.length, 0),
    damages: [],
  })
  expect(data.entries).toBeGreaterThanOrEqual(6)
})

it('checks the sync run of a change, and reports an entry that names another', async () => {
  const runId = '01990000-0000-7000-8000-0000000000aa'
  await commit({ accountId: account.id, subject: null, runId }, async (transaction) => {
    transaction.insert(sites, { name: 'By a run', managed_by: 'account' })
  })
  await writeChangeLogOf(account.id)
  expect(await damages()).toEqual([])
  const entry = (await entries()).at(-1) as Item
  await put(alterEntry(entry, { run_id: null }))
  expect(await damages()).toEqual([{ problem: 'altered', log_id: entry.sk }])
})

it('reports a missing entry at the beginning, in the middle and at the end', async () => {
  const all = await entries()
  for (const item of [all.at(0), all.at(-3), all.at(-1)] as Item[]) {
    await remove(item)
    expect(await damages()).toEqual([{ problem: 'missing', log_id: item.sk }])
    await put(item)
  }
  expect(await damages()).toEqual([])
})

it('reports a duplicate entry', async () => {
  const item = (await entries()).at(-1) as Item
  const copy = place((parseLogId(item.sk)?.micros ?? 0) + 5)
  await put({ ...item, ...copy })
  expect(await damages()).toEqual([{ problem: 'doubled', log_id: copy.sk, of: item.sk }])
})

it('reports entries in the wrong order', async () => {
  const [one, other] = (await entries()).slice(-2) as [Item, Item]
  await put({ ...one, sk: other.sk })
  await put({ ...other, sk: one.sk })
  expect(await damages()).toEqual([
    { problem: 'reordered', log_id: one.sk, of: other.sk },
    { problem: 'reordered', log_id: other.sk, of: one.sk },
  ])
})

it('reports an entry that was moved to another key', async () => {
  const item = (await entries()).at(-2) as Item
  const moved = place((parseLogId(item.sk)?.micros ?? 0) + 1)
  await remove(item)
  await put({ ...item, ...moved })
  expect(await damages()).toEqual([{ problem: 'reordered', log_id: moved.sk, of: item.sk }])
})

it('reports an entry with changed content, and one without a commit', async () => {
  const item = (await entries()).at(-2) as Item
  await put(alterEntry(item, { after: { name: 'forged' } }))
  const key = place((parseLogId(item.sk)?.micros ?? 0) + 2)
  const forged = { ...alterEntry(item, { after: { name: 'invented' } }), ...key }
  await put(forged)
  expect(await damages()).toEqual([
    { problem: 'altered', log_id: item.sk },
    { problem: 'unfounded', log_id: forged.sk },
  ])
})

it('reports an entry that cannot be read as altered', async () => {
  const item = (await entries()).at(-2) as Item
  await put({ ...item, entry: String(item.entry).slice(0, 40) })
  expect(await damages()).toEqual([{ problem: 'altered', log_id: item.sk }])
})

it('reports a deleted commit record, and its remaining entries', async () => {
  const commits = (await readCommits(account.id)) as unknown as (Item & { time: number })[]
  const [deletedCommit, next] = commits.slice(-2) as [(typeof commits)[0], (typeof commits)[0]]
  await remove(deletedCommit)
  const found = await damages()
  expect(found.map(({ problem }) => problem).sort()).toEqual(['gap', 'unfounded', 'unfounded'])
  expect(found.find(({ problem }) => problem === 'gap')?.log_id).toBe(logId('change', next.time, positionTail(0)))
})

it('reports an entry that is missing from a list once, after the faults of entries', async () => {
  const subject = { ...anonymousSubject(origin), actor_id: randomUUID(), actor_email: 'ada@example.com' }
  await commit({ accountId: account.id, subject }, async (transaction) => {
    transaction.insert(sites, { name: 'By Ada', managed_by: 'account' })
  })
  await writeChangeLogOf(account.id)
  const all = await entries()
  const last = all.at(-1) as Item
  const pointers = pointersTo(account.id, [last])
  expect(pointers.map(({ pk }) => pk.split('#')[1])).toEqual([
    'log.change.actor',
    'log.change.email',
    'log.change.object',
  ])
  for (const pointer of pointers) {
    await remove(pointer)
    expect(await damages()).toEqual([{ problem: 'unlisted', log_id: last.sk }])
    await put(pointer)
  }
  expect(await damages()).toEqual([])

  await removePointers(account.id)
  await put(alterEntry(last, { after: { id: 'forged' } }))
  const found = await damages()
  expect(found[0]).toEqual({ problem: 'altered', log_id: last.sk })
  expect(found.slice(1)).toEqual(all.map(({ sk }) => ({ problem: 'unlisted', log_id: sk })))
})

it('checks only the requested range', async () => {
  const all = await entries()
  const [first, , , last] = all.slice(-4) as Item[]
  await remove(first as Item)
  const [at, after] = [first, last].map((item) => timestamp(instantOf(item?.sk ?? '')))
  expect((await verify({ begin: after })).data).toMatchObject({ commits: 1, entries: 2, damages: [] })
  const { data } = await verify({ begin: at, end: at })
  expect(data).toMatchObject({ commits: 1, entries: 1, damages: [{ problem: 'missing', log_id: first?.sk }] })
})

it('skips commits whose entries may not be written yet', async () => {
  for (const item of await entries()) await remove(item)
  expect((await verify({ end: undefined })).data).toMatchObject({ commits: 0, damages: [] })
})

it.each([
  [{ account_id: 'x' }, 'account_id must be a UUID.'],
  [{ account_id: undefined }, 'account_id must be a UUID.'],
  [{ begin: 'yesterday' }, 'begin must be an RFC 3339 timestamp.'],
  [{ end: 5 }, 'end must be an RFC 3339 timestamp.'],
  [{ begin: '2030-01-01T00:00:00Z', end: '2029-01-01T00:00:00Z' }, 'begin must not be after end.'],
])('refuses %j', async (event, detail) => {
  expect(await verify(event)).toEqual({ error: { code: 'bad_request', detail } })
})

it('reports an unknown account instead of finding no discrepancy', async () => {
  const account_id = '01990000-0000-7000-8000-00000000dead'
  const error = { code: 'bad_request', detail: `The account ${account_id} does not exist.` }
  expect(await handler({ account_id })).toEqual({ error })
})
