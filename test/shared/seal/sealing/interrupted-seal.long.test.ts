import { beforeEach, expect, it } from 'vitest'
import { parseCheckpoint } from '#shared/seal/notes/checkpoint.ts'
import { openNote } from '#shared/seal/notes/signed-note.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { plainRoot } from '#test/support/seal/plain-merkle-tree.ts'
import { changeSites, computeLeaves } from '#test/support/seal/sealed-account.ts'
import { beforeWrites, type SealWorld, sealedState, sealNow, sealWorld } from '#test/support/seal/sealing.ts'

let account: string
let world: SealWorld
const change = (...counts: number[]) => changeSites(account, ...counts)

beforeEach(async () => {
  account = (await newAccount()).id
  world = sealWorld()
  await change(1, 3)
})

it('resumes after an interruption at any write, with one root per size', async () => {
  await change(20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20)
  await sealNow(account)
  const signed = new Map<string, string>()
  for (let broken = 0, isThrough = false; !isThrough; broken++) {
    await change(20, 20)
    let writes = 0
    const restore = beforeWrites(() => {
      if (writes++ === broken) throw new Error('killed')
    })
    isThrough = await sealNow(account).then(
      () => true,
      (error) => {
        if (error.message !== 'killed') throw error
        return false
      },
    )
    restore()
    for (const path of world.paths().filter((name) => name.includes('/checkpoint'))) {
      const { size, root } = parseCheckpoint(openNote(world.read(path), await world.key()) ?? '')
      expect(signed.get(String(size)) ?? root.toString('base64')).toBe(root.toString('base64'))
      signed.set(String(size), root.toString('base64'))
    }
    if (isThrough) expect(broken).toBeGreaterThan(5)
  }
  const all = await computeLeaves(account)
  for (const [size, root] of signed) expect(root).toBe(plainRoot(all.slice(0, Number(size))).toString('base64'))
  await sealNow(account)
  expect((await sealedState(account)).size).toBe(all.length)
  expect(parseCheckpoint(openNote(world.read(`${account}/changes/checkpoint`), await world.key()) ?? '').size).toBe(
    all.length,
  )
})
