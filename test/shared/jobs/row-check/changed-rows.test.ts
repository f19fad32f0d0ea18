import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { clock } from '#shared/core/clock.ts'
import { checkRows } from '#shared/jobs/row-check/check-rows.ts'
import { checkedEntities } from '#shared/jobs/row-check/derived-items.ts'
import type { RowFinding } from '#shared/jobs/row-check/row-origin.ts'
import { isRow } from '#shared/jobs/row-check/row-origin.ts'
import type { Item, Key } from '#shared/table/keys.ts'
import { table, tableName } from '#shared/table/table.ts'
import { SeededRandom } from '#test/simulation/world/seeded-random.ts'
import { followUpAll } from '#test/support/logs/commit-stream.ts'
import { loadEntries } from '#test/support/operations/operations.ts'
import { sampleRequests } from '#test/support/operations/sample-requests.ts'
import { seedOf } from '#test/support/run/seeds.ts'
import { useOwnTable } from '#test/support/table/own-table.ts'
import { recordVersions } from '#test/support/table/record-versions.ts'

let ownTable: Awaited<ReturnType<typeof useOwnTable>>
let account: string
let rows: Item[]
/** Row versions that later commits have replaced. */
let earlier: Item[]
let deleted: Item[]

const put = (item: Item) => table().send(new PutCommand({ TableName: tableName(), Item: item }))
const remove = ({ pk, sk }: Key) => table().send(new DeleteCommand({ TableName: tableName(), Key: { pk, sk } }))
const address = ({ pk, sk }: Key) => `${pk} ${sk}`
const isSame = (one: Key, other: Key) => address(one) === address(other)

const random = new SeededRandom(seedOf('PROPERTY_SEED'))

/** Runs all operations once in random order, each after the operations that its sample requires. */
beforeAll(async () => {
  vi.spyOn(clock, 'sleep').mockResolvedValue(undefined)
  ownTable = await useOwnTable()
  const versions = recordVersions()
  const world = await sampleRequests()
  account = world.account.id
  const entries = (await loadEntries()).map(({ name }) => ({ name, at: random.next() })).sort((a, b) => a.at - b.at)
  for (const { name } of entries) await world.send(name, (await world.samples[name]?.()) ?? {})
  await followUpAll(account)
  const items = (await ownTable.items(account)) as Item[]
  rows = items.filter(isRow)
  const stored = new Map(rows.map((row) => [address(row), row]))
  const known = [...versions].filter(([, [first]]) => first?.pk.startsWith(account))
  earlier = known.flatMap(([at, states]) => (stored.has(at) ? states.slice(0, -1) : []))
  deleted = known.flatMap(([at, states]) => (stored.has(at) ? [] : states.slice(-1)))
}, 300_000)
afterAll(async () => {
  vi.restoreAllMocks()
  await ownTable.end()
})

it('has rows of every kind, earlier states and deleted rows', () => {
  // Accepts a remaining or a deleted row of each kind, because the random order may delete the last row of a kind.
  const kinds = new Set([...rows, ...deleted].map(({ pk }) => pk.split('#')[1]))
  expect([...checkedEntities.keys()].filter((name) => !kinds.has(name))).toEqual([])
  expect(earlier.length).toBeGreaterThan(20)
  expect(deleted.length).toBeGreaterThan(20)
})

it('finds no fault after a random history of all operations', async () => {
  const { findings, rows: checked } = await checkRows({})
  expect(findings).toEqual([])
  expect(checked).toBeGreaterThanOrEqual(rows.length)
})

/** A change that bypasses the service: the resulting item (null if deleted), and the expected finding. */
type Tampering = { key: Key; item: Item | null; problem: RowFinding['problem']; commit?: number; field?: string }

const dropped = (row: Item, name: string) =>
  Object.fromEntries(Object.entries(row).filter(([one]) => one !== name)) as Item
const fieldNames = (row: Item) => Object.keys(row).filter((name) => !['pk', 'sk', 'commit'].includes(name))

