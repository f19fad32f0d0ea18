import { createHook } from 'node:async_hooks'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { handler as createUser } from '#functions/v0/users/create-v0-user.ts'
import { handler as updateUser } from '#functions/v0/users/update-v0-user.ts'
import { hashPassword } from '#shared/core/secrets/password-hash.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { newEmail, newV0User } from '#test/support/accounts/v0.ts'

let account: Awaited<ReturnType<typeof newAccount>>
beforeAll(async () => {
  account = await newAccount()
})

/** Counts the hashes that Node's thread pool computes, in total and concurrently. */
const hashes = { begun: 0, running: new Set<number>(), max: 0 }
const hook = createHook({
  init(id, type) {
    if (type !== 'SCRYPTREQUEST') return
    hashes.begun++
    hashes.running.add(id)
    hashes.max = Math.max(hashes.max, hashes.running.size)
  },
  before: (id) => void hashes.running.delete(id),
})
beforeAll(() => void hook.enable())
afterAll(() => void hook.disable())
beforeEach(() => void Object.assign(hashes, { begun: 0, max: 0 }))
afterEach(() => expect(hashes.running.size).toBe(0))

const password = { password: 'seven-green-boats', password_confirmation: 'seven-green-boats' }
const many = <T>(count: number, work: (i: number) => T) => Array.from({ length: count }, (_, i) => work(i))

it('hashes once per request, one at a time, for any number of commit conflicts', async () => {
  const user = await newV0User(account)
  const update = account.call(updateUser, {
    method: 'PATCH',
    params: { id_or_email: user.id },
    body: { user: password },
  })
  await Promise.all([update, ...many(2, () => newV0User(account, password)), ...many(12, () => newV0User(account))])
  expect((await update).status).toBe(200)
  expect(hashes).toMatchObject({ begun: 3, max: 1 })
})

it('does not delay other commits of the account by hashing', async () => {
  const withPasswords = Promise.all(many(5, () => newV0User(account, password)))
  await vi.waitFor(() => expect(hashes.begun).toBeGreaterThan(0), 60_000)
  await newV0User(account)
  expect(hashes.begun).toBeLessThan(5)
  await withPasswords
  expect(hashes.begun).toBe(5)
})

it('hashes nothing for a refused request', async () => {
  const { email } = await newV0User(account)
  const post = (user: object) => account.call(createUser, { method: 'POST', path: '/v0/users', body: { user } })
  expect((await post({ email, ...password })).body).toEqual({ errors: { email: ['has already been taken'] } })
  expect((await post({ email: newEmail(), ...password, role: 'king' })).status).toBe(422)
  expect(hashes.begun).toBe(0)
})

it('does not wait longer than its caller', async () => {
  const first = hashPassword('first', Number.POSITIVE_INFINITY)
  await expect(hashPassword('late', Date.now() - 1)).rejects.toMatchObject({ code: 'unavailable' })
  await first
  expect(hashes.begun).toBe(1)
})
