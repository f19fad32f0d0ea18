import { beforeEach, expect, it } from 'vitest'
import { SealConflict } from '#shared/seal/log/seal-damage.ts'
import { hasNewest, putNewest, putOnce } from '#shared/seal/sealing/signed-objects.ts'
import { type SealWorld, sealWorld } from '#test/support/seal/sealing.ts'

let world: SealWorld
beforeEach(() => {
  world = sealWorld()
})

it('puts an immutable object once, and detects other content at its path', async () => {
  for (let i = 0; i < 2; i++) await putOnce('a/changes/tile/0/000', 'a tile', 'diverged')
  const other = putOnce('a/changes/tile/0/000', 'a till', 'diverged')
  await expect(other).rejects.toMatchObject({ problem: 'diverged', at: 'a/changes/tile/0/000' })
  expect(world.read('a/changes/tile/0/000')).toBe('a tile')
})

it('replaces the newest checkpoint that was read, and accepts an equal one of another run', async () => {
  await putNewest('a/changes/checkpoint', 'one', null)
  await putNewest('a/changes/checkpoint', 'one', null)
  await expect(putNewest('a/changes/checkpoint', 'two', null)).rejects.toThrow(SealConflict)
  expect(world.read('a/changes/checkpoint')).toBe('one')
})

it('compares the newest checkpoint with the one in the table', async () => {
  expect(await hasNewest('a', 'changes', {})).toBe(true)
  expect(await hasNewest('a', 'changes', { note: 'one' })).toBe(false)
  await putNewest('a/changes/checkpoint', 'one', null)
  await putNewest('a/changes.2/checkpoint', 'two', null)
  expect(await hasNewest('a', 'changes', {})).toBe(false)
  expect(await hasNewest('a', 'changes', { note: 'one' })).toBe(true)
  expect(await hasNewest('a', 'changes', { note: 'two' })).toBe(false)
  expect(await hasNewest('a', 'changes', { note: 'two', generation: 2 })).toBe(true)
})
