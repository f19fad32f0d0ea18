import { setTimeout } from 'node:timers/promises'
import {
  BatchGetCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { commit } from '#shared/commit/commit.ts'
import { rowDigest, rowName } from '#shared/commit/commit-record.ts'
import { clock, timestamp } from '#shared/core/clock.ts'
import { type GroupRow, groups, nativeGroup } from '#shared/domain/groups/group.ts'
import { deleteDueAccounts } from '#shared/jobs/account-deletion/delete-due-accounts.ts'
import { closeAccount, dueAccountItem } from '#shared/jobs/account-deletion/due-account.ts'
import { checkRows, type RowCheck } from '#shared/jobs/row-check/check-rows.ts'
import { verifyChangeLog } from '#shared/logs/verify-change-log.ts'
import { commitKey, entityKey, type Item, type Key } from '#shared/table/keys.ts'
import { getItem } from '#shared/table/read.ts'
import { table, tableName } from '#shared/table/table.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { writeChangeLogOf } from '#test/support/logs/commit-stream.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'
import { useOwnTable } from '#test/support/table/own-table.ts'

let ownTable: Awaited<ReturnType<typeof useOwnTable>>
let accountId: string
beforeEach(async () => {
  ownTable = await useOwnTable()
  accountId = (await newAccount()).id
})
afterEach(async () => {
  vi.restoreAllMocks()
  await ownTable.end()
})

const change = <T>(work: Parameters<typeof commit<T>>[1]) => commit({ accountId, subject: null }, work)
const insert = (name: string) =>
  change(async (transaction) => transaction.insert(groups, { name, ...nativeGroup }) as GroupRow)
const insertMany = (names: string[]) =>
  change(async (transaction) => names.map((name) => transaction.insert(groups, { name, ...nativeGroup }) as GroupRow))
const rename = (row: GroupRow, name: string) => change(async (transaction) => transaction.update(groups, row, { name }))
const removeRow = (row: GroupRow) => change(async (transaction) => transaction.delete(groups, row))
const put = (item: object) => table().send(new PutCommand({ TableName: tableName(), Item: item as Item }))
const remove = ({ pk, sk }: Key) => table().send(new DeleteCommand({ TableName: tableName(), Key: { pk, sk } }))
const keyOf = ({ id }: GroupRow) => entityKey(accountId, groups.name, id)
const itemOf = async (row: GroupRow) => (await getItem(keyOf(row))) as unknown as Item & { commit: number }
const range = (count: number) => Array.from({ length: count }, (_, i) => i)

const ofRows = ({ findings }: Pick<RowCheck, 'findings'>) =>
  findings.filter(({ item }) => item === 'row' || item === 'commit').map(({ problem, sort }) => [problem, sort])

/** Checks in steps of one page or one lookup each. Passes `next` from step to step, as an operator does. */
async function inSteps(
  maxOpen?: number,
  between = async (_run: RowCheck) => {},
): Promise<RowCheck & { steps: number }> {
  let run = await checkRows({}, () => false, maxOpen)
  let steps = 1
  for (; run.next; steps++) {
    await between(run)
    run = await checkRows({ next: JSON.parse(JSON.stringify(run.next)) }, () => false, maxOpen)
  }
  return { ...run, steps }
}

it('reads a commit record that a query has returned later than the next one', async () => {
  await insert('first')
  const late = await insert('late')
  await insert('next')
  await writeChangeLogOf(accountId)
  const { commit: sequence } = await itemOf(late)
  const isLate = (item: Record<string, unknown>) => item.sk === commitKey(accountId, sequence).sk
  let hiddenQueries = 0
  let gets = 0
  interceptTable(async (command, send) => {
    const answer = (await send(command)) as { Item?: Record<string, unknown>; Items?: Record<string, unknown>[] }
    if (command instanceof QueryCommand && answer.Items?.some(isLate)) {
      hiddenQueries++
      return { ...answer, Items: answer.Items.filter((item) => !isLate(item)) }
    }
    // Omits the record from every other read of its key, too, so that the first one misses it.
    const isHidden = command instanceof GetCommand && answer.Item && isLate(answer.Item) && gets++ % 2 === 0
    return isHidden ? {} : answer
  })
  expect(ofRows(await checkRows({}))).toEqual([])
  expect((await verifyChangeLog({ account_id: accountId, end: timestamp(clock.now()) })).damages).toEqual([])
  expect(gets).toBeGreaterThanOrEqual(4)
  expect(hiddenQueries).toBeGreaterThanOrEqual(2)
  await remove(commitKey(accountId, sequence))
  expect(ofRows(await checkRows({}))).toContainEqual(['missing', commitKey(accountId, sequence).sk])
})

it('stores the writing commit with a row, and the digest of the row in its record', async () => {
  const row = await insert('One')
  const item = await itemOf(row)
  const record = await getItem<{ commit_id: string; rows: object }>(commitKey(accountId, item.commit))
  expect(record?.rows).toEqual({ [rowName(item)]: rowDigest(String(record?.commit_id), item) })
  await removeRow(row)
  expect((await getItem(commitKey(accountId, item.commit + 1)))?.rows).toEqual({ [rowName(item)]: null })
})

it('records a row that changes in a field that is not logged', async () => {
  const row = await insert('One')
  await change(async (transaction) => transaction.update(groups, row, { synced_at: '2026-03-01T12:00:00.000000Z' }))
  const changed = (await itemOf(row)) as unknown as GroupRow & { commit: number }
  expect((await getItem(commitKey(accountId, changed.commit)))?.changes).toEqual([])
  expect(ofRows(await checkRows({}))).toEqual([])
  await put({ ...changed, synced_at: null })
  const { findings } = await checkRows({})
  expect(findings).toEqual([expect.objectContaining({ problem: 'altered', sort: row.id })])
  expect(findings[0]).not.toHaveProperty('fields')
})

it('finds a deleted row that exists again', async () => {
  const row = await insert('One')
  const item = await itemOf(row)
  await removeRow(row)
  await put(item)
  expect((await checkRows({})).findings).toContainEqual(
    expect.objectContaining({ problem: 'outdated', sort: row.id, commit: item.commit + 1 }),
  )
})

it('reads again if the items of a transaction become visible one by one', async () => {
  const row = await insert('One')
  const { commit: sequence } = await itemOf(row)
  let hidden = 0
  interceptTable(async (command, send) => {
    const answer = (await send(command)) as { Responses?: Record<string, Item[]> }
    const items = answer.Responses?.[tableName()] ?? []
    const record = items.findIndex(({ kind, sk }) => kind === 'commit' && sk === commitKey(accountId, sequence).sk)
    if (record >= 0 && hidden++ === 0) items.splice(record, 1)
    return answer
  })
  expect(ofRows(await checkRows({}))).toEqual([])
  expect(hidden).toBeGreaterThan(1)
})

it('finds a deleted commit record, and the rows that it wrote', async () => {
  const [one] = [await insert('One'), await insert('Two')]
  const { commit: sequence } = await itemOf(one)
  await remove(commitKey(accountId, sequence))
  expect(ofRows(await checkRows({})).sort()).toEqual([
    ['missing', commitKey(accountId, sequence).sk],
    ['unfounded', one.id],
  ])
})

it('finds a commit that was overwritten, by its differences from the row', async () => {
  const row = await insert('One')
  const item = await itemOf(row)
  const record = (await getItem(commitKey(accountId, item.commit))) as unknown as Item & { commit_id: string }
  const forged = { ...item, name: 'Forged' }
  await put(forged)
  await put({ ...record, rows: { [rowName(item)]: rowDigest(record.commit_id, forged) } })
  const finding = { problem: 'altered', item: 'row', at: item.pk, sort: row.id, fields: ['name'] }
  expect((await checkRows({})).findings).toContainEqual(expect.objectContaining(finding))
})

it('leaves a commit that was rewritten with its changes to the verification of the change log', async () => {
  const row = await insert('One')
  await writeChangeLogOf(accountId)
  const item = await itemOf(row)
  const record = (await getItem(commitKey(accountId, item.commit))) as unknown as Item & { commit_id: string }
  const forged = { ...item, name: 'Forged' }
  const [{ after, ...rest }] = record.changes as [{ after: object }]
  const changes = [{ ...rest, after: { ...after, name: 'Forged' } }]
  await put(forged)
  await put({ ...record, changes, rows: { [rowName(item)]: rowDigest(record.commit_id, forged) } })
  expect(ofRows(await checkRows({}))).toEqual([])
  const { damages } = await verifyChangeLog({ account_id: accountId, end: new Date().toISOString() })
  expect(damages).toEqual([expect.objectContaining({ problem: 'altered' })])
})

it('tolerates invalid commit records and rows', async () => {
  const row = await insert('One')
  const { commit: sequence } = await itemOf(row)
  await put({ ...commitKey(accountId, sequence), kind: 'commit', version: 'none', rows: 'none' })
  expect(ofRows(await checkRows({}))).toEqual([['unfounded', row.id]])
})

it("resumes within an account's commits after any interruption, and remembers few rows", async () => {
  const kept = await insertMany(range(15).map((i) => `Kept ${i}`))
  const deletedRows: GroupRow[] = []
  for (const part of range(40)) deletedRows.push(...(await insertMany(range(15).map((i) => `Gone ${part} ${i}`))))
  const again = await rename(kept[0] as GroupRow, 'Again')
  const old = await itemOf(kept[1] as GroupRow)
  await rename(kept[1] as GroupRow, 'Renamed')
  for (const part of range(40))
    await change(async (transaction) => {
      for (const row of deletedRows.slice(part * 15, part * 15 + 15)) transaction.delete(groups, row)
    })
  const clean = await inSteps(100)
  expect(ofRows(clean)).toEqual([])
  await remove(keyOf(again))
  await put(old)
  let largest = 0
  const torn = await inSteps(100, async ({ next }) => {
    largest = Math.max(largest, Object.keys(next?.walk?.open ?? {}).length)
  })
  expect(ofRows(torn).sort()).toEqual([
    ['missing', again.id],
    ['outdated', old.sk],
  ])
  expect(torn.steps).toBeGreaterThanOrEqual(5)
  expect(largest).toBeGreaterThan(20)
  expect(largest).toBeLessThanOrEqual(100)
  expect(ofRows(await checkRows({}))).toHaveLength(2)
})

it('finds all faults and no others while rows are created, changed and deleted', async () => {
  const torn = await insert('Torn')
  await remove(keyOf(torn))
  let ended = false
  let changes = 0
  const busy = async () => {
    for (let last: GroupRow | null = null; !ended; changes++) {
      if (last && changes % 3 === 2) {
        await removeRow(last)
        last = null
      } else last = last ? await rename(last, `Name ${changes}`) : await insert(`Busy ${changes}`)
      // Pauses between changes, because each change adds a commit that every run reads.
      await setTimeout(40)
    }
  }
  const work = busy()
  const runs: RowCheck[] = []
  for (let i = 0; i < 9; i++) runs.push(i % 2 ? await checkRows({}) : await inSteps())
  ended = true
  await work
  for (const run of runs) expect(ofRows(run)).toEqual([['missing', torn.id]])
  expect(changes).toBeGreaterThan(30)
})

it('skips an account in deletion, and checks one whose deletion is scheduled', async () => {
  const row = await insert('One')
  await remove(keyOf(row))
  const past = '2020-01-01T00:00:00.000000Z'
  await put(dueAccountItem(accountId, past))
  expect(ofRows(await checkRows({}))).toEqual([['missing', row.id]])
  const account = entityKey(accountId, 'accounts', accountId)
  await put({ ...(await getItem(account)), is_disabled: true, delete_at: past })
  expect(await closeAccount(accountId, '2030-01-01T00:00:00.000000Z')).toBe('closed')
  expect((await checkRows({})).findings).toEqual([])
  await remove(commitKey(accountId, 1))
  expect((await checkRows({})).findings).toEqual([])
  await deleteDueAccounts(Date.now() + 60_000)
  expect((await checkRows({})).findings).toEqual([])
})

it('retries unprocessed reads, with the same result', async () => {
  const rows = await insertMany(['One', 'Two', 'Three'])
  await remove(keyOf(rows[1] as GroupRow))
  vi.spyOn(clock, 'sleep').mockResolvedValue(undefined)
  let left = 6
  interceptTable(async (command, send) => {
    const answer = await send(command)
    if (!(command instanceof BatchGetCommand) || left-- <= 0) return answer
    // Leaves the second half of the keys unprocessed, as DynamoDB may do.
    const { Keys = [], ...how } = command.input.RequestItems?.[tableName()] ?? {}
    const items = (answer as unknown as { Responses: Record<string, Item[]> }).Responses[tableName()] ?? []
    const unread = Keys.slice(Math.ceil(Keys.length / 2))
    const isUnread = (item: Item) => unread.some(({ pk, sk }) => pk === item.pk && sk === item.sk)
    return {
      Responses: { [tableName()]: items.filter((item) => !isUnread(item)) },
      UnprocessedKeys: unread.length > 0 ? { [tableName()]: { Keys: unread, ...how } } : {},
    }
  })
  expect(ofRows(await checkRows({}))).toEqual([['missing', rows[1]?.id]])
  expect(left).toBeLessThanOrEqual(0)
})

it('checks rows of an older form by their digests, and skips fields that were added later', async () => {
  const row = await insert('One')
  const { upgrades, defaults } = groups
  try {
    groups.upgrades = [...upgrades, (old) => ({ ...old, name: 'Upgraded' })]
    groups.defaults = { ...defaults, later: 'yes' } as never
    expect(ofRows(await checkRows({}))).toEqual([])
    groups.upgrades = upgrades
    expect(ofRows(await checkRows({}))).toEqual([])
    await table().send(
      new UpdateCommand({
        TableName: tableName(),
        Key: keyOf(row),
        UpdateExpression: 'SET #later = :later',
        ExpressionAttributeNames: { '#later': 'later' },
        ExpressionAttributeValues: { ':later': 'changed' },
      }),
    )
    expect((await checkRows({})).findings).toEqual([
      expect.objectContaining({ problem: 'altered', sort: row.id, fields: ['later'] }),
    ])
  } finally {
    Object.assign(groups, { upgrades, defaults })
  }
})
