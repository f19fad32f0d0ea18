import { randomUUID } from 'node:crypto'
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { commit } from '#shared/commit/commit.ts'
import { clock } from '#shared/core/clock.ts'
import { type GroupRow, groups, nativeGroup } from '#shared/domain/groups/group.ts'
import { memberships } from '#shared/domain/memberships/membership.ts'
import { checkRows } from '#shared/jobs/row-check/check-rows.ts'
import {
  accountVersionKey,
  commitKey,
  entityKey,
  type Item,
  type Key,
  membersPartition,
  uniqueKey,
} from '#shared/table/keys.ts'
import { type Chunk, chunkItem, readChunks } from '#shared/table/member-ids.ts'
import { getItem } from '#shared/table/read.ts'
import { table, tableName } from '#shared/table/table.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { useOwnTable } from '#test/support/table/own-table.ts'

let ownTable: Awaited<ReturnType<typeof useOwnTable>>
let accountId: string
let one: GroupRow
let other: GroupRow
beforeEach(async () => {
  vi.spyOn(clock, 'sleep').mockResolvedValue(undefined)
  ownTable = await useOwnTable()
  accountId = (await newAccount()).id
  one = await insert('One')
  other = await insert('Other')
  // Changes a stored row without a commit, which only a complete check finds.
  await put({ ...(await read(entityKey(accountId, groups.name, other.id))), name: 'Changed' })
})
afterEach(async () => {
  vi.restoreAllMocks()
  await ownTable.end()
})

const insert = (name: string) =>
  commit(
    { accountId, subject: null },
    async (transaction) => transaction.insert(groups, { name, ...nativeGroup }) as GroupRow,
  )
const read = async (key: Key) => (await getItem(key)) as unknown as Item & { commit: number }
const put = (item: object) => table().send(new PutCommand({ TableName: tableName(), Item: item as Item }))
const remove = ({ pk, sk }: Key) => table().send(new DeleteCommand({ TableName: tableName(), Key: { pk, sk } }))
const rubbish = { zstd: new Uint8Array([1, 2, 3]) }

const keys: Record<string, () => Promise<Key>> = {
  row: async () => entityKey(accountId, groups.name, one.id),
  commit: async () => commitKey(accountId, (await read(entityKey(accountId, groups.name, one.id))).commit),
  unique: async () => uniqueKey(accountId, 'groups.name', 'One'),
}

it.each([
  ['a row that cannot be unpacked', 'row', { idp_id: rubbish }, 'altered row'],
  ['a record that cannot be unpacked', 'commit', { changes: rubbish }, 'unfounded row'],
  ['a record whose rows cannot be unpacked', 'commit', { rows: rubbish }, 'unfounded row'],
  ['a record with an invalid change', 'commit', { changes: [null] }, 'unfounded row'],
  ['a record of a row without an id', 'commit', { rows: { 'groups#': null } }, 'altered commit'],
  [
    'a record of a row with an overlong id',
    'commit',
    { rows: { [`groups#${'x'.repeat(1_025)}`]: 'x' } },
    'altered commit',
  ],
  ['a unique item without a row', 'unique', { row: {} }, 'unfounded unique'],
  ['a unique item of a row with an empty key', 'unique', { row: { pk: 'x', sk: '' } }, 'unfounded unique'],
] as const)('finds %s, and its effects', async (_what, kind, attributes, expected) => {
  const key = (await keys[kind]?.()) as Key
  await put({ ...(await read(key)), ...attributes })
  const { findings, next } = await checkRows({})
  expect(next).toBeNull()
  expect(findings.map(({ problem, item }) => `${problem} ${item}`)).toContain(expected)
  expect(findings).toContainEqual(expect.objectContaining({ problem: 'altered', item: 'row', sort: other.id }))
})

it.each(['x', '00000000000000011', '1', '-000000000000001'])(
  'finds a record with the invalid sequence %s',
  async (sk) => {
    const record = await read((await keys.commit?.()) as Key)
    await put({ ...record, sk })
    const { findings, next } = await checkRows({})
    expect(next).toBeNull()
    expect(findings.filter(({ item }) => item === 'commit').map(({ problem, sort }) => [problem, sort])).toEqual([
      ['unfounded', sk],
    ])
  },
)

it('finds that an account version is missing', async () => {
  await remove(accountVersionKey(accountId))
  const { pk: at, sk: sort } = accountVersionKey(accountId)
  expect((await checkRows({})).findings).toContainEqual({
    problem: 'missing',
    item: 'account_version',
    account_id: accountId,
    at,
    sort,
  })
})

it('reports a row without the id that names its index items', async () => {
  const key = entityKey(accountId, 'client_tokens', randomUUID())
  await put({ ...key, kind: 'entity', version: 1, commit: 1, actor_id: randomUUID() })
  const { findings } = await checkRows({})
  expect(findings).toContainEqual(expect.objectContaining({ problem: 'unfounded', item: 'row', sort: key.sk }))
  expect(findings).toContainEqual(expect.objectContaining({ problem: 'altered', sort: other.id }))
})

it('finds members that are missing from the ids of their set, and ids without a member', async () => {
  const actors = Array.from({ length: 3 }, () => randomUUID()).sort()
  await commit({ accountId, subject: null }, async (transaction) => {
    for (const actor_id of actors) transaction.insert(memberships, { group_id: one.id, actor_id })
  })
  const at = membersPartition(accountId, memberships.name, one.id)
  const problems = async () =>
    (await checkRows({ account_id: accountId })).findings
      .filter((finding) => finding.at === at)
      .map(({ problem, item, sort }) => `${problem} ${item} ${sort}`)
      .sort()
  expect(await problems()).toEqual([])

  const [chunk] = await readChunks(at)
  const stranger = randomUUID()
  await put(chunkItem({ ...(chunk as Chunk), ids: [...actors.slice(1), stranger].sort() }))
  expect(await problems()).toEqual([`missing index ${actors[0]}`, `unfounded index ${stranger}`])
  await put(chunkItem({ ...(chunk as Chunk), ids: [...actors, stranger].sort() }))
  expect(await problems()).toEqual(['miscounted counter #', `unfounded index ${stranger}`])
  await put({ ...chunkItem(chunk as Chunk), ids: 'rubbish' })
  expect(await problems()).toEqual(['miscounted counter #', ...actors.map((id) => `missing index ${id}`)])
  await put({ ...chunkItem(chunk as Chunk), ids: rubbish })
  expect(await problems()).toEqual(['miscounted counter #', ...actors.map((id) => `missing index ${id}`)])
  await put({ ...chunkItem({ ...(chunk as Chunk), ids: [...actors, stranger].sort() }), kind: 'other' })
  expect(await problems()).toEqual(['miscounted counter #', `unfounded index ${stranger}`])
  // Moves the ids behind the key of their chunk, where no reader looks for them.
  await remove(chunk as Chunk)
  await put(chunkItem({ ...(chunk as Chunk), sk: '0' }))
  expect(await problems()).toEqual(actors.map((id) => `missing index ${id}`))
})
