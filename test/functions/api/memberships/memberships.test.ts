import { beforeAll, describe, expect, it } from 'vitest'
import { handler as createActor } from '#functions/api/actors/create-actor.ts'
import { handler as createGroup } from '#functions/api/groups/create-group.ts'
import { handler as listGroups } from '#functions/api/groups/list-groups.ts'
import { handler as editMemberships } from '#functions/api/memberships/edit-memberships.ts'
import { handler as listMemberships } from '#functions/api/memberships/list-memberships.ts'
import { handler as replaceMemberships } from '#functions/api/memberships/replace-memberships.ts'
import { groups } from '#shared/groups/group.ts'
import { partition } from '#shared/table/keys.ts'
import { queryItems } from '#shared/table/read.ts'
import { newAccount } from '#test/support/account.ts'
import { commitsOf } from '#test/support/commit-stream.ts'
import { insertRow } from '#test/support/rows.ts'

let account: Awaited<ReturnType<typeof newAccount>>
let everyone: string
let a: string
let b: string
let c: string
const unknown = '0198a000-0000-7000-8000-000000000000'

beforeAll(async () => {
  account = await newAccount()
  everyone = (await account.call(listGroups, { query: { name: 'Everyone' } })).body.data[0].id
  const actor = async (fields: object) =>
    (await account.call(createActor, { method: 'POST', body: { actor: fields } })).body.data.id
  a = await actor({ name: 'Ann', type: 'account_user', email: 'ann@example.com' })
  b = await actor({ name: 'Robot', type: 'service_account' })
  c = await actor({ name: 'Pipeline', type: 'api_client' })
})

let count = 0
const newGroup = async (): Promise<string> =>
  (await account.call(createGroup, { method: 'POST', body: { group: { name: `Group ${count++}` } } })).body.data.id
const put = (group_id: string, memberships: unknown) =>
  account.call(replaceMemberships, { method: 'PUT', params: { group_id }, body: { memberships } })
const patch = (group_id: string, memberships: unknown) =>
  account.call(editMemberships, { method: 'PATCH', params: { group_id }, body: { memberships } })
const list = (group_id: string, query = {}) => account.call(listMemberships, { params: { group_id }, query })
const entries = (...ids: unknown[]) => ids.map((actor_id) => ({ actor_id }))

describe('PUT /groups/{group_id}/memberships', () => {
  it('replaces the set and answers it sorted, without duplicates', async () => {
    const group = await newGroup()
    expect((await put(group, entries(c, a, a.toUpperCase()))).body).toEqual({ data: { actor_ids: [a, c].sort() } })
    expect((await put(group, entries(b))).body).toEqual({ data: { actor_ids: [b] } })
    expect((await put(group, [])).body).toEqual({ data: { actor_ids: [] } })
    expect((await list(group)).body.metadata.total).toBe(0)
  })

  it('keeps the membership of who stays', async () => {
    const group = await newGroup()
    await put(group, entries(a, b))
    const idOf = async () =>
      (await queryItems(partition(account.id, 'memberships', group))).find(({ actor_id }) => actor_id === a)?.id
    const before = await idOf()
    const commits = (await commitsOf(account.id)).length
    await put(group, entries(a, b))
    expect((await commitsOf(account.id)).length).toBe(commits)
    await put(group, entries(a, c))
    expect(await idOf()).toBe(before)
  })

  it.each<[unknown, string[]]>([
    [[{}], ['entry 0 is missing actor_id']],
    [[{ actor_id: null }], ['entry 0 is missing actor_id']],
    [
      ['x', 7, null],
      ['entry 0 is missing actor_id', 'entry 1 is missing actor_id', 'entry 2 is missing actor_id'],
    ],
    [entries('nonsense', 'other'), ['nonsense is not a valid actor id', 'other is not a valid actor id']],
    [entries(unknown), [`${unknown} does not exist`]],
    [entries(...Array.from({ length: 10_001 }, () => unknown)), ['should have at most 10000 item(s)']],
  ])('refuses %#, and leaves the set', async (memberships, messages) => {
    const group = await newGroup()
    await put(group, entries(a))
    const answer = await put(group, memberships)
    expect([answer.status, answer.body.errors]).toEqual([422, { memberships: messages }])
    expect((await list(group)).body.data.map(({ id }: { id: string }) => id)).toEqual([a])
  })

  it('needs a list', async () => {
    for (const shape of [{}, 'x', null, { add: [] }]) {
      expect((await put(unknown, shape)).body.code).toBe('bad_request')
    }
  })
})

