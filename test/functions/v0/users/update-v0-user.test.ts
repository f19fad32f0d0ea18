import { beforeAll, describe, expect, it } from 'vitest'
import { handler as getUser } from '#functions/v0/users/get-v0-user.ts'
import { handler as updateUser } from '#functions/v0/users/update-v0-user.ts'
import { actors } from '#shared/domain/actors/actor.ts'
import { getRow } from '#shared/table/read.ts'
import { v0Users } from '#shared/v0/user.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { updateRow } from '#test/support/accounts/rows.ts'
import { newEmail, newV0User } from '#test/support/accounts/v0.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'

let account: Awaited<ReturnType<typeof newAccount>>
beforeAll(async () => {
  account = await newAccount()
})

const patch = (id_or_email: string, user: unknown, method = 'PATCH', from = account) =>
  from.call(updateUser, { method, params: { id_or_email }, body: { user } })
const hashOf = async (id: string) => (await getRow(v0Users, account.id, id))?.password_hash

it.each(['PATCH', 'PUT'])('%s changes only the sent fields', async (method) => {
  const user = await newV0User(account, { role: 'admin' })
  const email = newEmail()
  const { status, body } = await patch(user.id, { email: ` ${email} ` }, method)
  expect([status, body.data]).toEqual([200, { ...user, email, updated_at: body.data.updated_at }])
  expect(body.data.updated_at > user.updated_at).toBe(true)
  expect((await account.call(getUser, { params: { id_or_email: email } })).body).toEqual(body)
})

it('accepts a user as it was returned, unchanged or with one changed field', async () => {
  const user = await newV0User(account)
  expect((await patch(user.email, user, 'PUT')).body.data).toEqual(user)
  const changed = await patch(user.email, { ...user, role: 'admin' }, 'PUT')
  expect(changed.body.data).toEqual({ ...user, role: 'admin', updated_at: changed.body.data.updated_at })
})

it('writes nothing if all values are equal', async () => {
  const user = await newV0User(account)
  const before = (await readCommits(account.id)).length
  for (const fields of [
    {},
    { email: user.email },
    { role: 'unprivileged' },
    { password: '' },
    { password: null },
    { colour: 1 },
  ]) {
    const { status, body } = await patch(user.id, fields)
    expect([status, body.data], JSON.stringify(fields)).toEqual([200, user])
  }
  expect((await readCommits(account.id)).length).toBe(before)
})

it('changes the case of an email, and refuses the email of another user', async () => {
  const user = await newV0User(account)
  const other = await newV0User(account)
  const shouting = user.email.toUpperCase()
  expect((await patch(user.id, { email: shouting })).body.data.email).toBe(shouting)
  const conflict = await patch(user.id, { email: other.email.toUpperCase() })
  expect([conflict.status, conflict.body]).toEqual([422, { errors: { email: ['has already been taken'] } }])
})

it.each([
  [{ email: '' }, { email: ["can't be blank"] }],
  [{ email: null }, { email: ["can't be blank"] }],
  [{ email: ' ' }, { email: ["can't be blank"] }],
  [{ email: 'x' }, { email: ['is invalid email address'] }],
  [{ email: 7 }, { email: ['is invalid'] }],
  [{ role: null }, { role: ["can't be blank"] }],
  [{ role: '' }, { role: ["can't be blank"] }],
  [{ role: 'owner' }, { role: ['is invalid'] }],
  [
    { password: 'short' },
    { password: ['should be at least 12 character(s)', 'does not match password confirmation.'] },
  ],
  [
    { password: 5, role: 5 },
    { role: ['is invalid'], password: ['is invalid'] },
  ],
])('refuses %j with %j', async (fields, errors) => {
  const user = await newV0User(account)
  const { status, body } = await patch(user.id, fields)
  expect([status, body]).toEqual([422, { errors }])
})

it('treats every password as a change', async () => {
  const user = await newV0User(account)
  const password = { password: 'correct horse', password_confirmation: 'correct horse' }
  const first = await patch(user.id, password)
  const hash = await hashOf(user.id)
  const second = await patch(user.id, password)
  expect(second.body.data.updated_at > first.body.data.updated_at).toBe(true)
  expect(await hashOf(user.id)).not.toBe(hash)
  await patch(user.id, { password: '', password_confirmation: 'x' })
  expect(await hashOf(user.id)).not.toBeNull()
})

describe('the last admin', () => {
  it('cannot be demoted while it is the last', async () => {
    const ownAccount = await newAccount()
    const demoted = { errors: { role: ['cannot demote the last admin user'] } }
    const refused = await patch('ada@example.com', { role: 'unprivileged' }, 'PATCH', ownAccount)
    expect([refused.status, refused.body]).toEqual([422, demoted])
    const fields = await patch('ada@example.com', { role: 'unprivileged', email: 'x' }, 'PATCH', ownAccount)
    expect(fields.body).toEqual({ errors: { email: ['is invalid email address'] } })
    await newV0User(ownAccount, { role: 'admin' })
    expect((await patch('ada@example.com', { role: 'unprivileged' }, 'PATCH', ownAccount)).status).toBe(200)
  })

  it('remains when two are demoted concurrently', async () => {
    const ownAccount = await newAccount()
    const users = [await newV0User(ownAccount, { role: 'admin' }), await newV0User(ownAccount, { role: 'admin' })]
    const everybody = [...users.map(({ id }) => id), 'ada@example.com']
    const answers = await Promise.all(everybody.map((key) => patch(key, { role: 'unprivileged' }, 'PATCH', ownAccount)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 422])
  })
})

describe('the acting user', () => {
  it('keeps its role, and may change other fields', async () => {
    const ownAccount = await newAccount()
    const admin = await getRow(actors, ownAccount.id, ownAccount.admin.id)
    await newV0User(ownAccount, { role: 'admin' })
    const robot = await getRow(actors, ownAccount.id, ownAccount.apiClient.id)
    // Gives the API client the email of the administrator, in another letter case.
    await updateRow(ownAccount.id, actors, robot as never, { email: 'ADA@example.com' } as never)
    expect(admin?.email).toBe('ada@example.com')
    const refused = await patch('ada@example.com', { role: 'unprivileged' }, 'PATCH', ownAccount)
    expect([refused.status, refused.body]).toEqual([422, { errors: { role: ['You cannot change your own role'] } }])
    expect((await patch('ada@example.com', { role: 'admin' }, 'PATCH', ownAccount)).status).toBe(200)
    expect((await patch('ada@example.com', { email: 'ada.b@example.com' }, 'PATCH', ownAccount)).status).toBe(200)
  })
})

it('keeps fields that only one of two concurrent updates sends', async () => {
  const user = await newV0User(account)
  const email = newEmail()
  await Promise.all([patch(user.id, { email }), patch(user.id, { role: 'admin' })])
  const { body } = await account.call(getUser, { params: { id_or_email: user.id } })
  expect(body.data).toMatchObject({ email, role: 'admin' })
})

it("records the change with the token's actor", async () => {
  const user = await newV0User(account)
  await patch(user.id, { role: 'admin' })
  const commit = (await readCommits(account.id)).at(-1)
  expect(commit?.subject?.actor_id).toBe(account.apiClient.id)
  expect(commit?.changes).toMatchObject([
    { object: 'v0_users', operation: 'update', before: { role: 'unprivileged' }, after: { role: 'admin' } },
  ])
})
