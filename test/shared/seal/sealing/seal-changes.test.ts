import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, expect, it, vi } from 'vitest'
import { readCommitRecord } from '#shared/commit/commit-record.ts'
import { clock } from '#shared/core/clock.ts'
import { logId, positionTail } from '#shared/logs/entries/log-id.ts'
import { SealConflict } from '#shared/seal/log/seal-damage.ts'
import {
  consistencyProof,
  inclusionProof,
  provesConsistency,
  provesInclusion,
} from '#shared/seal/merkle/merkle-proof.ts'
import { parseCheckpoint } from '#shared/seal/notes/checkpoint.ts'
import { openNote } from '#shared/seal/notes/signed-note.ts'
import { Lease } from '#shared/seal/sealing/sealed-state.ts'
import { findLeaf, tableHashes } from '#shared/seal/sealing/table-tiles.ts'
import { accountVersionKey, commitKey, type Item, sealKey, sealPartition } from '#shared/table/keys.ts'
import { getItem, queryItems } from '#shared/table/read.ts'
import { table, tableName } from '#shared/table/table.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { alterEntry, readChangeEntries, removeItem } from '#test/support/logs/change-log-items.ts'
import { writeChangeLogOf } from '#test/support/logs/commit-stream.ts'
import { plainRoot } from '#test/support/seal/plain-merkle-tree.ts'
import { changeSites, computeLeaves, insertSites } from '#test/support/seal/sealed-account.ts'
import { advanceMinutes, type SealWorld, sealedState, sealNow, sealWorld } from '#test/support/seal/sealing.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'

type Tree = { size: number; root: Buffer }

let account: string
let world: SealWorld
const put = (Item: Record<string, unknown>) => table().send(new PutCommand({ TableName: tableName(), Item }))
const change = (...counts: number[]) => changeSites(account, ...counts)
const records = async () => (await queryItems(commitKey(account, 0).pk)).map(readCommitRecord)
const leaves = () => computeLeaves(account)
const entries = () => readChangeEntries(account)

beforeEach(async () => {
  account = (await newAccount()).id
  world = sealWorld()
  await change(1, 3)
})

it('signs the tree over the entries in the order of their commits', async () => {
  await sealNow(account)
  const { size, root, note, key, signed_at } = await sealedState(account)
  const all = await leaves()
  expect(size).toBe(all.length)
  expect(root).toBe(plainRoot(all).toString('base64'))
  expect(parseCheckpoint(openNote(note, key) ?? '')).toEqual({
    origin: `access.example.com/${account}/changes`,
    size,
    root: plainRoot(all),
    extensions: [],
  })
  expect(signed_at).toBeGreaterThan(0)
  expect(world.paths()).toEqual(
    ['checkpoint', `checkpoints/${size}`, `tile/0/000.p/${size}`].map((path) => `${account}/changes/${path}`),
  )
  expect(world.read(`${account}/changes/checkpoint`)).toBe(note)
})

it('extends the tree by later entries, across tiles, and finds the leaf of each entry', async () => {
  await sealNow(account)
  const first = await sealedState(account)
  await change(20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20)
  await sealNow(account)
  const second = await sealedState(account)
  const all = await leaves()
  expect(second.size).toBe(all.length)
  expect(second.size).toBeGreaterThan(256)
  expect(world.paths()).toContain(`${account}/changes/tile/0/000`)
  expect(world.paths()).toContain(`${account}/changes/tile/1/000.p/1`)
  const read = tableHashes(sealPartition(account, 'changes'))
  const [from, to] = [first, second].map(({ size, root }) => ({ size, root: Buffer.from(root, 'base64') })) as [
    Tree,
    Tree,
  ]
  expect(provesConsistency(from, to, await consistencyProof(first.size, second.size, read))).toBe(true)
  for (const { sk } of (await entries()).filter((_, i) => i % 40 === 0 || i > 250)) {
    const found = await findLeaf(sealPartition(account, 'changes'), sk)
    if (!found) throw new Error(`${sk} is not found.`)
    const path = await inclusionProof(found.index, second.size, read)
    const root = Buffer.from(second.root, 'base64')
    expect(provesInclusion(all[found.index] as Buffer, found.index, second.size, path, root)).toBe(true)
    expect(found.hash).toEqual(all[found.index])
  }
  expect(await findLeaf(sealPartition(account, 'changes'), logId('change', 1, positionTail(0)))).toBeNull()
})

