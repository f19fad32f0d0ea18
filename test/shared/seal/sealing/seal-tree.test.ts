import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { expect, it, vi } from 'vitest'
import { handler as listSites } from '#functions/api/sites/list-sites.ts'
import { checkpointText } from '#shared/seal/notes/checkpoint.ts'
import { buildNote, openNote } from '#shared/seal/notes/signed-note.ts'
import { signText } from '#shared/seal/notes/signing-key.ts'
import { sealChanges } from '#shared/seal/sealing/seal-changes.ts'
import { Lease, type SealedState } from '#shared/seal/sealing/sealed-state.ts'
import { accountVersionKey, commitKey, type Item, type Key, sealKey, sealPartition } from '#shared/table/keys.ts'
import { getItem, queryItems } from '#shared/table/read.ts'
import { table, tableName } from '#shared/table/table.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { readChangeEntries, removeItem } from '#test/support/logs/change-log-items.ts'
import { plainRoot } from '#test/support/seal/plain-merkle-tree.ts'
import { changeSites, computeLeaves } from '#test/support/seal/sealed-account.ts'
import { advanceMinutes, beforeWrites, sealedState, sealNow, sealWorld } from '#test/support/seal/sealing.ts'

async function newFork() {
  const world = sealWorld()
  const { id: account } = await newAccount()
  await changeSites(account, 1)
  await sealNow(account)
  const note = world.read(`${account}/changes/checkpoint`)
  const items = async (): Promise<Item[]> => [
    ...(await readChangeEntries(account)),
    ...(await queryItems<Item>(commitKey(account, 0).pk)),
    ...(await queryItems<Item>(sealPartition(account, 'changes'))),
    ...(await queryItems<Item>(accountVersionKey(account).pk)),
  ]
  const before = await items()
  await changeSites(account, 1)
  await sealNow(account)
  const { size } = (await getItem(sealKey(account, 'changes'))) as { size: number }
  for (const item of await items())
    if (!before.some(({ pk, sk }) => pk === item.pk && sk === item.sk)) await removeItem(item)
  for (const Item of before) await table().send(new PutCommand({ TableName: tableName(), Item }))
  await changeSites(account, 1)
  // Removes the tiles, so that only the checkpoints show the fork.
  rmSync(join(world.folder, `${account}/changes/tile`), { recursive: true })
  return { world, account, note, size }
}

it.each<[string, (fork: Awaited<ReturnType<typeof newFork>>) => void]>([
  [
    'the newest checkpoint',
    ({ world, account, size }) => rmSync(join(world.folder, `${account}/changes/checkpoints/${size}`)),
  ],
  ['the checkpoint of that size', ({ world, account, note }) => world.write(`${account}/changes/checkpoint`, note)],
])('signs no second root for a size when only %s is missing', async (_what, damage) => {
  const fork = await newFork()
  damage(fork)
  const before = await sealedState(fork.account)
  await expect(sealNow(fork.account)).rejects.toMatchObject({ problem: 'diverged' })
  expect(await sealedState(fork.account)).toEqual(before)
})

it('stores no second root for a size that another run has signed meanwhile', async () => {
  const { world, account, note, size } = await newFork()
  const checkpointPath = `${account}/changes/checkpoints/${size}`
  const signed = world.read(checkpointPath)
  world.write(`${account}/changes/checkpoint`, note)
  rmSync(join(world.folder, checkpointPath))
  const before = await sealedState(account)
  let writes = 0
  // Plants the signed checkpoint before the third write, after the tile and the newest checkpoint are written.
  const restore = beforeWrites((item) => {
    if (!item && ++writes === 3) world.write(checkpointPath, signed)
  })
  await expect(sealNow(account)).rejects.toMatchObject({ problem: 'diverged', at: checkpointPath })
  restore()
  expect(await sealedState(account)).toEqual(before)
})

