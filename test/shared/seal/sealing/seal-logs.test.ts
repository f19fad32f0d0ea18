import { randomUUID } from 'node:crypto'
import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { sealedAccountItem, sealedAccountsPartition } from '#shared/seal/log/sealed-log.ts'
import { sealLogs } from '#shared/seal/sealing/seal-logs.ts'
import { insertAll } from '#shared/table/insert-all.ts'
import { type Key, sealKey } from '#shared/table/keys.ts'
import { queryItems } from '#shared/table/read.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { readChangeEntries, removeItem } from '#test/support/logs/change-log-items.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'
import { changeSites, computeLeaves } from '#test/support/seal/sealed-account.ts'
import { advanceMinutes, type SealWorld, sealedState, sealWorld } from '#test/support/seal/sealing.ts'
import { recordCommands } from '#test/support/table/intercept-table.ts'
import { useOwnTable } from '#test/support/table/own-table.ts'
import { failTable } from '#test/support/table/table-faults.ts'

let ownTable: Awaited<ReturnType<typeof useOwnTable>>
let world: SealWorld
let account: string
let other: string

beforeEach(async () => {
  ownTable = await useOwnTable()
  world = sealWorld()
  account = (await newAccount()).id
  other = (await newAccount()).id
  for (const id of [account, other]) await changeSites(id, 2)
})
afterEach(async () => {
  vi.restoreAllMocks()
  await ownTable.end()
})

const found = async () => (await queryItems(sealedAccountsPartition)).map(({ sk }) => sk)

async function run(deadline = Date.now() + 60_000) {
  const caught = catchLog()
  await sealLogs(deadline)
  return caught
    .lines()
    .map(({ event, account_id, log, problem, leaves }) => ({
      event,
      account_id,
      log,
      ...(problem === undefined ? { leaves } : { problem }),
    }))
}
const stopped = { event: 'seal_stopped', account_id: '', log: 'changes' }

it('seals new entries of each account, and takes no lease of a log without any', async () => {
  advanceMinutes(76)
  const events = await run()
  for (const id of [account, other]) {
    const leaves = (await computeLeaves(id)).length
    expect(events).toContainEqual({ event: 'log_sealed', account_id: id, log: 'changes', leaves })
    expect((await sealedState(id)).size).toBe(leaves)
  }
  await changeSites(other, 3)
  const sent = recordCommands()
  expect(await run()).toEqual([{ event: 'log_sealed', account_id: other, log: 'changes', leaves: 3 }])
  const inputs = sent.map(({ input }) => JSON.stringify(input))
  const leases = inputs.filter((input) => input.includes('lease_until'))
  expect(leases.filter((input) => input.includes(account))).toEqual([])
  expect(leases.some((input) => input.includes(sealKey(other, 'changes').pk))).toBe(true)
})

it('detects a restore of the table within an hour, even without changes', async () => {
  advanceMinutes(76)
  await run()
  const instant = await ownTable.items(account)
  await changeSites(account, 1)
  const ahead = await ownTable.items(account)
  expect(await run()).toHaveLength(1)
  const newest = (await ownTable.items(account)).filter(({ pk }) => String(pk).includes('#seal.changes'))
  await ownTable.restore(account, instant)
  const objects = world.paths()
  expect(await run()).toEqual([])
  advanceMinutes(60)
  expect(await run()).toContainEqual({ ...stopped, account_id: account, problem: 'behind' })
  expect(world.paths().filter((path) => path.includes(`${account}/changes`))).toEqual(
    objects.filter((path) => path.includes(`${account}/changes`)),
  )
  // Restores entries that match the bucket, so that sealing continues.
  await ownTable.restore(account, [...ahead.filter(({ pk }) => !String(pk).includes('#seal.changes')), ...newest])
  advanceMinutes(60)
  expect((await run()).filter(({ event }) => event === 'seal_stopped')).toEqual([])
})

it('reports a damaged log and a failure, and continues with the other logs', async () => {
  await removeItem((await readChangeEntries(account))[0] as Key)
  advanceMinutes(20)
  const events = await run()
  expect(events).toContainEqual({ ...stopped, account_id: account, problem: 'missing' })
  expect(events).toContainEqual(expect.objectContaining({ event: 'log_sealed', account_id: other, log: 'changes' }))
  // Expects the same report again, because the failed run has released its lease.
  expect(await run()).toContainEqual({ ...stopped, account_id: account, problem: 'missing' })
  await changeSites(other, 1)
  const { pk } = sealKey(account, 'changes')
  failTable('ValidationException', (command) => command instanceof UpdateCommand && command.input.Key?.pk === pk)
  await expect(run()).rejects.toMatchObject({ errors: [expect.objectContaining({ name: 'ValidationException' })] })
  expect((await sealedState(other)).size).toBe((await computeLeaves(other)).length)
})

it('removes deleted accounts, and reaches accounts after the first page of fifty', async () => {
  const gone = Array.from({ length: 50 }, () => `00${randomUUID().slice(2)}`)
  await insertAll(gone.map(sealedAccountItem))
  expect(await run()).toContainEqual(expect.objectContaining({ event: 'log_sealed', account_id: account }))
  expect(await found()).toEqual([account, other].sort())
})

it('seals nothing after the deadline', async () => {
  expect(await run(Date.now() - 1)).toEqual([])
  expect(await ownTable.items(`${account}#seal`)).toEqual([])
})