it('does nothing without new commits', async () => {
  await sealNow(account)
  const [paths, state] = [world.paths(), await sealedState(account)]
  await sealNow(account)
  expect(world.paths()).toEqual(paths)
  expect(await sealedState(account)).toEqual(state)
})

it('signs nothing for commits without entries, and does not read them again', async () => {
  await sealNow(account)
  const [paths, { size, sequence = 0, time = 0 }] = [world.paths(), await sealedState(account)]
  const [last, version] = [
    (await queryItems<Item>(commitKey(account, 0).pk)).at(-1),
    await getItem<Item>(accountVersionKey(account)),
  ]
  const next = { sequence: sequence + 1, time: time + 1, first_leaf: size, changes: [] }
  await put({ ...last, ...commitKey(account, sequence + 1), ...next })
  await put({ ...version, sequence: sequence + 1 })
  await sealNow(account)
  expect(world.paths()).toEqual(paths)
  expect(await sealedState(account)).toMatchObject({ size, sequence: sequence + 1, time: time + 1 })
})

it('seals until the deadline, and the remaining commits in the next run', async () => {
  const now = clock.monotonic
  let late = 0
  const spies = [
    vi.spyOn(clock, 'monotonic').mockImplementation(() => now() + late),
    interceptTable(async (command, send) => {
      const answer = await send(command)
      if (command instanceof QueryCommand && JSON.stringify(command.input).includes('#commits')) late = 90_000
      return answer
    }),
  ]
  await sealNow(account)
  for (const spy of spies) spy.mockRestore()
  const [first] = await records()
  const all = await leaves()
  const state = await sealedState(account)
  expect([state.sequence, state.size]).toEqual([1, first?.changes.length])
  expect(state.root).toBe(plainRoot(all.slice(0, state.size)).toString('base64'))
  await sealNow(account)
  expect((await sealedState(account)).size).toBe(all.length)
})

it('waits for entries that are not stored yet', async () => {
  await sealNow(account)
  const { size } = await sealedState(account)
  await insertSites(account, 2)
  await sealNow(account)
  expect((await sealedState(account)).size).toBe(size)
  await writeChangeLogOf(account)
  await sealNow(account)
  expect((await sealedState(account)).size).toBe(size + 2)
})

const damages: [string, (all: Item[]) => Promise<unknown>, string, (all: Item[]) => string][] = [
  [
    'a changed field',
    (all) => put(alterEntry(all.at(-2) as Item, { after: { name: 'forged' } })),
    'altered',
    (all) => all.at(-2)?.sk ?? '',
  ],
  [
    'a changed subject',
    (all) => put(alterEntry(all.at(-1) as Item, { subject: { actor_name: 'another' } })),
    'altered',
    (all) => all.at(-1)?.sk ?? '',
  ],
  ['a deleted entry', (all) => removeItem(all.at(-2) as Item), 'missing', (all) => all.at(-2)?.sk ?? ''],
  [
    'two entries that changed places',
    async ([...all]) => {
      const [one, other] = all.slice(-2) as [Item, Item]
      await put({ ...one, sk: other.sk })
      await put({ ...other, sk: one.sk })
    },
    'altered',
    (all) => all.at(-2)?.sk ?? '',
  ],
  [
    'an inserted entry',
    (all) => {
      const item = all.at(-1) as Item
      const sk = `${item.sk.slice(0, 14)}00000000ff`
      return put({ ...item, sk })
    },
    'unfounded',
    (all) => `${all.at(-1)?.sk.slice(0, 14)}00000000ff`,
  ],
]

