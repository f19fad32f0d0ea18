import { beforeAll, describe, expect, it } from 'vitest'
import { handler as listUsers } from '#functions/v0/users/list-v0-users.ts'
import { v0Users } from '#shared/v0/user.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { newV0User } from '#test/support/accounts/v0.ts'
import { plantRows } from '#test/support/table/plant-rows.ts'

let account: Awaited<ReturnType<typeof newAccount>>
beforeAll(async () => {
  account = await newAccount()
})

const list = (query: Record<string, string> = {}) => account.call(listUsers, { path: '/v0/users', query })

it('starts with the administrator created with the account', async () => {
  const { body } = await list()
  expect(body).toEqual({ data: [expect.objectContaining({ role: 'admin', email: 'ada@example.com' })] })
})

describe('with more users', () => {
  let users: { id: string }[]
  beforeAll(async () => {
    for (let i = 0; i < 4; i++) await newV0User(account)
    users = (await list()).body.data
  })

  it('returns all users by insertion', () => {
    expect(users).toHaveLength(5)
    const times = users.map((user) => (user as unknown as { inserted_at: string }).inserted_at)
    expect(times.toSorted()).toEqual(times)
  })

  it('returns pages with metadata, forward and back', async () => {
    const first = (await list({ limit: '2' })).body
    expect(first.data).toEqual(users.slice(0, 2))
    expect(first.metadata).toEqual({ limit: 2, next_page: expect.any(String), prev_page: null, count: 5, total: 5 })
    const second = (await list({ limit: '2', page_cursor: first.metadata.next_page })).body
    expect(second.data).toEqual(users.slice(2, 4))
    const last = (await list({ limit: '2', page_cursor: second.metadata.next_page })).body
    expect([last.data, last.metadata.next_page]).toEqual([users.slice(4), null])
    const back = (await list({ limit: '2', page_cursor: second.metadata.prev_page })).body
    expect(back.data).toEqual(first.data)
    expect((await list({ page_cursor: first.metadata.next_page })).body.metadata.limit).toBe(50)
  })

  it('refuses a cursor of another account or path', async () => {
    const cursor = (await list({ limit: '2' })).body.metadata.next_page
    const query = { page_cursor: cursor }
    const other = await newAccount()
    expect((await other.call(listUsers, { path: '/v0/users', query })).body).toEqual({ error: 'bad_request' })
    expect((await account.call(listUsers, { path: '/v0/devices', query })).status).toBe(400)
    expect((await list({ page_cursor: `${cursor}A` })).status).toBe(400)
  })
})

it('refuses a list above 5 MB, and returns it in pages', async () => {
  const many = await newAccount()
  const email = (i: number) => `${i}-${'🐎'.repeat(240)}@example.net`
  await plantRows(many.id, v0Users, 4_600, (i) => ({
    role: 'unprivileged' as const,
    email: email(i),
    password_hash: null,
    last_signed_in_at: null,
    last_signed_in_method: null,
    disabled_at: null,
  }))
  const whole = await many.call(listUsers)
  expect([whole.status, whole.body]).toEqual([
    413,
    {
      error: 'payload_too_large',
      detail:
        'The list is too large for one response. Read it in pages with the query parameters limit and page_cursor.',
    },
  ])
  const page = await many.call(listUsers, { query: { limit: '100' } })
  expect([page.status, page.body.data.length, page.body.metadata.total]).toEqual([200, 100, 4_601])
})
