import { beforeAll, describe, expect, it } from 'vitest'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { groupsApi } from '#test/support/accounts/collections.ts'
import { insertSyncedGroup } from '#test/support/accounts/groups.ts'
import { withTitles } from '#test/support/run/titles.ts'

const { create, get } = groupsApi

let account: Account
beforeAll(async () => {
  account = await newAccount()
})

describe('POST /groups (A14.2)', () => {
  it('creates a native group and ignores every other key', async () => {
    const answer = await create(account, {
      name: 'Engineering',
      idp_id: 'x',
      entity_type: 'org_unit',
      is_managed: true,
    })
    const { id, inserted_at, updated_at } = answer.body.data
    expect([answer.status, answer.headers.location]).toEqual([201, `/groups/${id}`])
    expect(answer.body.data).toEqual({
      id,
      name: 'Engineering',
      entity_type: 'group',
      directory_id: null,
      idp_id: null,
      email: null,
      synced_at: null,
      inserted_at,
      updated_at: inserted_at,
    })
    expect(inserted_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    expect(updated_at).toBe(inserted_at)
    expect((await get(account, id.toUpperCase())).body).toEqual(answer.body)
  })

  it.each(
    withTitles([
      [{}, "can't be blank"],
      [{ name: null }, "can't be blank"],
      [{ name: ' \t' }, "can't be blank"],
      [{ name: ['x'] }, 'is invalid'],
      [{ name: 'a\u0000b' }, 'is invalid'],
      [{ name: 'x'.repeat(256) }, 'should be at most 255 character(s)'],
      [{ name: 'Everyone' }, 'has already been taken'],
    ]),
  )('refuses %s', async (_name, group, message) => {
    const answer = await create(account, group)
    expect([answer.status, answer.body.errors]).toEqual([422, { name: [message] }])
  })

  it('counts characters instead of bytes, and is case-sensitive', async () => {
    expect((await create(account, { name: '😀'.repeat(255) })).status).toBe(201)
    expect((await create(account, { name: 'everyone' })).status).toBe(201)
  })

  it('accepts the name of a synced group', async () => {
    await insertSyncedGroup(account, { name: 'Shared' })
    expect((await create(account, { name: 'Shared' })).status).toBe(201)
    expect((await create(account, { name: 'Shared' })).body.errors).toEqual({ name: ['has already been taken'] })
  })

  it('gives a name to exactly one of concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => create(account, { name: 'Contested' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422, 422, 422])
  })
})
