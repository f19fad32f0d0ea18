import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, expect, it } from 'vitest'
import { instantOf, logId, positionTail } from '#shared/logs/entries/log-id.ts'
import { logKey } from '#shared/logs/entries/log-keys.ts'
import { verifiedCommits } from '#shared/seal/sealing/seal-changes.ts'
import { readAccountVersion } from '#shared/table/account-version.ts'
import type { Item } from '#shared/table/keys.ts'
import { table, tableName } from '#shared/table/table.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { readChangeEntries, removeItem } from '#test/support/logs/change-log-items.ts'
import { plainRoot } from '#test/support/seal/plain-merkle-tree.ts'
import { changeSites, computeLeaves, insertSites } from '#test/support/seal/sealed-account.ts'
import { advanceMinutes, sealedState, sealNow, sealWorld } from '#test/support/seal/sealing.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'

let account: string
const put = (Item: Item) => table().send(new PutCommand({ TableName: tableName(), Item }))

beforeEach(async () => {
  account = (await newAccount()).id
  sealWorld()
  await changeSites(account, 1, 3)
})

async function insertEntry(micros: number): Promise<string> {
  const id = logId('change', micros, positionTail(0))
  await put({ ...((await readChangeEntries(account)).at(-1) as Item), ...logKey(account, id) })
  return id
}

it('ends with the requested commit', async () => {
  const { sequence: last } = await readAccountVersion(account)
  const sequences: number[] = []
  const beginning = { account, sequence: 0, time: 0, leaves: 0 }
  for await (const { sequence } of verifiedCommits(beginning, last - 1)) sequences.push(sequence)
  expect(sequences).toEqual(Array.from({ length: last - 1 }, (_, i) => i + 1))
})

it('finds an entry without a commit right after the sealed ones', async () => {
  await sealNow(account)
  await changeSites(account, 1)
  const at = await insertEntry(((await sealedState(account)).time ?? 0) + 1)
  await expect(sealNow(account)).rejects.toMatchObject({ problem: 'unfounded', at })
})

it('finds an entry without a commit before a commit whose entries are not stored yet', async () => {
  await insertSites(account, 1)
  const at = await insertEntry(instantOf((await readChangeEntries(account)).at(-1)?.sk ?? '') + 1)
  await expect(sealNow(account)).rejects.toMatchObject({ problem: 'unfounded', at })
})

it('does not sign an entry with the leaf number of another', async () => {
  const entry = (await readChangeEntries(account)).at(-1) as Item
  await put({ ...entry, leaf: Number(entry.leaf) - 1 })
  await expect(sealNow(account)).rejects.toMatchObject({ problem: 'misnumbered', at: entry.sk })
  await put(entry)
  await sealNow(account)
})

it('reads again an item that an eventually consistent read missed', async () => {
  let overlooked = 0
  const spy = interceptTable(async (command, send) => {
    const answer = (await send(command)) as { Items?: unknown[] }
    if (!(command instanceof QueryCommand) || (answer.Items?.length ?? 0) < 2) return answer
    overlooked++
    return { ...answer, Items: answer.Items?.filter((_, i) => i !== 1) }
  })
  await sealNow(account)
  spy.mockRestore()
  // Expects that both the queries of commits and the queries of entries missed an item.
  expect(overlooked).toBeGreaterThanOrEqual(2)
  const leaves = await computeLeaves(account)
  expect(await sealedState(account)).toMatchObject({ size: leaves.length, root: plainRoot(leaves).toString('base64') })
})

it('seals expired entries by their commits, from an hour before the end of the retention', async () => {
  await sealNow(account)
  await changeSites(account, 2)
  for (const entry of await readChangeEntries(account)) await removeItem(entry)
  advanceMinutes(90 * 24 * 60 - 90)
  await expect(sealNow(account)).rejects.toMatchObject({ problem: 'missing' })
  advanceMinutes(60)
  await sealNow(account)
  const leaves = await computeLeaves(account)
  expect(await sealedState(account)).toMatchObject({ size: leaves.length, root: plainRoot(leaves).toString('base64') })
})
