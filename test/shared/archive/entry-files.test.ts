import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { handler as listLogsHandler } from '#functions/api/logs/list-logs.ts'
import { flushAccount } from '#shared/archive/flush-account.ts'
import { archiveStore } from '#shared/core/aws/object-store.ts'
import { clock, hourMicros, hourStart, timestamp } from '#shared/core/clock.ts'
import type { AccountRow } from '#shared/domain/accounts/account.ts'
import { readArchiveState } from '#shared/logs/blocks/archive-view.ts'
import { instantOf, logId } from '#shared/logs/entries/log-id.ts'
import { logKey } from '#shared/logs/entries/log-keys.ts'
import { fileLimits } from '#shared/logs/files/columns.ts'
import { rowEntry } from '#shared/logs/files/entry-rows.ts'
import { manifestPath } from '#shared/logs/files/file-index.ts'
import { listLogs } from '#shared/logs/query-logs.ts'
import { canonicalJson } from '#shared/seal/log/canonical-json.ts'
import type { Item } from '#shared/table/keys.ts'
import { table, tableName } from '#shared/table/table.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { publicKey } from '#test/support/access/public-key.ts'
import { putArchiveState } from '#test/support/logs/archive.ts'
import { killAt } from '#test/support/logs/archive-writes.ts'
import { alterEntry, removeItem } from '#test/support/logs/change-log-items.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'
import { readArchiveOf } from '#test/support/logs/read-archive.ts'
import { changeSites } from '#test/support/seal/sealed-account.ts'
import { sealedState, sealNow, sealWorld } from '#test/support/seal/sealing.ts'

const minute = 60_000_000
const always = Number.POSITIVE_INFINITY
const streams = ['change', 'session', 'api_request'] as const
const hour = hourStart(clock.now())

let now = 0
const setClock = (at: number) => {
  now = at
  vi.spyOn(clock, 'now').mockImplementation(() => ++now)
}

let account: string
let entries: Record<(typeof streams)[number], { log_id: string }[]>

const listed = async (type: (typeof streams)[number]) => {
  const row = { id: account, inserted_at: timestamp(hour) } as AccountRow
  const window = { begin: timestamp(hour), end: timestamp(hour + hourMicros - 1) }
  const { data } = await listLogs(row, new URLSearchParams({ type, limit: '1000', ...window }))
  return data.toReversed()
}

/** Makes changes, sessions and API requests in an hour through the service's handlers, then a change and a request in the next hour. */
async function prepare(): Promise<void> {
  sealWorld()
  setClock(hour + minute)
  const world = await newAccessWorld()
  account = world.account.id
  for (let i = 0; i < 3; i++) await world.startSession({ public_key: publicKey() })
  await world.addGateway()
  await changeSites(account, 2, 1)
  for (let i = 0; i < 3; i++) await world.account.call(listLogsHandler, { query: { type: 'change' } })
  setClock(hour + hourMicros + minute)
  await changeSites(account, 1)
  await world.account.call(listLogsHandler, { query: { type: 'change' } })
  setClock(hour + hourMicros + 16 * minute)
  entries = {
    change: await listed('change'),
    session: await listed('session'),
    api_request: await listed('api_request'),
  }
}

async function seal(): Promise<void> {
  await sealNow(account, 'changes')
  await sealNow(account, 'activity')
}

