import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, it } from 'vitest'
import { handler as listSites } from '#functions/api/sites/list-sites.ts'
import { SealConflict } from '#shared/seal/log/seal-damage.ts'
import type { SealedLog } from '#shared/seal/log/sealed-log.ts'
import { consistencyProof, provesConsistency, readRoot } from '#shared/seal/merkle/merkle-proof.ts'
import { parseCheckpoint } from '#shared/seal/notes/checkpoint.ts'
import { openNote } from '#shared/seal/notes/signed-note.ts'
import { tableHashes } from '#shared/seal/sealing/table-tiles.ts'
import { sealPartition } from '#shared/table/keys.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { plainRoot } from '#test/support/seal/plain-merkle-tree.ts'
import { changeSites, computeLeaves } from '#test/support/seal/sealed-account.ts'
import {
  advanceMinutes,
  beforeWrites,
  type SealWorld,
  sealedState,
  sealNow,
  sealWorld,
} from '#test/support/seal/sealing.ts'

/** Marks the asynchronous context of the first run, so that only its writes are counted. */
const first = new AsyncLocalStorage<true>()

/**
 * Pauses a run before its write number `at` until its lease has expired and another run has completed.
 * @returns false if the run ended before that write
 */
async function overlap(
  account: string,
  log: SealedLog,
  at: number,
  meanwhile: () => Promise<unknown>,
): Promise<boolean> {
  let writes = 0
  const [reached, released] = [Promise.withResolvers<true>(), Promise.withResolvers<void>()]
  const restore = beforeWrites(async () => {
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
    advanceMinutes(6)
    await meanwhile()
    await sealNow(account, log)
  }
  released.resolve()
  const error = await late
  restore()
  // Accepts a late run that has nothing left to seal, or that fails because of a conflict or its expired lease.
  if (error !== null && !(error instanceof SealConflict)) expect(error.message).toContain('lease')
  return isStopped
}

async function isOneTree(world: SealWorld, account: string, log: SealedLog): Promise<void> {
  const state = await sealedState(account, log)
  const key = await world.key()
  const opened = (path: string) => parseCheckpoint(openNote(world.read(path), key) ?? '')
  const newest = opened(`${account}/${log}/checkpoint`)
  expect([newest.size, newest.root.toString('base64')]).toEqual([state.size, state.root])
  const read = tableHashes(sealPartition(account, log))
  for (const path of world.paths().filter((name) => name.includes(`${log}/checkpoints/`))) {
    const older = opened(path)
    expect(await readRoot(older.size, read)).toEqual(older.root)
    expect(provesConsistency(older, newest, await consistencyProof(older.size, newest.size, read))).toBe(true)
  }
}

let account: Account
const change = (...counts: number[]) => changeSites(account.id, ...counts)

it('keeps one change log when a run is overtaken at any write, with or without further changes', async () => {
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
  const all = await computeLeaves(account.id)
  await sealNow(account.id)
  const { size, root } = await sealedState(account.id)
  expect([size, root]).toEqual([all.length, plainRoot(all).toString('base64')])
})

it('keeps one activity log when a run is overtaken at any write', async () => {
  account = await newAccount()
  const world = sealWorld()
  const hour = async () => {
    for (let i = 0; i < 2; i++) await account.call(listSites, { method: 'GET' })
    advanceMinutes(76)
  }
  await hour()
  await sealNow(account.id, 'activity')
  for (let at = 0, isStopped = true; isStopped; at++) {
    await hour()
    isStopped = await overlap(account.id, 'activity', at, at % 2 === 0 ? hour : () => Promise.resolve())
    await isOneTree(world, account.id, 'activity')
    if (!isStopped) expect(at).toBeGreaterThan(5)
  }
})
