import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { commit } from '#shared/commit/commit.ts'
import { maxWrites, Transaction } from '#shared/commit/transaction.ts'
import { memberships } from '#shared/domain/memberships/membership.ts'
import { readAccountVersion } from '#shared/table/account-version.ts'
import { membersPartition } from '#shared/table/keys.ts'
import {
  type Chunk,
  changeChunks,
  chunkItem,
  containsId,
  fittingCount,
  packIds,
  readChunks,
  readMemberIds,
  splitChunk,
  unpackIds,
} from '#shared/table/member-ids.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'
import { membersOf } from '#test/support/table/members-of.ts'
import { asOtherProcess } from '#test/support/table/other-process.ts'
import { plantItems } from '#test/support/table/plant-rows.ts'

const idOf = (i: number) => `${String(i).padStart(8, '0')}-0000-4000-8000-000000000000`
const idsOf = (count: number, from = 0) => Array.from({ length: count }, (_, i) => idOf(from + i))
const none: ReadonlySet<string> = new Set()
const add = (chunks: Chunk[], ids: string[]) =>
  changeChunks('p', chunks, { added: new Set(ids), removed: new Set(none) })
const partsOf = (ids: string[], maxParts = Number.POSITIVE_INFINITY) =>
  add([], ids).flatMap((chunk) => splitChunk(chunk, maxParts))

it('packs ids into 16 bytes each, and reads none from an invalid value', () => {
  const ids = [crypto.randomUUID(), crypto.randomUUID()]
  expect(packIds(ids)).toHaveLength(32)
  expect(unpackIds(packIds(ids))).toEqual(ids)
  expect([unpackIds(undefined), unpackIds('x'), unpackIds(new Uint8Array(17))].flat()).toHaveLength(1)
})

it('stores a full chunk in an item of at most 1 KB, which costs one write unit', () => {
  const set = membersPartition(crypto.randomUUID(), 'static_device_pool_members', crypto.randomUUID())
  const [chunk] = partsOf(idsOf(150)).map((part) => chunkItem({ ...part, pk: set }))
  expect(chunk?.ids).toHaveLength(16 * 50)
  const bytes = Object.entries(chunk ?? {}).reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  expect(bytes).toBeLessThanOrEqual(1_024)
})

const ids = fc.uniqueArray(fc.nat(400), { maxLength: 150 }).map((numbers) => numbers.map(idOf))
const changes = fc.array(fc.record({ added: ids, removed: ids, maxParts: fc.integer({ min: 1, max: 8 }) }), {
  maxLength: 12,
})

it('keeps the ids of a set through any changes, in chunks that end with their keys', () => {
  fc.assert(
    fc.property(changes, (steps) => {
      let chunks: Chunk[] = []
      const model = new Set<string>()
      for (const { added, removed, maxParts } of steps) {
        const joining = added.filter((id) => !model.has(id))
        const leaving = removed.filter((id) => model.has(id) && !added.includes(id))
        for (const id of joining) model.add(id)
        for (const id of leaving) model.delete(id)
        const changed = changeChunks('p', chunks, { added: new Set(joining), removed: new Set(leaving) })
        const count = fittingCount(chunks, [...joining, ...leaving].sort(), Number.POSITIVE_INFINITY)
        expect(count).toBe(joining.length + leaving.length)
        const writes = joining.length + leaving.length + changed.length
        expect(fittingCount(chunks, [...joining, ...leaving].sort(), writes)).toBe(count)
        if (count > 0) expect(fittingCount(chunks, [...joining, ...leaving].sort(), writes - 1)).toBeLessThan(count)
        const parts = changed.flatMap((chunk) => splitChunk(chunk, maxParts))
        const keys = new Set(parts.map(({ sk }) => sk))
        expect(keys.size).toBe(parts.length)
        chunks = [...chunks.filter(({ sk }) => !keys.has(sk)), ...parts]
          .filter((chunk) => chunk.ids.length > 0)
          .sort((a, b) => (a.sk < b.sk ? -1 : 1))
        expect(chunks.flatMap((chunk) => chunk.ids)).toEqual([...model].sort())
        for (const [i, { sk, ids }] of chunks.entries()) {
          expect((ids.at(-1) ?? 'z') <= sk).toBe(true)
          expect((chunks[i - 1]?.sk ?? '') < (ids[0] ?? 'z')).toBe(true)
        }
      }
    }),
  )
})

