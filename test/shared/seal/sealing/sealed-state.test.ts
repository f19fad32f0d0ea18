import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { Lease, putCheckpoint, readCheckpoint, type SealedState } from '#shared/seal/sealing/sealed-state.ts'
import { advanceMinutes } from '#test/support/seal/sealing.ts'

const state: SealedState = {
  size: 1,
  root: 'root',
  note: 'note',
  origin: 'access.example.com/a/changes',
  verifier_key: 'key',
  signed_at: 1,
  from: null,
}

it('stores one checkpoint per size, and accepts an equal one', async () => {
  const account = randomUUID()
  for (let i = 0; i < 2; i++) await putCheckpoint(account, 'changes', { size: 7, root: 'one', note: 'a' })
  const other = putCheckpoint(account, 'changes', { size: 7, root: 'another', note: 'b' })
  await expect(other).rejects.toMatchObject({ problem: 'diverged' })
  expect(await readCheckpoint(account, 'changes', 7)).toMatchObject({ root: 'one', note: 'a' })
})

it('keeps the lease while it stores a state, and returns that state', async () => {
  const account = randomUUID()
  const lease = await Lease.take(account, 'changes')
  expect(lease?.state).toBeNull()
  await lease?.store(state)
  expect(lease?.state).toEqual(state)
  expect(await Lease.take(account, 'changes')).toBeNull()
  await lease?.end()
  expect((await Lease.take(account, 'changes'))?.state).toEqual(state)
})

it('keeps the predecessor of the log in every stored state', async () => {
  const account = randomUUID()
  const follows = { origin: state.origin, size: 3, root: 'root', note: 'note', shared: 1, last: 'c' }
  const lease = await Lease.take(account, 'changes')
  await lease?.begin({ generation: 2, follows }, { hour: 5 })
  expect([lease?.state, lease?.generation]).toEqual([null, 2])
  await lease?.store(state)
  await lease?.end()
  const next = await Lease.take(account, 'changes')
  expect([next?.state, next?.start]).toEqual([state, { generation: 2, follows }])
})

it('does not end the lease of another run', async () => {
  const account = randomUUID()
  const late = await Lease.take(account, 'changes')
  advanceMinutes(5.1)
  expect(await Lease.take(account, 'changes')).not.toBeNull()
  await late?.end()
  expect(await Lease.take(account, 'changes')).toBeNull()
})

it('signs nothing in the last half minute of a lease', async () => {
  const lease = await Lease.take(randomUUID(), 'changes')
  advanceMinutes(4.4)
  expect(() => lease?.check()).not.toThrow()
  advanceMinutes(0.2)
  expect(() => lease?.check()).toThrow('The next run continues')
})
