import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, expect, it } from 'vitest'
import { exportLog } from '#infra/commands/export/export-log.ts'
import { readCommitRecord } from '#shared/commit/commit-record.ts'
import { microsOf, timestamp } from '#shared/core/clock.ts'
import { instantOf } from '#shared/logs/entries/log-id.ts'
import { readEntry } from '#shared/logs/entries/log-store.ts'
import { NotAnExport } from '#shared/seal/export/export-file.ts'
import { sealLine } from '#shared/seal/export/export-seal.ts'
import { compareExport, verifyExport } from '#shared/seal/export/verify-export.ts'
import { verifierKeyText } from '#shared/seal/notes/signed-note.ts'
import { commitKey, type Item, sealKey, sealPartition } from '#shared/table/keys.ts'
import { getItem, queryItems } from '#shared/table/read.ts'
import { table, tableName } from '#shared/table/table.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { alterEntry, readChangeEntries, removeItem } from '#test/support/logs/change-log-items.ts'
import { HandlerClient } from '#test/support/seal/handler-client.ts'
import { changeSites } from '#test/support/seal/sealed-account.ts'
import { advanceMinutes, type SealWorld, sealNow, sealWorld } from '#test/support/seal/sealing.ts'

let account: Account
let world: SealWorld
let files = 0
const put = (Item: Record<string, unknown>) => table().send(new PutCommand({ TableName: tableName(), Item }))
const change = (count: number) => changeSites(account.id, count)
const records = async () =>
  (await queryItems<Item>(commitKey(account.id, 0).pk)).map((item) => ({ item, ...readCommitRecord(item) }))
const entries = () => readChangeEntries(account.id)
const timeOf = (item: Item | undefined) => timestamp(instantOf(item?.sk ?? ''))
const fileOf = (): string => join(world.folder, '..', `export-${files++}.ndjson`)
const export_ = async (options: object = {}, out = fileOf()) => {
  const all = { type: 'change' as const, begin: '1970-01-01T00:00:00Z', end: '2100-01-01T00:00:00Z', out, ...options }
  const times = { begin: microsOf(all.begin), end: microsOf(all.end) }
  await exportLog(new HandlerClient(account), { ...all, ...times })
  return out
}
const linesOf = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n')
const rewrite = (_of: string, lines: string[]) => {
  const other = fileOf()
  writeFileSync(other, `${lines.join('\n')}\n`)
  return other
}

beforeEach(async () => {
  account = await newAccount()
  world = sealWorld()
  for (const count of [3, 20, 5]) await change(count)
  await sealNow(account.id)
})

it('verifies the whole log and a part of it, and reports the key', async () => {
  const file = await export_()
  const lines = linesOf(file)
  const all = await entries()
  expect(lines.slice(0, -1).map((line) => JSON.parse(line).log_id)).toEqual(all.map(({ sk }) => sk))
  const { seal, checkpoint } = await verifyExport(file, { key: verifierKeyText(await world.key()) })
  expect([seal.entries, checkpoint.size]).toEqual([all.length, all.length])
  const part = await export_({ begin: timeOf(all[4]), end: timeOf(all.at(-7)) })
  expect((await verifyExport(part)).seal).toMatchObject({ entries: linesOf(part).length - 1 })
  const isProven = { begin: true, end: true }
  expect((await verifyExport(part)).proven).toEqual(isProven)
  const instants = [...new Set(all.map(({ sk }) => instantOf(sk)))]
  const between = (instants[0] ?? 0) + 1
  const nothing = [
    { end: '1971-01-01T00:00:00Z' },
    { begin: timestamp(between), end: timestamp(between) },
    { begin: '2099-01-01T00:00:00Z' },
  ]
  for (const range of nothing) {
    expect(await verifyExport(await export_(range))).toMatchObject({ seal: { entries: 0 }, proven: isProven })
  }
})

it('omits entries that no checkpoint covers yet', async () => {
  const { length } = await entries()
  await change(2)
  expect((await verifyExport(await export_())).seal.entries).toBe(length)
})

