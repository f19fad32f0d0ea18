import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { handler as createGroup } from '#functions/api/groups/create-group.ts'
import { handler as deleteGroup } from '#functions/api/groups/delete-group.ts'
import { handler as listGroups } from '#functions/api/groups/list-groups.ts'
import { handler as createPostureProvider } from '#functions/api/mdm-posture-providers/create-mdm-posture-provider.ts'
import { handler as deletePostureProvider } from '#functions/api/mdm-posture-providers/delete-mdm-posture-provider.ts'
import { handler as listPostureProviders } from '#functions/api/mdm-posture-providers/list-mdm-posture-providers.ts'
import { handler as listMemberships } from '#functions/api/memberships/list-memberships.ts'
import { handler as replaceMemberships } from '#functions/api/memberships/replace-memberships.ts'
import { type ActorRow, actors } from '#shared/domain/actors/actor.ts'
import { type GroupRow, groups, nativeGroup } from '#shared/domain/groups/group.ts'
import { textFilter } from '#shared/values/filters.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { robotRow } from '#test/support/accounts/actors.ts'
import { loadEntries } from '#test/support/operations/operations.ts'
import { plantRows } from '#test/support/table/plant-rows.ts'

type Query = Record<string, string> | string

let account: Awaited<ReturnType<typeof newAccount>>
let names: string[]
beforeAll(async () => {
  account = await newAccount({ limits: { api_capacity: 100_000, api_refill_rate: 100_000 } })
  await plantRows<GroupRow>(account.id, groups, 104, (i) => ({
    ...nativeGroup,
    name: `Group ${i}`,
    entity_type: i % 2 ? 'group' : 'org_unit',
    idp_id: i % 2 ? null : `unit-${i}`,
  }))
  names = ['Everyone', ...Array.from({ length: 104 }, (_, i) => `Group ${i}`)]
})

const page = async (query: Query = {}) => (await account.call(listGroups, { path: '/groups', query })).body
const namesOf = ({ data }: { data: { name: string }[] }) => data.map(({ name }) => name)
const pagesFrom = async (query: Record<string, string>, direction: 'next_page' | 'prev_page', cursor?: string) => {
  const pages: string[][] = []
  for (;;) {
    const body = await page({ ...query, ...(cursor && { page_cursor: cursor }) })
    pages.push(namesOf(body))
    cursor = body.metadata[direction]
    if (!cursor) return pages
  }
}

describe('limit (A7.1)', () => {
  it.each<[Query, number]>([
    [{}, 50],
    ['limit=1', 1],
    ['limit=1000', 1_000],
    ['limit=0', 1],
    ['limit=-5', 1],
    ['limit=1001', 1_000],
    ['limit=99999999999999999999', 1_000],
    ['limit=007', 7],
  ])('%j is read as %d', async (query, limit) => {
    const { data, metadata } = await page(query)
    expect([data.length, metadata.limit]).toEqual([Math.min(limit, names.length), limit])
  })

  it.each(['abc', '10.5', '', '1e2', '0x10', '%20', '1,2', '%C2%BD', '--1'])('refuses %j', async (limit) => {
    const { code, detail, type } = await page(`limit=${limit}`)
    expect([code, detail, type]).toEqual(['invalid_limit', 'limit must be an integer.', '/problems/invalid_limit'])
  })

  it.each(['limit=1&limit=1', 'limit[]=1', 'limit%5B%5D=1'])('refuses ?%s', async (query) => {
    expect((await page(query)).code).toBe('invalid_limit')
  })

  it('is not in the cursor', async () => {
    const { metadata } = await page({ limit: '3' })
    const next = await page({ page_cursor: metadata.next_page })
    expect([next.metadata.limit, namesOf(next)]).toEqual([50, names.slice(3, 53)])
    const one = await page({ page_cursor: metadata.next_page, limit: '1' })
    expect(namesOf(one)).toEqual(names.slice(3, 4))
  })
})

