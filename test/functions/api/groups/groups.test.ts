import { beforeAll, describe, expect, it } from 'vitest'
import { handler as createGroup } from '#functions/api/groups/create-group.ts'
import { handler as deleteGroup } from '#functions/api/groups/delete-group.ts'
import { handler as getGroup } from '#functions/api/groups/get-group.ts'
import { handler as listGroups } from '#functions/api/groups/list-groups.ts'
import { handler as updateGroup } from '#functions/api/groups/update-group.ts'
import { type GroupRow, groups } from '#shared/groups/group.ts'
import { newAccount } from '#test/support/account.ts'
import { insertRow } from '#test/support/rows.ts'

let account: Awaited<ReturnType<typeof newAccount>>
let everyone: string
beforeAll(async () => {
  account = await newAccount()
  everyone = (await account.call(listGroups, { query: { name: 'Everyone' } })).body.data[0].id
})

const create = (group: Record<string, unknown>) => account.call(createGroup, { method: 'POST', body: { group } })
const update = (id: string, body: unknown) => account.call(updateGroup, { method: 'PUT', params: { id }, body })
const remove = (id: string) => account.call(deleteGroup, { method: 'DELETE', params: { id } })
const synced = (fields: Partial<GroupRow> = {}) =>
  insertRow(account.id, groups, {
    name: 'Synced',
    entity_type: 'org_unit',
    directory_id: '0198a000-0000-7000-8000-00000000d1d1',
    idp_id: 'unit-7',
    email: null,
    synced_at: null,
    is_managed: false,
    ...fields,
  })

describe('POST /groups', () => {
  it('creates a native group and ignores every other key', async () => {
    const answer = await create({ name: 'Engineering', idp_id: 'x', entity_type: 'org_unit', is_managed: true })
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
    expect((await account.call(getGroup, { params: { id: id.toUpperCase() } })).body).toEqual(answer.body)
  })

  it.each([
    [{}, "can't be blank"],
    [{ name: null }, "can't be blank"],
    [{ name: ' \t' }, "can't be blank"],
    [{ name: ['x'] }, 'is invalid'],
    [{ name: 'a\u0000b' }, 'is invalid'],
    [{ name: 'x'.repeat(256) }, 'should be at most 255 character(s)'],
    [{ name: 'Everyone' }, 'has already been taken'],
  ])('refuses %j', async (group, message) => {
    const answer = await create(group)
    expect([answer.status, answer.body.errors]).toEqual([422, { name: [message] }])
  })

  it('counts characters, not bytes, and keeps case apart', async () => {
    expect((await create({ name: '😀'.repeat(255) })).status).toBe(201)
    expect((await create({ name: 'everyone' })).status).toBe(201)
  })

  it('can share the name of a synced group', async () => {
    await synced({ name: 'Shared' })
    expect((await create({ name: 'Shared' })).status).toBe(201)
    expect((await create({ name: 'Shared' })).body.errors).toEqual({ name: ['has already been taken'] })
  })

  it('gives a name to exactly one of many that want it at once', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => create({ name: 'Contested' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422, 422, 422])
  })
})

describe('PUT /groups/{id}', () => {
  it('renames a group; the same name again changes nothing', async () => {
    const group = (await create({ name: 'Old name' })).body.data
    const renamed = (await update(group.id, { group: { name: 'New name' } })).body.data
    expect(renamed).toEqual({ ...group, name: 'New name', updated_at: renamed.updated_at })
    expect(renamed.updated_at > group.updated_at).toBe(true)
    expect((await update(group.id, { group: { name: 'New name' } })).body.data).toEqual(renamed)
    expect((await update(group.id, { group: {} })).body.data).toEqual(renamed)
    expect((await create({ name: 'Old name' })).status).toBe(201)
  })

  it('tells unknown, then refused, then a missing envelope, then bad fields (A14.3)', async () => {
    const unknown = await update('0198a000-0000-7000-8000-000000000000', {})
    const unit = await synced({ name: 'Unit' })
    const { id } = (await create({ name: 'Order' })).body.data
    const answers = [unknown, await update(everyone, {}), await update(unit.id, {}), await update(id, {})]
    expect(answers.map(({ body }) => body.code)).toEqual(['not_found', 'managed_group', 'synced_group', 'bad_request'])
    expect((await update(id, { group: { name: '' } })).body.errors).toEqual({ name: ["can't be blank"] })
  })
})

describe('DELETE /groups/{id}', () => {
  it('answers the group; a synced one can go, the managed one cannot', async () => {
    const group = (await create({ name: 'Short-lived' })).body.data
    expect((await remove(group.id)).body).toEqual({ data: group })
    expect((await remove(group.id)).status).toBe(404)
    const unit = await synced({ name: 'Gone', idp_id: 'unit-8' })
    expect((await remove(unit.id)).status).toBe(200)
    const refused = await remove(everyone)
    expect([refused.status, refused.body.code]).toEqual([403, 'managed_group'])
  })
})

describe('GET /groups', () => {
  it('filters by name, directory, no directory, and entity type', async () => {
    const own = await newAccount()
    const directory_id = '0198a000-0000-7000-8000-00000000d1d2'
    const unit = await insertRow(own.id, groups, {
      name: 'Unit',
      entity_type: 'org_unit',
      directory_id,
      idp_id: 'u',
      email: 'unit@example.com',
      synced_at: '2026-01-01T00:00:00.000000Z',
      is_managed: false,
    })
    const names = async (query: Record<string, string>) =>
      (await own.call(listGroups, { query })).body.data.map(({ name }: { name: string }) => name)
    expect(await names({})).toEqual(['Everyone', 'Unit'])
    expect(await names({ directory_id })).toEqual(['Unit'])
    expect(await names({ directory_id: '' })).toEqual(['Everyone'])
    expect(await names({ entity_type: 'group' })).toEqual(['Everyone'])
    expect(await names({ entity_type: 'org_unit', name: 'Unit', directory_id })).toEqual(['Unit'])
    expect(await names({ entity_type: 'org_unit', directory_id: '' })).toEqual([])
    expect(await names({ name: '' })).toEqual([])
    expect((await own.call(getGroup, { params: { id: unit.id } })).body.data.synced_at).toBe(unit.synced_at)
  })

  it.each(['directory_id=x', 'entity_type=unit', 'entity_type='])('refuses ?%s', async (query) => {
    expect((await account.call(listGroups, { query })).body.code).toBe('invalid_filter')
  })
})