it('reads any range of the ids', async () => {
  const set = `${crypto.randomUUID()}#memberships.members#g`
  const all = idsOf(180).filter((_, i) => i % 3 > 0)
  await plantItems(partsOf(all).map((part) => chunkItem({ ...part, pk: set })))
  expect((await readChunks(set)).map((chunk) => chunk.ids.length)).toEqual([40, 40, 40])
  const range = fc.record({
    after: fc.option(fc.nat(181).map(idOf), { nil: undefined }),
    inclusive: fc.boolean(),
    backward: fc.boolean(),
    limit: fc.option(fc.integer({ min: 1, max: 130 }), { nil: undefined }),
  })
  await fc.assert(
    fc.asyncProperty(range, async ({ after, inclusive, backward, limit }) => {
      const isBeyond = (id: string) => after === undefined || (backward ? id < after : id > after)
      const expected = all.filter((id) => isBeyond(id) || (inclusive && id === after))
      if (backward) expected.reverse()
      expect(await readMemberIds(set, { after, inclusive, backward, limit })).toEqual(expected.slice(0, limit))
    }),
    { numRuns: 60 },
  )
})

it('reads the chunks of some ids: those between neighbours, and only their own for ids far apart', async () => {
  const set = `${crypto.randomUUID()}#memberships.members#g`
  await plantItems(partsOf(idsOf(500)).map((part) => chunkItem({ ...part, pk: set })))
  const keysFor = async (...numbers: number[]) => (await readChunks(set, numbers.map(idOf))).map(({ sk }) => sk)
  expect(await keysFor()).toEqual([])
  expect(await keysFor(49)).toEqual([idOf(49)])
  expect(await keysFor(10, 49)).toEqual([idOf(49)])
  expect(await keysFor(9_999, 10, 60, 10, 70, 80)).toEqual([49, 99, 149, 199, 249, 299].map(idOf).concat('z'))
  expect(await keysFor(10, 160, 460)).toEqual([49, 99, 149, 199].map(idOf).concat('z'))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(520), { minLength: 1, maxLength: 20 }), async (numbers) => {
      const chunks = await readChunks(set, numbers.map(idOf))
      expect(chunks.length).toBeLessThanOrEqual(2 * numbers.length)
      for (const number of numbers) expect(containsId(chunks, idOf(number))).toBe(number < 500)
    }),
    { numRuns: 40 },
  )
})

it('repeats no id if a chunk is split between two queries', async () => {
  const set = `${crypto.randomUUID()}#memberships.members#g`
  const [whole] = add([], idsOf(60)) as [Chunk]
  await plantItems([chunkItem({ ...whole, pk: set })])
  let queries = 0
  interceptTable(async (command, send) => {
    const answer = await send(command)
    if (++queries === 1)
      await asOtherProcess(() => plantItems(splitChunk(whole, 2).map((part) => chunkItem({ ...part, pk: set }))))
    return answer
  })
  const ids = await readMemberIds(set, { after: idOf(60), backward: true })
  vi.restoreAllMocks()
  expect(queries).toBeGreaterThan(1)
  expect(ids).toEqual(idsOf(60).reverse())
})

it('leaves chunks too long while a commit has no capacity to split them, and splits them with the next change', async () => {
  const account = (await newAccount()).id
  const author = { accountId: account, subject: null }
  const set = membersPartition(account, memberships.name, 'g')
  const filled = partsOf(idsOf(2_000).map((_, i) => idOf(10 * i)))
  await plantItems(filled.map((part) => chunkItem({ ...part, pk: set })))
  expect(filled.map((chunk) => chunk.ids.length)).toEqual(Array.from({ length: 40 }, () => 50))
  const joining = filled.map((_, i) => idOf(500 * i + 1))
  const staged = new Transaction(account, await readAccountVersion(account), Date.now() * 1_000)
  for (const actor_id of [...joining, ...idsOf(12, 100_000)]) staged.insert(memberships, { group_id: 'g', actor_id })
  await staged.stageChunks()
  expect(staged.writes().length + 4).toBeLessThanOrEqual(maxWrites)
  const join = (ids: string[]) =>
    commit(author, async (transaction) => {
      for (const actor_id of ids) transaction.insert(memberships, { group_id: 'g', actor_id })
    })
  const longChunks = async () => (await readChunks(set)).filter((chunk) => chunk.ids.length > 50).length
  await join([...joining, ...idsOf(12, 100_000)])
  const before = await longChunks()
  expect(before).toBeGreaterThan(20)
  await join([idOf(15_002)])
  expect(await longChunks()).toBeLessThan(before)
  expect(await membersOf(account, memberships, 'g')).toHaveLength(2_000 + joining.length + 13)
})