describe('pages', () => {
  it('contain every row once, forward and back, in the order of the list', async () => {
    const forward = await pagesFrom({ limit: '20' }, 'next_page')
    expect(forward.map(({ length }) => length)).toEqual([20, 20, 20, 20, 20, 5])
    expect(forward.flat()).toEqual(names)
    const end = await page({ limit: '100', page_cursor: (await page({ limit: '100' })).metadata.next_page })
    expect([namesOf(end), end.metadata.next_page]).toEqual([names.slice(100), null])
    const back = await pagesFrom({ limit: '30' }, 'prev_page', end.metadata.prev_page)
    expect(back.map(({ length }) => length)).toEqual([30, 30, 30, 10])
    expect(back.reverse().flat()).toEqual(names.slice(0, 100))
  })

  it('of a filtered list have the number of matches on every page', async () => {
    const query = { entity_type: 'org_unit', limit: '25' }
    const first = await page(query)
    expect(first.metadata).toMatchObject({ total: 52, count: 52, prev_page: null })
    const last = await page({ ...query, page_cursor: (await lastCursor(query)) as string })
    expect(last.metadata).toMatchObject({ total: 52, count: 52, next_page: null, prev_page: expect.any(String) })
    const expected = names.filter((_, i) => i % 2 === 1)
    expect((await pagesFrom(query, 'next_page')).flat()).toEqual(expected)
  })

  it('of two combined filters have the number of matches on every page', async () => {
    const query = { entity_type: 'org_unit', directory_id: '', limit: '10' }
    const expected = names.filter((_, i) => i % 2 === 1)
    const { metadata } = await page(query)
    expect(metadata.total).toBe(52)
    expect((await pagesFrom(query, 'next_page')).flat()).toEqual(expected)
    const last = (await lastCursor(query)) as string
    const { prev_page } = (await page({ ...query, page_cursor: last })).metadata
    expect((await pagesFrom(query, 'prev_page', prev_page)).reverse().flat()).toEqual(expected.slice(0, 50))
  })

  it('are a single one, with both cursors null, if the list is empty or fits', async () => {
    const empty = { limit: 50, next_page: null, prev_page: null, total: 0, count: 0 }
    expect(await page({ name: 'Nobody' })).toEqual({ data: [], metadata: empty })
    expect((await page({ name: 'Everyone', limit: '1' })).metadata).toEqual({ ...empty, limit: 1, total: 1, count: 1 })
  })

  it('continue after a deleted row', async () => {
    const ownAccount = await newAccount()
    const ids: string[] = []
    for (const name of ['a', 'b', 'c']) {
      ids.push((await ownAccount.call(createGroup, { method: 'POST', body: { group: { name } } })).body.data.id)
    }
    const list = async (query: Query) => (await ownAccount.call(listGroups, { path: '/groups', query })).body
    const { metadata } = await list({ limit: '2' })
    await ownAccount.call(deleteGroup, { method: 'DELETE', params: { id: ids[0] as string } })
    const next = await list({ limit: '2', page_cursor: metadata.next_page })
    expect([namesOf(next), next.metadata.total]).toEqual([['b', 'c'], 3])
    expect(namesOf(await list({ limit: '2', page_cursor: next.metadata.prev_page }))).toEqual(['Everyone'])
  })

  it.each<[string, Record<string, string>]>([
    ['no filter', {}],
    ['one filter', { entity_type: 'group' }],
    ['two filters', { entity_type: 'group', directory_id: '' }],
  ])('without rows have a previous cursor to existing ones, with %s', async (_name, filters) => {
    const ownAccount = await newAccount()
    const ids: string[] = []
    for (const name of ['a', 'b', 'c']) {
      ids.push((await ownAccount.call(createGroup, { method: 'POST', body: { group: { name } } })).body.data.id)
    }
    const list = async (cursor?: string) => {
      const query = { ...filters, limit: '2', ...(cursor && { page_cursor: cursor }) }
      const { data, metadata } = (await ownAccount.call(listGroups, { path: '/groups', query })).body
      return { names: namesOf({ data }), next: metadata.next_page, prev: metadata.prev_page }
    }
    const first = await list()
    expect(first.names).toEqual(['Everyone', 'a'])
    for (const id of ids.slice(1)) await ownAccount.call(deleteGroup, { method: 'DELETE', params: { id } })
    const empty = await list(first.next)
    expect(empty).toEqual({ names: [], next: null, prev: expect.any(String) })
    expect(await list(empty.prev)).toEqual({ names: ['Everyone', 'a'], next: null, prev: null })
  })

  it('without rows on the way back have a next cursor, or none if no rows are left', async () => {
    const ownAccount = await newAccount()
    const ids: string[] = []
    for (const name of ['a', 'b', 'c']) {
      const app = { client_id: 'app', client_secret: 'secret-of-the-app' }
      const mdm_posture_provider = { type: 'tenant', name, tenant_id: `${name}.example.com`, ...app }
      const { body } = await ownAccount.call(createPostureProvider, { method: 'POST', body: { mdm_posture_provider } })
      ids.unshift(body.data.id)
    }
    const list = async (cursor?: string) => {
      const query = { limit: '1', ...(cursor && { page_cursor: cursor }) }
      const { data, metadata } = (await ownAccount.call(listPostureProviders, { path: '/mdm', query })).body
      return { names: namesOf({ data }), next: metadata.next_page, prev: metadata.prev_page }
    }
    const remove = (id = '') => ownAccount.call(deletePostureProvider, { method: 'DELETE', params: { id } })
    const second = await list((await list()).next)
    expect(second.names).toEqual(['b'])
    await remove(ids[0])
    const empty = await list(second.prev)
    expect(empty).toEqual({ names: [], next: expect.any(String), prev: null })
    expect(await list(empty.next)).toEqual({ names: ['b'], next: expect.any(String), prev: null })
    await remove(ids[1])
    await remove(ids[2])
    for (const cursor of [second.prev, second.next, empty.next]) {
      expect(await list(cursor)).toEqual({ names: [], next: null, prev: null })
    }
  })
})

