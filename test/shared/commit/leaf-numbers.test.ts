import { beforeEach, expect, it } from 'vitest'
import { readCommitRecord } from '#shared/commit/commit-record.ts'
import { table, tableName } from '#shared/table/client.ts'
import { PutCommand } from '#shared/table/commands.ts'
import { readHead } from '#shared/table/head.ts'
import { commitKey, headKey, sealKey } from '#shared/table/keys.ts'
import { getItem, queryItems } from '#shared/table/read.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { writeChangeLogOf } from '#test/support/logs/commit-stream.ts'
import { insertSites } from '#test/support/seal/sealed-account.ts'

let account: string
const put = (Item: Record<string, unknown>) => table().send(new PutCommand({ TableName: tableName(), Item }))
const commits = async () => (await queryItems(commitKey(account, 0).pk)).map(readCommitRecord)
const insert = (count: number) => insertSites(account, count)

/** As a version that does not count leaves the head: without the number. */
async function forgetLeaves(): Promise<void> {
  const { leaves: _leaves, ...head } = (await getItem(headKey(account))) as Record<string, unknown>
  await put(head)
}

beforeEach(async () => {
  account = (await newAccount()).id
})

it('numbers the change entries of an account without a gap, in the commit itself (S1.2)', async () => {
  for (const count of [1, 3, 2]) await insert(count)
  let next = 0
  for (const { first_leaf, changes } of await commits()) {
    expect(first_leaf).toBe(next)
    next += changes.length
  }
  expect(next).toBeGreaterThanOrEqual(6)
  expect((await readHead(account)).leaves).toBe(next)
})

it('stores the number with the entry, and shows it to nobody', async () => {
  await insert(2)
  await writeChangeLogOf(account)
  const { first_leaf, time } = (await commits()).at(-1) as { first_leaf: number; time: number }
  const day = new Date(time / 1_000).toISOString().slice(0, 10)
  const entries = await queryItems(`${account}#log.change#${day}`)
  expect(entries.slice(-2).map(({ leaf }) => leaf)).toEqual([first_leaf, first_leaf + 1])
})

it('does not know the number after a version that does not count, as long as nothing is sealed', async () => {
  await insert(1)
  await forgetLeaves()
  await insert(1)
  expect((await commits()).at(-1)?.first_leaf).toBeNull()
  expect((await readHead(account)).leaves).toBeUndefined()
})

it('counts on from the newest checkpoint after a version that does not count', async () => {
  await insert(2)
  const sealed = await readHead(account)
  await put({ ...sealKey(account, 'changes'), kind: 'seal', size: sealed.leaves, sequence: sealed.sequence })
  await insert(3)
  await forgetLeaves()
  await insert(1)
  expect((await commits()).at(-1)?.first_leaf).toBe((sealed.leaves ?? 0) + 3)
  expect((await readHead(account)).leaves).toBe((sealed.leaves ?? 0) + 4)
  await insert(1)
  expect((await commits()).at(-1)?.first_leaf).toBe((sealed.leaves ?? 0) + 4)
})

it('waits for the next checkpoint where too many commits came since the last one', async () => {
  await insert(1)
  const sealed = await readHead(account)
  await put({ ...sealKey(account, 'changes'), kind: 'seal', size: 0, sequence: sealed.sequence - 1 - 101 })
  await forgetLeaves()
  await insert(1)
  expect((await commits()).at(-1)?.first_leaf).toBeNull()
})
