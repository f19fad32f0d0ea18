import { expect, it } from 'vitest'
import { handler as deleteUser } from '#functions/v0/users/delete-v0-user.ts'
import { handler as getUser } from '#functions/v0/users/get-v0-user.ts'
import { newAccount } from '#test/support/account.ts'
import { commitsOf } from '#test/support/commit-stream.ts'
import { newV0User } from '#test/support/v0.ts'

const remove = (account: Awaited<ReturnType<typeof newAccount>>, id_or_email: string) =>
  account.call(deleteUser, { method: 'DELETE', params: { id_or_email } })

it('deletes a user by id or email; then nobody knows it', async () => {
  const account = await newAccount()
  for (const key of ['id', 'email'] as const) {
    const user = await newV0User(account)
    const { status, text, headers } = await remove(account, user[key])
    expect([status, text, headers['content-type']]).toEqual([204, '', 'application/json; charset=utf-8'])
    for (const handler of [deleteUser, getUser]) {
      const answer = await account.call(handler, { params: { id_or_email: user.id } })
      expect([answer.status, answer.body]).toEqual([404, { error: 'not_found' }])
    }
    expect((await commitsOf(account.id)).at(-1)?.changes).toMatchObject([
      { object: 'v0_users', operation: 'delete', before: { email: user.email, password_hash: null }, after: null },
    ])
    await newV0User(account, { email: user.email })
  }
})

it('keeps the last admin', async () => {
  const account = await newAccount()
  const refused = await remove(account, 'ada@example.com')
  expect([refused.status, refused.body]).toEqual([422, { error: "Can't delete the last admin user." }])
  const other = await newV0User(account, { role: 'admin' })
  const answers = await Promise.all([remove(account, 'ada@example.com'), remove(account, other.id)])
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 422])
})