it.each(damages)('does not sign %s, and reports its log_id', async (_what, damage, problem, at) => {
  const all = await entries()
  await damage(all)
  advanceMinutes(20)
  await expect(sealNow(account)).rejects.toMatchObject({ problem, at: at(all) })
  expect(await Lease.take(account, 'changes')).not.toBeNull()
  await expect(sealedState(account)).rejects.toThrow('Nothing is sealed')
})

it('seals the same log without damage', async () => {
  advanceMinutes(20)
  await sealNow(account)
  expect((await sealedState(account)).size).toBe((await entries()).length)
})

it('does not sign a log without one of its commits, in the middle or at the end', async () => {
  const all = await queryItems<Item>(commitKey(account, 0).pk)
  for (const gone of [all.at(-2), all.at(-1)] as Item[]) {
    await removeItem(gone)
    await expect(sealNow(account)).rejects.toMatchObject({ problem: 'gap' })
    await put(gone)
  }
  await sealNow(account)
})

it('does not sign a commit with a wrong leaf number', async () => {
  const last = (await queryItems<Item>(commitKey(account, 0).pk)).at(-1) as Item
  await put({ ...last, first_leaf: Number(last.first_leaf) + 1 })
  await expect(sealNow(account)).rejects.toMatchObject({ problem: 'misnumbered' })
  await put(last)
  await sealNow(account)
})

it('does not continue from a replaced tile', async () => {
  await sealNow(account)
  await change(1)
  const pk = sealPartition(account, 'changes')
  const tile = (await queryItems<Item>(pk)).find(({ sk }) => sk.startsWith('tile#0#')) as Item
  await put({ ...tile, hashes: Buffer.alloc((tile.hashes as Uint8Array).length, 7) })
  await expect(sealNow(account)).rejects.toMatchObject({ problem: 'tile' })
  await removeItem(tile)
  await expect(sealNow(account)).rejects.toMatchObject({ problem: 'tile' })
  await put(tile)
  await sealNow(account)
})

it('does not sign when the bucket has a checkpoint of another account or key, or other text', async () => {
  await sealNow(account)
  await change(1)
  const path = `${account}/changes/checkpoint`
  const note = world.read(path)
  const other = (await newAccount()).id
  await writeChangeLogOf(other)
  await sealNow(other)
  for (const forged of [
    world.read(`${other}/changes/checkpoint`),
    note.replace(/— (\S+) ..../, '— $1 AAAA'),
    'no note',
  ]) {
    world.write(path, forged)
    await expect(sealNow(account)).rejects.toMatchObject({ problem: 'checkpoint', at: path })
  }
  world.write(path, note)
  await sealNow(account)
})

it('does not sign a smaller tree than the bucket has, after a restore of the table', async () => {
  await sealNow(account)
  const state = await getItem(sealKey(account, 'changes'))
  const [version, before] = [await getItem(accountVersionKey(account)), (await records()).length]
  await change(2)
  await sealNow(account)
  for (const item of (await queryItems<Item>(commitKey(account, 0).pk)).slice(before)) await removeItem(item)
  for (const item of (await entries()).slice(-2)) await removeItem(item)
  await put(state as Item)
  await put(version as Item)
  await expect(sealNow(account)).rejects.toMatchObject({ problem: 'behind' })
  // Adds commits after the restore, which diverge from the sealed history.
  await change(2)
  await expect(sealNow(account)).rejects.toMatchObject({ problem: 'diverged' })
})

it('lets only one run seal a log at a time', async () => {
  const first = await Lease.take(account, 'changes')
  await expect(sealNow(account)).rejects.toThrow('Another run')
  await first?.end()
  await sealNow(account)
  const dead = await Lease.take(account, 'changes')
  advanceMinutes(6)
  await change(1)
  await sealNow(account)
  expect(() => dead?.check()).toThrow('lease')
  await expect(dead?.store(await sealedState(account))).rejects.toThrow(SealConflict)
})
