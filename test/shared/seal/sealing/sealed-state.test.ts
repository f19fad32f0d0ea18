import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { Lease, putCheckpoint, readCheckpoint, type SealedState } from '#shared/seal/sealing/sealed-state.ts'
import { laterByMinutes } from '#test/support/seal/sealing.ts'

const state: SealedState = {
  size: 1,
  root: 'root',
  note: 'note',
  origin: 'access.example.com/a/changes',
  verifier_key: 'key',
  signed_at: 1,
  from: null,
}

it('keeps one checkpoint of a size, whoever stores it again', async () => {
  const account = randomUUID()
  for (let i = 0; i < 2; i++) await putCheckpoint(account, 'changes', { size: 7, root: 'one', note: 'a' })
  const other = putCheckpoint(account, 'changes', { size: 7, root: 'another', note: 'b' })
  await expect(other).rejects.toMatchObject({ problem: 'diverged' })
  expect(await readCheckpoint(account, 'changes', 7)).toMatchObject({ root: 'one', note: 'a' })
})

it('keeps the lease while it stores, and shows what it has stored', async () => {
  const account = randomUUID()
  const lease = await Lease.take(account, 'changes')
  expect(lease?.state).toBeNull()
  await lease?.store(state)
  expect(lease?.state).toEqual(state)
  expect(await Lease.take(account, 'changes')).toBeNull()
  await lease?.end()
  expect((await Lease.take(account, 'changes'))?.state).toEqual(state)
})

it('keeps with all that it stores which log it follows', async () => {
  const account = randomUUID()
  const follows = { origin: state.origin, size: 3, root: 'root', note: 'note', shared: 1, last: 'c' }
  const lease = await Lease.take(account, 'changes')
  await lease?.begin({ generation: 2, follows }, { hour: 5 })
  expect([lease?.state, lease?.generation]).toEqual([null, 2])
  await lease?.store(state)
  await lease?.end()
  const next = await Lease.take(account, 'changes')
  expect([next?.state, next?.begun]).toEqual([state, { generation: 2, follows }])
})

it('leaves a lease alone that is another run by now', async () => {
  const account = randomUUID()
  const late = await Lease.take(account, 'changes')
  laterByMinutes(5.1)
  expect(await Lease.take(account, 'changes')).not.toBeNull()
  await late?.end()
  expect(await Lease.take(account, 'changes')).toBeNull()
})

it('signs nothing in the last half minute of a lease', async () => {
  const lease = await Lease.take(randomUUID(), 'changes')
  laterByMinutes(4.4)
  expect(() => lease?.check()).not.toThrow()
  laterByMinutes(0.2)
  expect(() => lease?.check()).toThrow('The next run continues')
})
