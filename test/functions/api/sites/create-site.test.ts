import { beforeAll, describe, expect, it } from 'vitest'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { sitesApi } from '#test/support/accounts/collections.ts'

const { create, get } = sitesApi

let account: Account
beforeAll(async () => {
  account = await newAccount()
})

describe('POST /sites (A20.2)', () => {
  it('creates a site and returns its location', async () => {
    const answer = await create(account, { name: 'Berlin' })
    expect(answer.status).toBe(201)
    expect(answer.headers.location).toBe(`/sites/${answer.body.data.id}`)
    expect(answer.body.data).toEqual({ id: answer.body.data.id, name: 'Berlin' })
    const read = await get(account, answer.body.data.id)
    expect(read.body).toEqual(answer.body)
  })

  it.each([
    [undefined, "can't be blank"],
    ['', "can't be blank"],
    ['   ', "can't be blank"],
    [7, 'is invalid'],
    ['a\0b', 'is invalid'],
    ['x'.repeat(65), 'should be at most 64 character(s)'],
    ['Default', 'has already been taken'],
  ])('refuses the name %j', async (name, message) => {
    const answer = await create(account, { name })
    expect(answer.status).toBe(422)
    expect(answer.body.errors).toEqual({ name: [message] })
  })

  it('keeps leading and trailing spaces of a name (A20.2)', async () => {
    expect((await create(account, { name: '  padded ' })).body.data.name).toBe('  padded ')
  })

  it('allows a regular site called Internet (A33.5)', async () => {
    expect((await create(account, { name: 'Internet' })).status).toBe(201)
  })

  it('checks the limit before the fields (A11)', async () => {
    const limited = await newAccount({ limits: { sites_count: 1 } })
    const answer = await create(limited, {})
    expect(answer.status).toBe(403)
    expect(answer.body).toMatchObject({ code: 'limit_reached', limit: 'sites' })
  })

  it('gives a name to exactly one of concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => create(account, { name: 'Contested' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422])
  })
})