async function lastCursor(query: Record<string, string>): Promise<string | null> {
  let cursor: string | null = null
  for (;;) {
    const { metadata } = await page({ ...query, ...(cursor !== null && { page_cursor: cursor }) })
    if (metadata.next_page === null) return cursor
    cursor = metadata.next_page
  }
}

describe('page_cursor (A7.1)', () => {
  const refused = async (query: Query, by = account, path = '/groups') => {
    const { status, body } = await by.call(listGroups, { path, query })
    return [status, body.code]
  }
  const invalid = [400, 'invalid_page_cursor']

  it('with invalid text is refused', async () => {
    const { next_page } = (await page({ limit: '5' })).metadata
    const cursors = [
      '',
      'abc',
      ' ',
      'null',
      next_page.slice(0, -1),
      next_page.slice(1),
      `${next_page}A`,
      `${next_page}=`,
      next_page.toUpperCase(),
      Buffer.from(JSON.stringify({ at: '', backward: false })).toString('base64url'),
      'x'.repeat(10_000),
    ]
    for (const cursor of cursors) expect(await refused({ page_cursor: cursor }), cursor).toEqual(invalid)
    for (let at = 0; at < next_page.length; at += 5) {
      const swapped = next_page[at] === 'A' ? 'B' : 'A'
      const tampered = next_page.slice(0, at) + swapped + next_page.slice(at + 1)
      expect(await refused({ page_cursor: tampered }), tampered).toEqual(invalid)
    }
  })

  it('twice or as an array is refused', async () => {
    const { next_page } = (await page({ limit: '5' })).metadata
    expect(await refused(`page_cursor=${next_page}&page_cursor=${next_page}`)).toEqual(invalid)
    expect(await refused(`page_cursor[]=${next_page}`)).toEqual(invalid)
  })

  it('is valid only for its account, path and filters', async () => {
    const query = { entity_type: 'group', limit: '5' }
    const { next_page } = (await page(query)).metadata
    const cursor = { page_cursor: next_page }
    expect(await refused({ ...query, ...cursor })).toEqual([200, undefined])
    expect(await refused({ ...query, ...cursor, limit: '7', unknown: 'x' })).toEqual([200, undefined])
    expect(await refused(cursor)).toEqual(invalid)
    expect(await refused({ ...query, ...cursor, entity_type: 'org_unit' })).toEqual(invalid)
    expect(await refused({ ...query, ...cursor, directory_id: '' })).toEqual(invalid)
    expect(await refused({ ...query, ...cursor }, await newAccount())).toEqual(invalid)
  })

  it('is not valid for another parent', async () => {
    const ownAccount = await newAccount()
    await plantRows<ActorRow>(ownAccount.id, actors, 3, robotRow)
    const group = async (name: string) =>
      (await ownAccount.call(createGroup, { method: 'POST', body: { group: { name } } })).body.data.id as string
    const [a, b] = [await group('a'), await group('b')]
    for (const group_id of [a, b]) {
      const memberships = [ownAccount.admin, ownAccount.apiClient].map(({ id }) => ({ actor_id: id }))
      await ownAccount.call(replaceMemberships, { method: 'PUT', params: { group_id }, body: { memberships } })
    }
    const members = (group_id: string, query: Query) =>
      ownAccount.call(listMemberships, { path: `/groups/${group_id}/memberships`, params: { group_id }, query })
    const query = { page_cursor: (await members(a, { limit: '1' })).body.metadata.next_page }
    expect((await members(a, query)).body.data).toHaveLength(1)
    expect((await members(b, query)).body.code).toBe('invalid_page_cursor')
  })
})

describe('filters (A7.3)', () => {
  it('by text accept any text, on every list', async () => {
    const texts = ['', ' ', '\0', '#', '~', 'a#b', '\u{1f600}'.repeat(300), 'x'.repeat(5_000)]
    const lists = (await loadEntries()).filter(({ operation }) => operation.filters && !operation.path.includes('{'))
    const requests = lists.flatMap(({ name, handler, operation }) =>
      Object.entries(operation.filters ?? {})
        .filter(([, filter]) => filter === textFilter)
        .map(([filter]) => ({ name, handler, filter })),
    )
    expect(requests.length).toBeGreaterThan(10)
    for (const { name, handler, filter } of requests) {
      const answers = await Promise.all(texts.map((text) => account.call(handler, { query: { [filter]: text } })))
      expect(
        answers.map(({ status, body }) => [status, body.data, body.metadata?.total]),
        `${name}?${filter}`,
      ).toEqual(texts.map(() => [200, [], 0]))
    }
  })

  it('that are unknown are ignored (A6.5)', async () => {
    const { metadata } = await page({ colour: 'red', 'name ': randomUUID() })
    expect(metadata.total).toBe(105)
  })
})
