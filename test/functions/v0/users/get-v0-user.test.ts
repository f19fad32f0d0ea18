import { beforeAll, expect, it } from 'vitest'
import { handler as otherRoute } from '#functions/v0/other-route.ts'
import { handler as getUser } from '#functions/v0/users/get-v0-user.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { newEmail, newV0User } from '#test/support/accounts/v0.ts'

let account: Awaited<ReturnType<typeof newAccount>>
beforeAll(async () => {
  account = await newAccount()
})

const get = (id_or_email: string) => account.call(getUser, { params: { id_or_email } })

it('finds a user by id or by email, in any case', async () => {
  const user = await newV0User(account, { email: `Ana.${newEmail()}` })
  for (const key of [user.id, user.id.toUpperCase(), user.email, user.email.toUpperCase(), user.email.toLowerCase()]) {
    const { status, body } = await get(key)
    expect([status, body.data], key).toEqual([200, user])
  }
})

it('treats an id that is not a UUID as an email', async () => {
  for (const key of ['new', 'nobody@example.net', 'ana%40example.net', '%zz', '', '0'.repeat(24)]) {
    const { status, body } = await get(key)
    expect([status, body]).toEqual([404, { error: 'not_found' }])
  }
})

it('finds an email with a slash, encoded once, which the gateway has split into two segments', async () => {
  const user = await newV0User(account, { email: `a/b${newEmail()}` })
  const path = `users/${user.email}`
  const answer = await account.call(otherRoute, { method: 'GET', path: `/v0/${path}`, params: { proxy: path } })
  expect([answer.status, answer.body]).toEqual([200, { data: user }])
})

it('returns 404 for a user of another account', async () => {
  const other = await newV0User(await newAccount())
  expect((await get(other.id)).status).toBe(404)
  expect((await get(other.email)).status).toBe(404)
})
