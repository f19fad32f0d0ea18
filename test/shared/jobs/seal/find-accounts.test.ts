import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { waiting } from '#shared/core/work/waiting.ts'
import { findAccounts } from '#shared/jobs/seal/find-accounts.ts'
import { sealedAccountsPartition } from '#shared/seal/log/sealed-accounts.ts'
import { table } from '#shared/table/client.ts'
import { ScanCommand } from '#shared/table/commands.ts'
import { insertAll } from '#shared/table/insert-all.ts'
import { headKey } from '#shared/table/keys.ts'
import { queryItems } from '#shared/table/read.ts'
import { useOwnTable } from '#test/support/table/own-table.ts'
import { failTable, inserts } from '#test/support/table/table-faults.ts'

let own: Awaited<ReturnType<typeof useOwnTable>>
const older = Array.from({ length: 5 }, () => randomUUID()).sort()

beforeEach(async () => {
  own = await useOwnTable()
  await insertAll(older.map((account) => ({ ...headKey(account), kind: 'head' })))
  await insertAll(older.map((account) => ({ pk: `${account}#sites`, sk: 'head', kind: 'entity' })))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await own.end()
})

const found = async () => (await queryItems(sealedAccountsPartition)).map(({ sk }) => sk)

/** Pages of three items. Time goes by in the pauses between them alone, 1 each. */
function smallPages() {
  const counted = { scans: 0, at: 0 }
  const send = table().send.bind(table())
  vi.spyOn(table(), 'send').mockImplementation((async (command: object, ...rest: []) => {
    if (command instanceof ScanCommand) {
      counted.scans++
      command.input.Limit = 3
    }
    return send(command as never, ...rest)
  }) as never)
  vi.spyOn(Date, 'now').mockImplementation(() => counted.at)
  vi.spyOn(waiting, 'sleep').mockImplementation(async () => {
    counted.at++
  })
  return counted
}

it('finds the accounts that are older than the sealing, a page a run where there is no more time, and never again', async () => {
  const counted = smallPages()
  await findAccounts(counted.at)
  expect(counted.scans).toBe(0)
  for (let runs = 1; runs <= 3; runs++) {
    await findAccounts(counted.at + 1)
    expect(counted.scans).toBe(runs)
  }
  await findAccounts(counted.at + 100)
  expect(await found()).toEqual(older)
  const { scans } = counted
  expect(scans).toBeGreaterThan(3)
  await findAccounts(counted.at + 100)
  expect(counted.scans).toBe(scans)
})

it('looks through a page again whose accounts it could not note', async () => {
  failTable('ValidationException', inserts(sealedAccountsPartition))
  await expect(findAccounts(Date.now() + 10_000)).rejects.toThrow()
  vi.restoreAllMocks()
  expect(await found()).toEqual([])
  await findAccounts(Date.now() + 10_000)
  expect(await found()).toEqual(older)
})