describe('PATCH /groups/{group_id}/memberships', () => {
  it('adds and removes; removal comes first', async () => {
    const group = await newGroup()
    await put(group, entries(a))
    expect((await patch(group, { add: [b], remove: [a] })).body.data.actor_ids).toEqual([b])
    expect((await patch(group, { add: [c], remove: [c] })).body.data.actor_ids).toEqual([b, c].sort())
    expect((await patch(group, {})).body.data.actor_ids).toEqual([b, c].sort())
    expect((await patch(group, { add: [b, b], remove: [a, unknown] })).body.data.actor_ids).toEqual([b, c].sort())
  })

  it.each<[unknown, Record<string, string[]>]>([
    [{ add: 'x' }, { add: ['is invalid'] }],
    [{ remove: {} }, { remove: ['is invalid'] }],
    [
      { add: null, remove: 5 },
      { add: ['is invalid'], remove: ['is invalid'] },
    ],
    [{ add: ['x'], remove: ['y'] }, { memberships: ['x is not a valid actor id', 'y is not a valid actor id'] }],
    [{ add: [unknown] }, { memberships: [`${unknown} does not exist`] }],
    [{ add: Array.from({ length: 10_001 }, () => unknown) }, { memberships: ['should have at most 10000 item(s)'] }],
  ])('refuses %#', async (memberships, errors) => {
    const answer = await patch(await newGroup(), memberships)
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
  })

  it('needs an object', async () => {
    for (const shape of [[], 'x', null]) expect((await patch(unknown, shape)).body.code).toBe('bad_request')
  })
})

describe('the order of checks', () => {
  it('is shape, group, refusals, form of the ids, existence (A15.4)', async () => {
    expect((await put(unknown, entries('x'))).status).toBe(404)
    expect((await put(everyone, entries('x'))).body.code).toBe('managed_group')
    const synced = await insertRow(account.id, groups, {
      name: 'Synced',
      entity_type: 'group',
      directory_id: null,
      idp_id: 'g-1',
      email: null,
      synced_at: null,
      is_managed: false,
    })
    expect((await patch(synced.id, { add: 'x' })).body.code).toBe('synced_group')
    expect((await put(await newGroup(), entries('x', unknown))).body.errors.memberships).toEqual([
      'x is not a valid actor id',
    ])
  })
})

describe('GET /groups/{group_id}/memberships', () => {
  it('lists id, name and type in the order of the actors, in pages', async () => {
    const group = await newGroup()
    await put(group, entries(c, b, a))
    const first = await list(group, { limit: '2' })
    expect(first.body.data).toEqual([
      { id: a, name: 'Ann', type: 'account_user' },
      { id: b, name: 'Robot', type: 'service_account' },
    ])
    expect(first.body.metadata).toMatchObject({ total: 3, count: 3, limit: 2, prev_page: null })
    const second = await list(group, { limit: '2', page_cursor: first.body.metadata.next_page })
    expect(second.body.data).toEqual([{ id: c, name: 'Pipeline', type: 'api_client' }])
    expect(second.body.metadata.next_page).toBeNull()
  })

  it('computes the members of the managed group: every person, no machine', async () => {
    const members = (await list(everyone)).body.data
    expect(members).toEqual([
      { id: account.admin.id, name: 'Ada', type: 'account_admin_user' },
      { id: a, name: 'Ann', type: 'account_user' },
    ])
  })

  it('of an unknown group is not found', async () => {
    expect((await list(unknown)).status).toBe(404)
  })
})
