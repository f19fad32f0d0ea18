import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, it } from 'vitest'
import { handler as listSites } from '#functions/api/sites/list-sites.ts'
import { Overtaken } from '#shared/seal/log/seal-damage.ts'
import type { SealedLog } from '#shared/seal/log/sealed-log.ts'
import { consistencyProof, provesConsistency, rootOf } from '#shared/seal/merkle/merkle-proof.ts'
import { parseCheckpoint } from '#shared/seal/notes/checkpoint.ts'
import { openNote } from '#shared/seal/notes/signed-note.ts'
import { tableHashes } from '#shared/seal/sealing/table-tiles.ts'
import { sealPartition } from '#shared/table/keys.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { plainRoot } from '#test/support/seal/plain-merkle-tree.ts'
import { changeSites, leavesOf } from '#test/support/seal/sealed-account.ts'
import {
  aheadOfWrites,
  laterByMinutes,
  type SealWorld,
  sealedState,
  sealNow,
  sealWorld,
} from '#test/support/seal/sealing.ts'

/** Whose writes are those of the first run. */
const first = new AsyncLocalStorage<true>()

/**
 * Lets a run stop ahead of its write of this number until another has come and gone, after its lease.
 * @returns whether it came so far
 */
async function overlap(
  account: string,
  log: SealedLog,
  at: number,
  meanwhile: () => Promise<unknown>,
): Promise<boolean> {
  let writes = 0
  const [reached, released] = [Promise.withResolvers<true>(), Promise.withResolvers<void>()]
  const restore = aheadOfWrites(async () => {
    if (!first.getStore() || writes++ !== at) return
    reached.resolve(true)
    await released.promise
  })
  const late = first
    .run(true, () => sealNow(account, log))
    .then(
      () => null,
      (error) => error,
    )
  const isStopped = await Promise.race([reached.promise, late.then(() => false)])
  if (isStopped) {
    laterByMinutes(6)
    await meanwhile()
    await sealNow(account, log)
  }
  released.resolve()
  const error = await late
  restore()
  // Who comes late finds that all is done, or that it is another's now.
  if (error !== null && !(error instanceof Overtaken)) expect(error.message).toContain('lease')
  return isStopped
}

/** Every checkpoint that was signed is one of the same tree, and table and bucket have the same newest one. */
async function isOneTree(world: SealWorld, account: string, log: SealedLog): Promise<void> {
  const state = await sealedState(account, log)
  const key = await world.key()
  const opened = (path: string) => parseCheckpoint(openNote(world.read(path), key) ?? '')
  const newest = opened(`${account}/${log}/checkpoint`)
  expect([newest.size, newest.root.toString('base64')]).toEqual([state.size, state.root])
  const read = tableHashes(sealPartition(account, log))
  for (const path of world.paths().filter((name) => name.includes(`${log}/checkpoints/`))) {
    const older = opened(path)
    expect(await rootOf(older.size, read)).toEqual(older.root)
    expect(provesConsistency(older, newest, await consistencyProof(older.size, newest.size, read))).toBe(true)
  }
}

let account: Account
const change = (...counts: number[]) => changeSites(account.id, ...counts)

it('leaves one log of changes wherever a run is overtaken by the next, which has more or as much to seal', async () => {
  account = await newAccount()
  const world = sealWorld()
  await change(...Array.from({ length: 12 }, () => 20))
  await sealNow(account.id)
  for (let at = 0, isStopped = true; isStopped; at++) {
    for (const more of [0, 9]) {
      await change(10, 3)
      isStopped = await overlap(account.id, 'changes', at, () => (more > 0 ? change(more) : Promise.resolve()))
      await isOneTree(world, account.id, 'changes')
    }
    if (!isStopped) expect(at).toBeGreaterThan(5)
  }
  const all = await leavesOf(account.id)
  await sealNow(account.id)
  const { size, root } = await sealedState(account.id)
  expect([size, root]).toEqual([all.length, plainRoot(all).toString('base64')])
}, 60_000)

it('leaves one log of activity wherever a run is overtaken by the next', async () => {
  account = await newAccount()
  const world = sealWorld()
  const hour = async () => {
    for (let i = 0; i < 2; i++) await account.call(listSites, { method: 'GET' })
    laterByMinutes(76)
  }
  await hour()
  await sealNow(account.id, 'activity')
  for (let at = 0, isStopped = true; isStopped; at++) {
    await hour()
    isStopped = await overlap(account.id, 'activity', at, at % 2 === 0 ? hour : () => Promise.resolve())
    await isOneTree(world, account.id, 'activity')
    if (!isStopped) expect(at).toBeGreaterThan(5)
  }
}, 60_000)