const limits = { ...fileLimits }
afterEach(() => {
  Object.assign(fileLimits, limits)
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

const readItem = async (id: string) =>
  (await table().send(new GetCommand({ TableName: tableName(), Key: logKey(account, id) }))).Item as Item
const putItem = (item: Item) => table().send(new PutCommand({ TableName: tableName(), Item: item }))

async function objectsOf(): Promise<string[]> {
  const paths: string[] = []
  for (const stream of [...streams, 'manifest'])
    for await (const { path } of archiveStore().list(`v1/${stream}/account=${account}/`)) paths.push(path)
  return paths
}

describe('the entries of changes, sessions and API requests', () => {
  it('are in the files of their hour as the API shows them, with the sizes of the sealed logs', async () => {
    await prepare()
    await seal()
    await flushAccount(account, always)
    const { manifests, rows } = await readArchiveOf(account)
    for (const stream of streams) {
      expect(entries[stream].length).toBeGreaterThanOrEqual(3)
      expect(rows[stream].map(({ row }) => rowEntry(stream, row))).toEqual(entries[stream])
      expect(rows[stream].every((row) => row.hour === hour)).toBe(true)
    }
    expect(manifests.map(({ files }) => files.map(({ stream }) => stream))).toEqual([[...streams]])
    const [changes, activity] = [await sealedState(account), await sealedState(account, 'activity')]
    expect(manifests[0]?.sealed).toEqual({ changes: changes.size, activity: activity.size })
    const leaves = rows.change.map(({ row }) => Number(row.leaf))
    expect(leaves).toEqual(leaves.map((_, i) => i))
    expect(rows.change.every(({ row }) => /^[0-9a-f-]{36}$/.test(String(row.object_id)))).toBe(true)
  })

  it('are in several files if their texts are long', async () => {
    await prepare()
    await seal()
    fileLimits.characters = 2_000
    await flushAccount(account, always)
    const { manifests, rows } = await readArchiveOf(account)
    const files = manifests.flatMap((manifest) => manifest.files.filter(({ stream }) => stream === 'change'))
    expect(files.length).toBeGreaterThan(1)
    expect(rows.change.map(({ row }) => rowEntry('change', row))).toEqual(entries.change)
    expect(rows.session).toHaveLength(entries.session.length)
  })

  it('wait until a checkpoint covers the changes (R3.3)', async () => {
    await prepare()
    await sealNow(account, 'activity')
    await flushAccount(account, always)
    expect(await objectsOf()).toEqual([])
    await sealNow(account, 'changes')
    await flushAccount(account, always)
    const { rows } = await readArchiveOf(account)
    expect(rows.change.map(({ id }) => id)).toEqual(entries.change.map(({ log_id }) => log_id))
  })

  it('are in files once after runs that were killed after each of their writes', async () => {
    await prepare()
    await seal()
    let [index, at] = [1, now]
    for (let reached = true; reached; index++) {
      const killed = killAt(index, index % 2 === 0)
      await flushAccount(account, always).catch(() => undefined)
      killed.restore()
      reached = killed.reached
      // Lets the lease of the killed run expire.
      at += 25 * minute
      setClock(at)
    }
    const { manifests, rows } = await readArchiveOf(account)
    expect([index > 4, manifests.length]).toEqual([true, 1])
    for (const stream of streams) expect(rows[stream].map(({ row }) => rowEntry(stream, row))).toEqual(entries[stream])
  })
})

describe('an entry of the table that differs from the sealed log', () => {
  const kinds = ['changed', 'deleted', 'inserted'] as const

  it.each(streams.flatMap((stream) => kinds.map((kind) => [stream, kind] as const)))(
    '%s %s stops the flush, which publishes nothing until it is repaired',
    async (stream, kind) => {
      await prepare()
      await seal()
      const id = entries[stream][1]?.log_id ?? ''
      const item = await readItem(id)
      const other = logKey(account, logId(stream, instantOf(id) + 1))
      if (kind === 'changed') await putItem(alterEntry(item, { context: 'other', object: 'other', method: 'other' }))
      if (kind === 'deleted') await removeItem(item)
      if (kind === 'inserted') await putItem({ ...item, ...other })
      const log = catchLog('ERROR')
      await flushAccount(account, always)
      const lines = log.lines().map(({ event, account_id, at }) => [event, account_id, typeof at])
      expect(lines).toEqual([['archive_stopped', account, 'string']])
      const published = await objectsOf()
      expect(published.filter((path) => path.includes(`/${stream}/`) || path.includes('/manifest/'))).toEqual([])
      vi.restoreAllMocks()
      setClock(hour + hourMicros + 18 * minute)
      if (kind === 'inserted') await removeItem(other)
      else await putItem(item)
      await flushAccount(account, always)
      const { rows } = await readArchiveOf(account)
      for (const one of streams) expect(rows[one].map(({ id }) => id)).toEqual(entries[one].map(({ log_id }) => log_id))
    },
  )
})

describe('a manifest that was in the bucket before its hour was flushed (R3.7)', () => {
  /** Puts a manifest with some of the files that a flush of a copy of the account writes. */
  async function plantManifest(isListed: (stream: string) => boolean): Promise<string> {
    await prepare()
    await seal()
    const folder = process.env.ARCHIVE_FOLDER ?? ''
    await flushAccount(account, always)
    const [manifest] = (await readArchiveOf(account)).manifests
    if (!manifest) throw new Error('The flush has no manifest.')
    const path = manifestPath(account, hour)
    rmSync(join(folder, path))
    await putArchiveState(account, hour)
    const content = canonicalJson({ ...manifest, files: manifest.files.filter(({ stream }) => isListed(stream)) })
    expect(await archiveStore().put(path, content, null)).toBe(true)
    setClock(hour + hourMicros + 18 * minute)
    return path
  }

  it.each([
    ['all files', () => true, []],
    ['no file of the changes', (stream: string) => stream !== 'change', ['archive_stopped']],
    ['no file', () => false, ['archive_stopped']],
  ])('is adopted only if it lists every entry of the table: %s', async (_, isListed, expected) => {
    await plantManifest(isListed)
    const log = catchLog('ERROR')
    await flushAccount(account, always)
    expect(log.lines().map(({ event }) => event)).toEqual(expected)
    expect((await readArchiveState(account))?.manifests).toBe(expected.length === 0 ? 1 : 0)
  })

  it('is not adopted if a file of it is damaged', async () => {
    await plantManifest(() => true)
    const [path = ''] = (await objectsOf()).filter((one) => one.includes('/session/'))
    const stored = await archiveStore().get(path)
    await archiveStore().put(path, 'damaged', stored?.tag ?? '')
    const log = catchLog('ERROR')
    await flushAccount(account, always)
    expect(log.lines().map(({ event, at }) => [event, at])).toEqual([['archive_stopped', path]])
  })
})
