import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { table, tableName } from '#shared/table/client.ts'
import { PutCommand } from '#shared/table/commands.ts'
import { commitKey, headKey, type Key, sealKey } from '#shared/table/keys.ts'
import { getItem, queryItems } from '#shared/table/read.ts'
import { newAccount } from '#test/support/account.ts'
import { changeEntriesOf, removeItem } from '#test/support/change-log-items.ts'
import { changeSites } from '#test/support/sealed-account.ts'
import { type SealWorld, sealedState, sealNow, sealWorld } from '#test/support/sealing.ts'

/** A log that was sealed twice, and whose table then went back to the first time, and on in another way. */
async function newFork() {
  const world = sealWorld()
  const { id: account } = await newAccount()
  await changeSites(account, 1)
  await sealNow(account)
  const note = world.read(`${account}/changes/checkpoint`)
  const [state, head] = await Promise.all([getItem(sealKey(account, 'changes')), getItem(headKey(account))])
  const known = new Set(
    [...(await queryItems(commitKey(account, 0).pk)), ...(await changeEntriesOf(account))].map(({ sk }) => sk),
  )
  await changeSites(account, 1)
  await sealNow(account)
  const { size } = (await getItem(sealKey(account, 'changes'))) as { size: number }
  for (const item of [...(await queryItems(commitKey(account, 0).pk)), ...(await changeEntriesOf(account))] as Key[])
    if (!known.has(item.sk)) await removeItem(item)
  for (const Item of [state, head]) await table().send(new PutCommand({ TableName: tableName(), Item: Item as Key }))
  await changeSites(account, 1)
  return { world, account, note, size }
}

it.each<[string, (fork: { world: SealWorld; account: string; note: string; size: number }) => void]>([
  [
    'the newest checkpoint',
    ({ world, account, size }) => rmSync(join(world.folder, `${account}/changes/checkpoints/${size}`)),
  ],
  ['the checkpoint of that size', ({ world, account, note }) => world.write(`${account}/changes/checkpoint`, note)],
])('signs no second root for a size, if %s alone tells of the first', async (_what, damage) => {
  const fork = await newFork()
  damage(fork)
  const before = await sealedState(fork.account)
  await expect(sealNow(fork.account)).rejects.toMatchObject({ problem: 'diverged' })
  expect(await sealedState(fork.account)).toEqual(before)
})

it('signs nothing where the bucket has lost the newest checkpoint', async () => {
  const world = sealWorld()
  const { id: account } = await newAccount()
  await changeSites(account, 1)
  await sealNow(account)
  const before = await sealedState(account)
  await changeSites(account, 1)
  rmSync(join(world.folder, `${account}/changes/checkpoint`))
  await expect(sealNow(account)).rejects.toMatchObject({ problem: 'absent', at: `${account}/changes/checkpoint` })
  expect(await sealedState(account)).toEqual(before)
})
