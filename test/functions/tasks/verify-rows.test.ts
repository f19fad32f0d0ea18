import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { handler as verifyRows } from '#functions/tasks/verify-rows.ts'
import { groups } from '#shared/domain/groups/group.ts'
import { checkRows, type RowCheck } from '#shared/jobs/row-check/check-rows.ts'
import {
  accountVersionKey,
  commitKey,
  entityKey,
  indexPartition,
  type Key,
  partition,
  uniqueKey,
} from '#shared/table/keys.ts'
import { getItem } from '#shared/table/read.ts'
import { table, tableName } from '#shared/table/table.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { groupsApi } from '#test/support/accounts/collections.ts'
import { newV0Device } from '#test/support/accounts/v0.ts'
import { useOwnTable } from '#test/support/table/own-table.ts'
import { plantItems } from '#test/support/table/plant-rows.ts'

let ownTable: Awaited<ReturnType<typeof useOwnTable>>
beforeEach(async () => {
  ownTable = await useOwnTable()
})
afterEach(() => ownTable.end())

const check = async (event: object = {}): Promise<RowCheck> => {
  const { data } = (await verifyRows(event)) as { data: RowCheck }
  return data
}
const remove = (key: Key) => table().send(new DeleteCommand({ TableName: tableName(), Key: key }))
const add = (Key: Key, path: string, names: Record<string, string>) =>
  table().send(
    new UpdateCommand({
      TableName: tableName(),
      Key,
      UpdateExpression: `SET ${path} = ${path} + :one`,
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: { ':one': 1 },
    }),
  )

it('finds no fault in committed rows, for one account and for all', async () => {
  const world = await newAccessWorld()
  await newV0Device(await newAccount())
  const all = await check()
  expect([all.findings, all.moved, all.next, all.accounts]).toEqual([[], [], null, 2])
  const one = await check({ account_id: world.account.id })
  expect([one.findings, one.accounts]).toEqual([[], 1])
  expect(one.rows).toBeLessThan(all.rows)
})

it('names each item that a torn copy lacks, has in addition, or counts wrongly', async () => {
  const account = await newAccount()
  const { id } = account
  const kept = (await groupsApi.create(account, { name: 'Kept' })).body.data
  const torn = (await groupsApi.create(account, { name: 'Torn' })).body.data
  const other = (await groupsApi.create(account, { name: 'Other' })).body.data
  const index = (name: string, sort: string) => ({ pk: indexPartition(id, groups.name, 'name', name), sk: sort })
  const [set] = Object.keys(groups.unique)
  const unique = uniqueKey(id, String(set), groups.unique[String(set)]?.(kept as never) ?? '')
  expect(await getItem(index('Kept', kept.id))).toBeDefined()
  expect(await getItem(unique)).toBeDefined()

  await remove(index('Kept', kept.id))
  await remove(unique)
  await remove(entityKey(id, groups.name, torn.id))
  await add({ pk: index('Other', '').pk, sk: '#' }, '#rows', { '#rows': 'rows' })
  await add(accountVersionKey(id), 'counts.#name', { '#name': 'sites' })
  const { sequence } = (await getItem(accountVersionKey(id))) as unknown as { sequence: number }
  await table().send(
    new PutCommand({ TableName: tableName(), Item: { ...commitKey(id, sequence + 1), kind: 'commit' } }),
  )
  await remove(commitKey(id, sequence))

  const { findings } = await check()
  const foundItems = findings.map(({ problem, item, at, sort, counted, found }) => [
    problem,
    item,
    at,
    sort,
    counted,
    found,
  ])
  expect(foundItems).toEqual(
    expect.arrayContaining([
      ['missing', 'index', index('Kept', '').pk, kept.id, undefined, undefined],
      ['missing', 'unique', unique.pk, 'unique', undefined, undefined],
      ['unfounded', 'index', index('Torn', '').pk, torn.id, undefined, undefined],
      ['miscounted', 'counter', index('Kept', '').pk, '#', 1, 0],
      ['miscounted', 'counter', index('Other', '').pk, '#', 2, 1],
      ['miscounted', 'counter', 'sites', null, expect.any(Number), expect.any(Number)],
      ['miscounted', 'counter', 'groups', null, expect.any(Number), expect.any(Number)],
      ['missing', 'commit', partition(id, 'commits'), commitKey(id, sequence).sk, undefined, undefined],
      ['unfounded', 'commit', partition(id, 'commits'), commitKey(id, sequence + 1).sk, undefined, undefined],
    ]),
  )
  expect(findings.every(({ account_id }) => account_id === id)).toBe(true)
  expect(findings.some(({ at }) => at.endsWith(other.id))).toBe(false)
})

it('resumes from its cursor, and skips the counters of an account that changes meanwhile', async () => {
  const [account, quiet] = [await newAccount(), await newAccount()]
  for (const { id } of [account, quiet]) {
    await plantItems(
      Array.from({ length: 15 }, (_, i) => ({
        pk: `${id}#other`,
        sk: String(i),
        kind: 'log',
        text: 'x'.repeat(100_000),
      })),
    )
    await add(accountVersionKey(id), 'counts.#name', { '#name': 'sites' })
  }
  let run = await checkRows({}, () => false)
  expect(run.next).not.toBe(null)
  await groupsApi.create(account, { name: 'Meanwhile' })
  while (run.next) run = await checkRows({ next: JSON.parse(JSON.stringify(run.next)) }, () => false)
  expect(run.findings.map(({ account_id, at }) => [account_id, at])).toEqual([[quiet.id, 'sites']])
  expect(run.moved).toEqual([account.id])
})

it('refuses an invalid account and cursor', async () => {
  expect(await verifyRows({ account_id: 'mine' })).toMatchObject({
    error: { code: 'bad_request', detail: 'account_id must be a UUID.' },
  })
  expect(await verifyRows({ next: { start: 'here' } })).toMatchObject({
    error: { code: 'bad_request', detail: 'next must be the unchanged next value of an earlier response.' },
  })
})

it('reports an unknown account instead of finding no fault', async () => {
  const account_id = '01990000-0000-7000-8000-00000000dead'
  const error = { code: 'bad_request', detail: `The account ${account_id} does not exist.` }
  expect(await verifyRows({ account_id })).toEqual({ error })
})