it('signs nothing when the bucket has an older checkpoint than the table', async () => {
  const world = sealWorld()
  const { id: account } = await newAccount()
  const path = `${account}/changes/checkpoint`
  await changeSites(account, 1)
  await sealNow(account)
  const older = world.read(path)
  await changeSites(account, 1)
  await sealNow(account)
  await changeSites(account, 1)
  world.write(path, older)
  await expect(sealNow(account)).rejects.toMatchObject({ problem: 'checkpoint', at: path })
  expect(world.read(path)).toBe(older)
})

it('signs nothing when the bucket has lost the newest checkpoint', async () => {
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

it('completes the checkpoint of an interrupted run, and then continues', async () => {
  const world = sealWorld()
  const { id: account } = await newAccount()
  await changeSites(account, 1)
  let writes = 0
  // Kills the run after the tile and the newest checkpoint are written, but before the checkpoint named after its size.
  const restore = beforeWrites(() => {
    if (++writes > 2) throw new Error('killed')
  })
  await expect(sealNow(account)).rejects.toThrow('killed')
  restore()
  const note = world.read(`${account}/changes/checkpoint`)
  const { length } = await computeLeaves(account)
  await changeSites(account, 1, 1)
  await sealNow(account)
  expect(world.read(`${account}/changes/checkpoints/${length}`)).toBe(note)
  const { size, root } = await sealedState(account)
  expect([size, root]).toEqual([length + 2, plainRoot(await computeLeaves(account)).toString('base64')])
  expect(world.paths()).toContain(`${account}/changes/checkpoints/${size}`)
})

it('signs nothing when the lease is about to end', async () => {
  const world = sealWorld()
  const { id: account } = await newAccount()
  await changeSites(account, 1)
  const lease = await Lease.take(account, 'changes')
  if (!lease) throw new Error('Another run has the log.')
  advanceMinutes(4.6)
  const sealing = { account, log: 'changes' as const, address: world.address, lease }
  await expect(sealChanges(sealing, Date.now() + 60_000)).rejects.toThrow('The next run continues')
  expect(world.paths().filter((path) => path.includes('checkpoint'))).toEqual([])
})

it('continues the log when the service has another address', async () => {
  const world = sealWorld()
  const { id: account } = await newAccount()
  await changeSites(account, 1)
  await sealNow(account)
  const { size } = await sealedState(account)
  vi.stubEnv('SERVICE_URL', 'https://private.example.com')
  await changeSites(account, 1)
  await sealNow(account)
  const newest = await sealedState(account)
  expect(newest).toMatchObject({ size: size + 1, origin: `private.example.com/${account}/changes` })
  expect(openNote(world.read(`${account}/changes/checkpoint`), newest.key)).toContain(newest.origin)
})

it('does not continue from the checkpoint of another log, or from an unsigned root in the table', async () => {
  const world = sealWorld()
  const account = await newAccount()
  await account.call(listSites, { method: 'GET' })
  await changeSites(account.id, 1)
  advanceMinutes(80)
  await sealNow(account.id, 'activity')
  const path = `${account.id}/changes/checkpoint`
  mkdirSync(join(world.folder, `${account.id}/changes`))
  world.write(path, world.read(`${account.id}/activity/checkpoint`))
  await expect(sealNow(account.id)).rejects.toMatchObject({ problem: 'checkpoint', at: path })
  rmSync(join(world.folder, path))
  await sealNow(account.id)
  const state = (await getItem(sealKey(account.id, 'changes'))) as Key & SealedState
  await changeSites(account.id, 1)
  // Checkpoint of the same tree with the origin of the next log generation.
  const following = { origin: `${state.origin}.2`, size: state.size, root: Buffer.from(state.root, 'base64') }
  const text = checkpointText({ ...following, extensions: [] })
  world.write(path, buildNote(text, await world.key(), await signText(text)))
  await expect(sealNow(account.id)).rejects.toMatchObject({ problem: 'checkpoint', at: path })
  world.write(path, state.note)
  const root = Buffer.alloc(32, 1).toString('base64')
  await table().send(new PutCommand({ TableName: tableName(), Item: { ...state, root } }))
  await expect(sealNow(account.id)).rejects.toMatchObject({ problem: 'diverged', at: path })
  await table().send(new PutCommand({ TableName: tableName(), Item: state }))
  await sealNow(account.id)
})
