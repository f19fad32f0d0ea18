import { beforeAll, describe, expect, it } from 'vitest'
import { handler as createSite } from '#functions/api/sites/create-site.ts'
import { handler as deleteSite } from '#functions/api/sites/delete-site.ts'
import { handler as getSite } from '#functions/api/sites/get-site.ts'
import { handler as listSites } from '#functions/api/sites/list-sites.ts'
import { handler as updateSite } from '#functions/api/sites/update-site.ts'
import { newAccount } from '#test/support/account.ts'

let account: Awaited<ReturnType<typeof newAccount>>
beforeAll(async () => {
  account = await newAccount()
})

const create = (name: unknown) => account.call(createSite, { method: 'POST', body: { site: { name } } })
const internetSite = async () => (await account.call(listSites, { query: { name: 'Internet' } })).body.data[0].id

describe('POST /sites', () => {
  it('creates a site and says where it is', async () => {
    const answer = await create('Berlin')
    expect(answer.status).toBe(201)
    expect(answer.headers.location).toBe(`/sites/${answer.body.data.id}`)
    expect(answer.body.data).toEqual({ id: answer.body.data.id, name: 'Berlin' })
    const read = await account.call(getSite, { params: { id: answer.body.data.id } })
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
    const answer = await create(name)
    expect(answer.status).toBe(422)
    expect(answer.body.errors).toEqual({ name: [message] })
  })

  it('keeps the blanks around a name (A20.2)', async () => {
    expect((await create('  padded ')).body.data.name).toBe('  padded ')
  })

  it('allows an own site called Internet (A33.5)', async () => {
    expect((await create('Internet')).status).toBe(201)
  })

  it('tests the limit before the fields (A11)', async () => {
    const limited = await newAccount({ limits: { sites_count: 1 } })
    const answer = await limited.call(createSite, { method: 'POST', body: { site: {} } })
    expect(answer.status).toBe(403)
    expect(answer.body).toMatchObject({ code: 'limit_reached', limit: 'sites' })
  })
})

describe('PATCH and DELETE /sites/{id}', () => {
  it('renames a site, and keeps it as it is for an empty object', async () => {
    const { id } = (await create('Paris')).body.data
    const renamed = await account.call(updateSite, {
      method: 'PATCH',
      params: { id },
      body: { site: { name: 'Lyon' } },
    })
    expect(renamed.body.data.name).toBe('Lyon')
    const unchanged = await account.call(updateSite, { method: 'PUT', params: { id }, body: { site: {} } })
    expect(unchanged.body.data.name).toBe('Lyon')
  })

  it('refuses a name that another site has, whoever comes first', async () => {
    const { id } = (await create('Oslo')).body.data
    const rename = (name: unknown) =>
      account.call(updateSite, { method: 'PATCH', params: { id }, body: { site: { name } } })
    expect((await rename('Default')).body.errors).toEqual({ name: ['has already been taken'] })
    expect((await rename('Oslo')).status).toBe(200)
    expect((await rename('oslo')).status).toBe(200)
    expect((await create('Oslo')).status).toBe(201)
    for (const [name, message] of [
      [null, "can't be blank"],
      ['', "can't be blank"],
      [false, 'is invalid'],
      ['x'.repeat(65), 'should be at most 64 character(s)'],
    ]) {
      expect((await rename(name)).body.errors).toEqual({ name: [message] })
    }
    const answers = await Promise.all(Array.from({ length: 4 }, () => create('Contested')))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422])
  })

  it('deletes a site once', async () => {
    const { id } = (await create('Short-lived')).body.data
    expect((await account.call(deleteSite, { method: 'DELETE', params: { id } })).body.data.id).toBe(id)
    expect((await account.call(deleteSite, { method: 'DELETE', params: { id } })).status).toBe(404)
    expect((await account.call(getSite, { params: { id } })).status).toBe(404)
  })

  it('leaves the Internet Site alone', async () => {
    const id = await internetSite()
    const update = await account.call(updateSite, { method: 'PATCH', params: { id }, body: { site: { name: 'x' } } })
    const remove = await account.call(deleteSite, { method: 'DELETE', params: { id } })
    expect([update.status, update.body.code, remove.status, remove.body.code]).toEqual([
      403,
      'system_site',
      403,
      'system_site',
    ])
  })
})

describe('GET /sites', () => {
  it('pages forward and back in the order of insertion, with an exact total', async () => {
    const own = await newAccount()
    for (const name of ['a', 'b', 'c']) await own.call(createSite, { method: 'POST', body: { site: { name } } })
    const page = (query: Record<string, string>) => own.call(listSites, { query: { limit: '2', ...query } })
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
    const answer = await account.call(listSites, { query })
    expect([answer.status, answer.body.code]).toEqual([400, code])
  })

  it('binds a cursor to account and filters', async () => {
    const page = await account.call(listSites, { query: { limit: '1' } })
    const stranger = await newAccount()
    const query = { page_cursor: page.body.metadata.next_page }
    expect((await stranger.call(listSites, { query })).body.code).toBe('invalid_page_cursor')
    expect((await account.call(listSites, { query: { ...query, name: 'x' } })).body.code).toBe('invalid_page_cursor')
  })
})
