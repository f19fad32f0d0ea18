import { beforeAll, describe, expect, it } from 'vitest'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { sitesApi } from '#test/support/accounts/collections.ts'

const { create, list } = sitesApi

let account: Account
beforeAll(async () => {
  account = await newAccount()
})

describe('GET /sites (A7, A20)', () => {
  it('pages forward and back in the order of insertion, with an exact total', async () => {
    const ownAccount = await newAccount()
    for (const name of ['a', 'b', 'c']) await create(ownAccount, { name })
    const page = (query: Record<string, string>) => list(ownAccount, { limit: '2', ...query })
    const names = (answer: { body: { data: { name: string }[] } }) => answer.body.data.map((site) => site.name)
    const first = await page({})
    const second = await page({ page_cursor: first.body.metadata.next_page })
    const third = await page({ page_cursor: second.body.metadata.next_page })
    expect([names(first), names(second), names(third)]).toEqual([['Default', 'Internet'], ['a', 'b'], ['c']])
    expect(first.body.metadata).toMatchObject({ limit: 2, total: 5, count: 5, prev_page: null })
    expect(third.body.metadata.next_page).toBeNull()
    const back = await page({ page_cursor: third.body.metadata.prev_page })
    expect(names(back)).toEqual(['a', 'b'])
    expect(names(await page({ page_cursor: back.body.metadata.prev_page }))).toEqual(['Default', 'Internet'])
  })

  it.each([
    ['limit=abc', 'invalid_limit'],
    ['limit=', 'invalid_limit'],
    ['limit=1&limit=2', 'invalid_limit'],
    ['page_cursor=', 'invalid_page_cursor'],
    ['page_cursor=abc', 'invalid_page_cursor'],
    ['name=a&name=b', 'invalid_filter'],
    ['name[]=a', 'invalid_filter'],
  ])('refuses ?%s', async (query, code) => {
    const answer = await list(account, query)
    expect([answer.status, answer.body.code]).toEqual([400, code])
  })

  it('accepts cursors only with the same account and filters', async () => {
    const page = await list(account, { limit: '1' })
    const stranger = await newAccount()
    const query = { page_cursor: page.body.metadata.next_page }
    expect((await list(stranger, query)).body.code).toBe('invalid_page_cursor')
    expect((await list(account, { ...query, name: 'x' })).body.code).toBe('invalid_page_cursor')
  })

  it('filters by name, case-sensitively, including the Internet Site', async () => {
    const names = async (name: string) =>
      (await list(account, { name })).body.data.map((site: { name: string }) => site.name)
    expect(await names('Default')).toEqual(['Default'])
    expect(await names('Internet')).toEqual(['Internet'])
    expect(await names('default')).toEqual([])
    expect(await names('')).toEqual([])
  })
})