it.each<[string, (lines: string[]) => string[], number]>([
  ['a changed field', (lines) => lines.with(5, (lines[5] ?? '').replace('"insert"', '"update"')), 6],
  ['a deleted entry', (lines) => lines.toSpliced(7, 1), 8],
  ['an inserted entry', (lines) => lines.toSpliced(7, 0, (lines[7] ?? '').replace(/"c([0-9a-f]{13})0/, '"c$11')), 8],
  ['two entries swapped', (lines) => lines.with(5, lines[6] ?? '').with(6, lines[5] ?? ''), 6],
  ['a truncated log', (lines) => lines.toSpliced(-4, 3), -4],
  ['a line that is no entry', (lines) => lines.with(9, '{}'), 10],
])('finds %s in a file, by its line', async (_what, damage, line) => {
  const file = await export_()
  const found = verifyExport(rewrite(file, damage(linesOf(file))))
  await expect(found).rejects.toMatchObject({ line: line > 0 ? line : linesOf(file).length + line })
  await verifyExport(file)
})

it.each<[string, (all: Item[]) => Promise<unknown>]>([
  ['a changed field of an entry', ([...all]) => put(alterEntry(all[6] as Item, { after: { name: 'forged' } }))],
  ['a deleted entry', (all) => removeItem(all[6] as Item)],
  [
    'an inserted entry',
    async (all) => {
      const [item, next] = [all[6], all[7]] as [Item, Item]
      const sk = `${item.sk.slice(0, 23)}${item.sk.slice(0, 14) === next.sk.slice(0, 14) ? 'f' : 'e'}`
      await put({ ...item, sk })
    },
  ],
  [
    'two entries swapped',
    async (all) => {
      const [one, other] = [all[6], all[7]] as [Item, Item]
      const place = ({ pk, sk, leaf }: Item) => ({ pk, sk, leaf })
      await put({ ...one, ...place(other) })
      await put({ ...other, ...place(one) })
    },
  ],
  [
    'a commit record rewritten together with its entry',
    async (all) => {
      const entry = all[6] as Item
      const forged = { ...(readEntry(entry).after as object), name: 'forged' }
      await put(alterEntry(entry, { after: forged }))
      const record = (await records()).find(({ time }) =>
        entry.sk.startsWith(`c${time.toString(16).padStart(13, '0')}`),
      )
      const position = Number.parseInt(entry.sk.slice(14), 16)
      const changes = record?.changes.map((one, i) => (i === position ? { ...one, after: forged } : one))
      await put({ ...record?.item, changes })
    },
  ],
  [
    'a tile replaced',
    async () => {
      const tiles = await queryItems<Item>(sealPartition(account.id, 'changes'))
      const tile = tiles.find(({ sk }) => sk.startsWith('tile#0#')) as Item
      await put({ ...tile, hashes: Buffer.alloc((tile.hashes as Uint8Array).length, 3) })
    },
  ],
])('finds %s behind the back of the service', async (_what, damage) => {
  await verifyExport(await export_())
  const all = await entries()
  await damage(all)
  await expect(export_().then((file) => verifyExport(file))).rejects.toThrow(/sealed|lead|order|tile|missing/)
})

it('detects members removed from or added to the seal', async () => {
  const file = await export_()
  const lines = linesOf(file)
  const seal = JSON.parse(lines.at(-1) ?? '')
  const { leaves, entries: count } = seal
  const other = `${leaves.startsWith('A') ? 'B' : 'A'}${leaves.slice(1)}`
  for (const damage of [{ leaves: leaves.slice(4) }, { leaves: '' }, { entries: count + 1 }, { leaves: other }]) {
    const damaged = rewrite(file, lines.with(-1, JSON.stringify({ ...seal, ...damage })))
    await expect(verifyExport(damaged)).rejects.toThrow(/incomplete|not the entry/)
  }
  const { leaves: _leaves, ...without } = seal
  await expect(verifyExport(rewrite(file, lines.with(-1, JSON.stringify(without))))).rejects.toThrow(NotAnExport)
  await expect(verifyExport(world.folder)).rejects.toThrow('is not a file')
  await verifyExport(file)
})

it('detects a note of another key, and a checkpoint of another account', async () => {
  const file = await export_()
  const lines = linesOf(file)
  const seal = JSON.parse(lines.at(-1) ?? '')
  const first = account
  account = await newAccount()
  await change(20)
  await sealNow(account.id)
  const other = JSON.parse(linesOf(await export_()).at(-1) ?? '')
  account = first
  const foreign = rewrite(file, lines.with(-1, JSON.stringify({ ...seal, note: other.note })))
  await expect(verifyExport(foreign)).rejects.toThrow()
  const key = verifierKeyText({ name: 'access.example.com/seal', publicKey: Buffer.alloc(32, 5) })
  await expect(verifyExport(file, { key })).rejects.toThrow('not signed by this key')
  await expect(compareExport(file, other.note)).rejects.toThrow('different logs')
  await verifyExport(file)
})

it('proves that a newer export extends an older export or note, and that a fork does not', async () => {
  const older = await export_()
  const { note } = JSON.parse(linesOf(older).at(-1) ?? '')
  const state = await getItem(sealKey(account.id, 'changes'))
  const kept = (await queryItems<Item>(sealPartition(account.id, 'changes'))).filter(({ sk }) => sk.startsWith('tile'))
  await change(3)
  await change(1)
  await sealNow(account.id)
  const newer = await export_()
  expect(await compareExport(newer, older)).toContain('extends')
  expect(await compareExport(older, newer)).toContain('extends')
  expect(await compareExport(newer, note)).toContain('extends')
  // Compares a partial export that lacks the older tree's leaves, without and with a consistency proof.
  const all = await entries()
  const late = { begin: timeOf(all.at(-1)) }
  await expect(compareExport(await export_(late), older)).rejects.toThrow('Neither export proves')
  expect(await compareExport(await export_({ ...late, against: older }), older)).toContain('extends')
  // Forks the log: restores the bucket and the table, forges a sealed entry, and seals again.
  for (const item of [...kept, state as Item]) await put(item)
  const forged = all.at(-5) as Item
  const after = { ...(readEntry(forged).after as object), name: 'forged' }
  await put(alterEntry(forged, { after }))
  const last = (await records()).find(({ time }) => forged.sk.startsWith(`c${time.toString(16).padStart(13, '0')}`))
  const position = Number.parseInt(forged.sk.slice(14), 16)
  await put({ ...last?.item, changes: last?.changes.map((one, i) => (i === position ? { ...one, after } : one)) })
  for (const { sk, pk } of await queryItems<Item>(sealPartition(account.id, 'changes'))) await removeItem({ pk, sk })
  const { rmSync } = await import('node:fs')
  rmSync(world.folder, { recursive: true })
  await sealNow(account.id)
  const fork = await export_()
  await verifyExport(fork)
  await expect(compareExport(fork, older)).rejects.toThrow('FORKED')
})

it('resumes an interrupted export', async () => {
  const whole = await export_()
  const text = readFileSync(whole, 'utf8')
  for (const bytes of [0, 10, Math.floor(text.length / 3), text.lastIndexOf('\n', text.length - 2) + 1]) {
    const broken = fileOf()
    writeFileSync(broken, text.slice(0, bytes))
    await export_({}, broken)
    expect(readFileSync(broken, 'utf8')).toBe(text)
  }
  await expect(export_({}, whole)).rejects.toThrow('already a complete export')
})

it('verifies API requests by the hour, and detects a changed or missing one', async () => {
  advanceMinutes(60)
  const client = new HandlerClient(account)
  for (let i = 0; i < 3; i++) await client.request('/logs')
  advanceMinutes(90)
  await sealNow(account.id, 'activity')
  const file = await export_({ type: 'api_request' })
  const { seal } = await verifyExport(file)
  expect(seal.entries).toBe(3)
  expect(seal.hours?.length).toBeGreaterThan(0)
  const lines = linesOf(file)
  const times = lines.slice(0, 3).map((line) => String(JSON.parse(line).timestamp))
  const [first = 0, second = 0, third = 0] = times.map(microsOf)
  for (const [begin, end, count] of [
    [first, third, 3],
    [first + 1, third - 1, 1],
    [second, microsOf('2099-01-01T00:00:00Z'), 2],
    [first + 1, second - 1, 0],
    [third + 1, microsOf('2099-01-01T00:00:00Z'), 0],
    [0, first - 1, 0],
  ] as const) {
    const part = await export_({ type: 'api_request', begin: timestamp(begin), end: timestamp(end) })
    expect(await verifyExport(part)).toMatchObject({ seal: { entries: count }, proven: { begin: true, end: true } })
    if (count === 0) {
      const { range } = seal
      const claimed = rewrite(part, [sealLine({ ...JSON.parse(linesOf(part)[0] ?? ''), range })])
      await expect(verifyExport(claimed)).rejects.toThrow('is in the range')
    }
  }
  // Covers a log without entries, of an account that never had a session.
  const sessions = await export_({ type: 'session' })
  expect(await verifyExport(sessions)).toMatchObject({ seal: { entries: 0 }, proven: { begin: true, end: true } })
  const changed = rewrite(file, lines.with(1, (lines[1] ?? '').replace('"GET"', '"PUT"')))
  await expect(verifyExport(changed)).rejects.toMatchObject({ line: 2 })
  await expect(verifyExport(rewrite(file, lines.toSpliced(1, 1)))).rejects.toMatchObject({ line: 2 })
})

it.each([
  ['is not there', null],
  ['is empty', ''],
  ['has no seal', '{"type":"change"}\n'],
  ['is no text of lines', '\u0000\u0001'],
])('says of a file that %s that it is no export', async (_what, content) => {
  const file = fileOf()
  if (content !== null) writeFileSync(file, content)
  await expect(verifyExport(file)).rejects.toBeInstanceOf(NotAnExport)
})