const tamperings: Record<string, (row: Item, n: number) => Tampering> = {
  'another value': (row, n) => {
    const field = fieldNames(row)[n % fieldNames(row).length] as string
    return { key: row, item: { ...row, [field]: `changed ${n}` }, problem: 'altered', field }
  },
  'no value': (row, n) => {
    const field = fieldNames(row)[n % fieldNames(row).length] as string
    // Expects no field name if the removed field had its default value. A missing field is read as its default, so only the digest differs.
    const defaults = (checkedEntities.get(String(row.pk.split('#')[1]))?.defaults ?? {}) as Record<string, unknown>
    const isDefault = field in defaults && isDeepStrictEqual(row[field], defaults[field])
    return { key: row, item: dropped(row, field), problem: 'altered', ...(!isDefault && { field }) }
  },
  'a time to live': (row) => ({ key: row, item: { ...row, ttl: 1 }, problem: 'altered', field: 'ttl' }),
  'another field': (row, n) => ({ key: row, item: { ...row, extra: n }, problem: 'altered', field: 'extra' }),
  'no commit': (row) => ({ key: row, item: dropped(row, 'commit'), problem: 'unfounded' }),
  'a future commit': (row, n) => ({ key: row, item: { ...row, commit: 1_000_000 + n }, problem: 'unfounded' }),
  'an invalid sequence': (row) => ({ key: row, item: { ...row, commit: -0.5 }, problem: 'unfounded' }),
  gone: (row) => ({ key: row, item: null, problem: 'missing', commit: Number(row.commit) }),
  'a copy': (row) => {
    const item = { ...row, sk: randomUUID(), id: randomUUID() }
    return { key: item, item, problem: 'unfounded' }
  },
  'an earlier state': (_, n) => {
    const item = earlier[n % earlier.length] as Item
    return { key: item, item, problem: 'outdated', commit: Number(rows.find((one) => isSame(one, item))?.commit) }
  },
  'a deleted row': (_, n) => {
    const item = deleted[n % deleted.length] as Item
    return { key: item, item, problem: 'outdated' }
  },
}

/** Fields that change records do not contain, or contain under a different name. */
const unnamed = ['inserted_at', 'version', 'kind']

async function expectFindings(done: Tampering[]): Promise<void> {
  for (const { key, item } of done) await (item ? put(item) : remove(key))
  try {
    const { findings, next } = await checkRows({ account_id: account })
    const ofRows = findings.filter(({ item }) => item === 'row' || item === 'commit')
    const expected = done.map(({ key: { pk, sk }, problem, commit }) =>
      expect.objectContaining({
        problem,
        item: 'row',
        account_id: account,
        at: pk,
        sort: sk,
        ...(commit && { commit }),
      }),
    )
    expect(next).toBe(null)
    expect(ofRows).toHaveLength(done.length)
    expect(ofRows).toEqual(expect.arrayContaining(expected))
    for (const { key, field } of done) {
      const { fields } = ofRows.find(({ at, sort }) => at === key.pk && sort === key.sk) ?? {}
      if (field && fields && !unnamed.includes(field)) expect(fields).toContain(field)
    }
    expect(JSON.stringify(ofRows)).not.toMatch(/changed \d/)
  } finally {
    for (const { key } of done) {
      const before = rows.find((one) => isSame(one, key))
      await (before ? put(before) : remove(key))
    }
  }
}

it.each(Object.keys(tamperings))('finds only a row replaced with %s', async (name) => {
  const [row, n] = [random.pick(rows), random.int(0, 1_000_000)]
  await expectFindings([tamperings[name]?.(row, n) as Tampering])
})

it('finds exactly the rows of many changes that bypass the service', async () => {
  const change = fc.record({ name: fc.constantFrom(...Object.keys(tamperings)), at: fc.nat(), n: fc.nat() })
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async (changes) => {
      const done = new Map<string, Tampering>()
      for (const { name, at, n } of changes) {
        const tampering = tamperings[name]?.(rows[at % rows.length] as Item, n) as Tampering
        done.set(address(tampering.key), tampering)
      }
      await expectFindings([...done.values()])
    }),
    { numRuns: 4, endOnFailure: true },
  )
}, 300_000)

it('names a changed secret without its content', async () => {
  const row = rows.find(({ secret_hash }) => secret_hash !== undefined) as Item
  await put({ ...row, secret_hash: 'forged' })
  const answer = await checkRows({ account_id: account })
  await put(row)
  expect(answer.findings).toEqual([expect.objectContaining({ problem: 'altered', sort: row.sk })])
  const text = JSON.stringify(answer)
  for (const secret of ['forged', row.secret_hash]) expect(text).not.toContain(secret)
})
