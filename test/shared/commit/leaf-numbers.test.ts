import { beforeEach, expect, it } from 'vitest'
import { readCommitRecord } from '#shared/commit/commit-record.ts'
import { readAccountVersion } from '#shared/table/account-version.ts'
import { commitKey } from '#shared/table/keys.ts'
import { queryItems } from '#shared/table/read.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { writeChangeLogOf } from '#test/support/logs/commit-stream.ts'
import { insertSites } from '#test/support/seal/sealed-account.ts'

let account: string
const commits = async () => (await queryItems(commitKey(account, 0).pk)).map(readCommitRecord)
const insert = (count: number) => insertSites(account, count)

beforeEach(async () => {
  account = (await newAccount()).id
})

it('numbers the change entries of an account without a gap, within the commit (S1.2)', async () => {
  for (const count of [1, 3, 2]) await insert(count)
  let next = 0
  for (const { first_leaf, changes } of await commits()) {
    expect(first_leaf).toBe(next)
    next += changes.length
  }
  expect(next).toBeGreaterThanOrEqual(6)
  expect((await readAccountVersion(account)).leaves).toBe(next)
})

it('stores the number with the entry, but does not return it', async () => {
  await insert(2)
  await writeChangeLogOf(account)
  const { first_leaf, time } = (await commits()).at(-1) as { first_leaf: number; time: number }
  const day = new Date(time / 1_000).toISOString().slice(0, 10)
  const entries = await queryItems(`${account}#log.change#${day}`)
  expect(entries.slice(-2).map(({ leaf }) => leaf)).toEqual([first_leaf, first_leaf + 1])
})
