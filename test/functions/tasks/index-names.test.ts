import { randomUUID } from 'node:crypto'
import type { Context } from 'aws-lambda'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { handler } from '#functions/tasks/index-names.ts'
import { groups, nativeGroup } from '#shared/domain/groups/group.ts'
import { completeIndexKey } from '#shared/domain/names/name-index.ts'
import { sealedAccountItem } from '#shared/seal/log/sealed-log.ts'
import { insertAll } from '#shared/table/insert-all.ts'
import { getItem } from '#shared/table/read.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { groupsApi } from '#test/support/accounts/collections.ts'
import { readCommits, writeChangeLogOf } from '#test/support/logs/commit-stream.ts'
import { expectedNames, storedNames } from '#test/support/table/name-index.ts'
import { useOwnTable } from '#test/support/table/own-table.ts'
import { plantRows } from '#test/support/table/plant-rows.ts'
import { beforeRequest } from '#test/support/table/table-faults.ts'

let ownTable: Awaited<ReturnType<typeof useOwnTable>>
beforeEach(async () => {
  ownTable = await useOwnTable()
})
afterEach(async () => {
  vi.restoreAllMocks()
  await ownTable.end()
})

type Result = {
  data: { accounts: number; objects: number; next: object | null }
  error: { code: string; detail: string }
}
const run = async (event: object = {}, context?: Pick<Context, 'getRemainingTimeInMillis'>) =>
  (await handler(event, context)) as unknown as Result
const isComplete = async (account: string) => (await getItem(completeIndexKey(account))) !== undefined

it('indexes all objects of the accounts that have a log, and repeats nothing harmful', async () => {
  const { account } = await newAccessWorld()
  const other = await newAccount()
  await insertAll([account, other].map(({ id }) => sealedAccountItem(id)))
  for (let i = 0; i < 2; i++) {
    const { data } = await run()
    const expected = await expectedNames(account.id)
    expect(await storedNames(account.id)).toEqual(expected)
    expect(await storedNames(other.id)).toEqual(await expectedNames(other.id))
    expect(data.next).toBe(null)
    expect([data.accounts, data.objects]).toEqual([
      2,
      Object.keys({ ...expected, ...(await expectedNames(other.id)) }).length,
    ])
  }
  expect([await isComplete(account.id), await isComplete(other.id)]).toEqual([true, true])
})

it('indexes one account only, on request', async () => {
  const [account, other] = [await newAccount(), await newAccount()]
  const { data } = await run({ account_id: account.id.toUpperCase() })
  expect([data.accounts, data.next]).toEqual([1, null])
  expect([await isComplete(account.id), await isComplete(other.id)]).toEqual([true, false])
})

it('stops before its time ends, and resumes from next', async () => {
  const account = await newAccount()
  await plantRows(account.id, groups, 1_200, (i) => ({ ...nativeGroup, name: `Group ${i}` }), [])
  let [next, calls, objects]: [object | null, number, number] = [null, 0, 0]
  do {
    let left = 2
    const { data } = await run(
      { account_id: account.id, ...(next && { next }) },
      { getRemainingTimeInMillis: () => (left-- > 0 ? 900_000 : 1_000) },
    )
    expect(await isComplete(account.id)).toBe(data.next === null)
    next = data.next
    objects += data.objects
    calls++
  } while (next !== null)
  expect(calls).toBeGreaterThan(5)
  const expected = await expectedNames(account.id)
  expect(objects).toBe(Object.keys(expected).length)
  expect(await storedNames(account.id)).toEqual(expected)
})

it('does not replace a newer name, nor restore an object that is deleted meanwhile', async () => {
  for (let at = 0, happened = true; happened; at++) {
    const account = await newAccount()
    const renamed = (await groupsApi.create(account, { name: 'Before' })).body.data
    const deleted = (await groupsApi.create(account, { name: 'Secret project' })).body.data
    const state = beforeRequest(at, async () => {
      await groupsApi.update(account, renamed.id, { name: 'After' })
      await groupsApi.remove(account, deleted.id)
      await writeChangeLogOf(account.id)
    })
    await run({ account_id: account.id })
    happened = state.happened
    vi.restoreAllMocks()
    const names = await storedNames(account.id)
    expect(names).toEqual(await expectedNames(account.id))
    expect(names[`groups ${renamed.id}`]).toBe(happened ? '\nafter\t' : '\nbefore\t')
    expect((await readCommits(account.id)).length).toBeGreaterThan(2)
  }
})

it.each([
  [{ account_id: 'x' }, 'bad_request', 'account_id must be a UUID.'],
  [{ account_id: 5 }, 'bad_request', 'account_id must be a UUID.'],
  [{ next: 'x' }, 'bad_request', 'next must be the unchanged next value of an earlier response.'],
  [
    { next: { account_id: null, account: 'x', object: 'policies', after: null } },
    'bad_request',
    'next must be the unchanged next value of an earlier response.',
  ],
])('rejects the event %j', async (event, code, detail) => {
  expect((await run(event)).error).toMatchObject({ code, detail })
})

it('rejects an unknown account', async () => {
  expect((await run({ account_id: randomUUID() })).error.code).toBe('bad_request')
  const next = { account_id: randomUUID(), account: 'x', object: 'actors', after: null }
  expect((await run({ next })).error.code).toBe('bad_request')
})
