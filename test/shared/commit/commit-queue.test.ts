import { beforeEach, expect, it } from 'vitest'
import { commit } from '#shared/commit/commit.ts'
import { readCommitRecord } from '#shared/commit/commit-record.ts'
import type { Transaction } from '#shared/commit/transaction.ts'
import { type GroupRow, groups, nativeGroup } from '#shared/domain/groups/group.ts'
import { memberships } from '#shared/domain/memberships/membership.ts'
import { readAccountVersion } from '#shared/table/account-version.ts'
import { commitKey, counterSort, membersPartition, partition } from '#shared/table/keys.ts'
import { getItem, getRows, queryItems } from '#shared/table/read.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { membersOf } from '#test/support/table/members-of.ts'

let account: string
let first: number

beforeEach(async () => {
  account = (await newAccount()).id
  first = (await readAccountVersion(account)).sequence
})

const author = () => ({ accountId: account, subject: null })
const newGroup = (name: string) => (transaction: Transaction) =>
  Promise.resolve(transaction.insert(groups, { ...nativeGroup, name }))
const newRecords = async () => (await queryItems(commitKey(account, 0).pk)).map(readCommitRecord).slice(first)

/** Runs changes at once. The first one is written alone, because it does not wait. */
const atOnce = <T>(count: number, change: (i: number) => (transaction: Transaction) => Promise<T>) =>
  Promise.allSettled(Array.from({ length: count }, (_, i) => commit(author(), change(i))))

it('writes waiting changes in few transactions, each with its own commit record', async () => {
  const { requests } = await measure(async () => {
    const results = await atOnce(30, (i) => newGroup(`Group ${i}`))
    expect(results.map(({ status }) => status)).not.toContain('rejected')
  })
  // Requires at most six transactions, each with a read of the account version. Separate commits would take 60 requests.
  expect(requests).toBeLessThanOrEqual(12)
  const records = await newRecords()
  expect(records.map(({ sequence }) => sequence)).toEqual(records.map((_, i) => first + 1 + i))
  expect(records.map(({ changes }) => changes.map(({ after }) => after?.name))).toEqual(
    records.map((_, i) => [`Group ${i}`]),
  )
  for (const [i, { time, first_leaf }] of records.entries()) {
    const previous = records[i - 1]
    if (previous) expect(time).toBeGreaterThan(previous.time)
    if (previous) expect(first_leaf).toBe(previous.first_leaf + previous.changes.length)
  }
  const { sequence, leaves, counts } = await readAccountVersion(account)
  expect([sequence, leaves]).toEqual([first + 30, (records.at(-1)?.first_leaf ?? 0) + 1])
  expect(counts.groups).toBe(31)
})

it('runs a change again after one on whose rows it depends', async () => {
  const { id } = await commit(author(), newGroup('0'))
  await atOnce(12, () => async (transaction) => {
    const group = await transaction.existing(groups, id)
    return transaction.update(groups, group, { name: String(Number(group.name) + 1) })
  })
  const [group] = await getRows(groups, account, [id])
  expect(group?.name).toBe('12')
  const changes = (await newRecords()).flatMap((record) => record.changes)
  expect(changes.map(({ after }) => after?.name)).toEqual(Array.from({ length: 13 }, (_, i) => String(i)))
})

it('runs a change again after one that writes into a partition that it has queried', async () => {
  const results = await atOnce(10, (i) => async (transaction) => {
    const rows = await queryItems(partition(account, groups.name))
    if (rows.length >= 4) throw new Error('enough')
    return transaction.insert(groups, { ...nativeGroup, name: `Group ${i}` })
  })
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
})

it('runs a change again after one that changes a counter that it has read', async () => {
  const results = await atOnce(10, (i) => async (transaction) => {
    if (transaction.count(groups.name) >= 5) throw new Error('enough')
    return transaction.insert(groups, { ...nativeGroup, name: `Group ${i}` })
  })
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(4)
  expect(await queryItems(partition(account, groups.name))).toHaveLength(5)
})

it('settles each change with its own error', async () => {
  const results = await atOnce(9, (i) => async (transaction) => {
    const group = transaction.insert(groups, { ...nativeGroup, name: `Group ${i}` })
    if (i % 3 === 1) throw new Error(`No ${i}`)
    return group
  })
  const outcomes = results.map((result) =>
    result.status === 'fulfilled' ? result.value.name : String(result.reason.message),
  )
  expect(outcomes).toEqual(Array.from({ length: 9 }, (_, i) => (i % 3 === 1 ? `No ${i}` : `Group ${i}`)))
  expect((await readAccountVersion(account)).sequence).toBe(first + 6)
})

it('commits the other changes if a condition of one fails', async () => {
  const blocked = { pk: partition(account, 'test'), sk: 'missing', kind: 'test' }
  const deadline = performance.timeOrigin + performance.now() + 300
  const results = await Promise.allSettled(
    Array.from({ length: 8 }, (_, i) =>
      commit(
        author(),
        async (transaction) => {
          if (i === 4) transaction.exchange(blocked, { kind: 'other' })
          return transaction.insert(groups, { ...nativeGroup, name: `Group ${i}` })
        },
        i === 4 ? deadline : undefined,
      ),
    ),
  )
  expect(results.map(({ status }) => status)).toEqual(
    Array.from({ length: 8 }, (_, i) => (i === 4 ? 'rejected' : 'fulfilled')),
  )
})

it('commits the other changes if the record of one cannot be built', async () => {
  const recorded = () => {
    throw new Error('not recordable')
  }
  const broken: typeof groups = { ...groups, recorded }
  const results = await atOnce(6, (i) => async (transaction) => {
    transaction.insert(i === 3 ? broken : groups, { ...nativeGroup, name: `Group ${i}` })
  })
  const outcomes = results.map((result) => (result.status === 'rejected' ? String(result.reason.message) : 'done'))
  expect(outcomes).toEqual(['done', 'done', 'done', 'not recordable', 'done', 'done'])
  await commit(author(), newGroup('Later'))
})

it('adds up the row counters of changes in one transaction', async () => {
  const group = await commit(author(), newGroup('Team'))
  await atOnce(20, (i) => async (transaction) => {
    const id = `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`
    return transaction.insert(memberships, { group_id: group.id, actor_id: id })
  })
  const counter = await getItem({ pk: membersPartition(account, memberships.name, group.id), sk: counterSort })
  expect(counter?.rows).toBe(20)
  expect(await membersOf(account, memberships, group.id)).toHaveLength(20)
})

it('does not let a change that fills a transaction delay the others, or lose any', async () => {
  const names = (i: number) => Array.from({ length: i % 4 === 0 ? 15 : 1 }, (_, k) => `Group ${i}.${k}`)
  const results = await atOnce(12, (i) => async (transaction) => {
    for (const name of names(i)) transaction.insert(groups, { ...nativeGroup, name })
    return names(i)
  })
  expect(results.map(({ status }) => status)).not.toContain('rejected')
  const records = await newRecords()
  expect(records).toHaveLength(12)
  const rows = await queryItems<GroupRow & { pk: string; sk: string }>(partition(account, groups.name))
  const all = Array.from({ length: 12 }, (_, i) => names(i)).flat()
  expect(new Set(rows.map(({ name }) => name))).toEqual(new Set(['Everyone', ...all]))
})

it('does not wait for the commits of other accounts', async () => {
  const { id: other } = await newAccount()
  await commit(author(), async (transaction) => {
    await commit({ accountId: other, subject: null }, newGroup('Other'))
    return transaction.insert(groups, { ...nativeGroup, name: 'Group' })
  })
  expect(await newRecords()).toHaveLength(1)
})
