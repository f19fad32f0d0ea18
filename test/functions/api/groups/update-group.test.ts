import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { handler as updateGroup } from '#functions/api/groups/update-group.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { groupsApi } from '#test/support/accounts/collections.ts'
import { insertSyncedGroup } from '#test/support/accounts/groups.ts'
import { withTitles } from '#test/support/run/titles.ts'

const { create, list, update } = groupsApi

let account: Account
let everyone: string
beforeAll(async () => {
  account = await newAccount()
  everyone = (await list(account, { name: 'Everyone' })).body.data[0].id
})

describe('PATCH /groups/{id} (A14.3)', () => {
  it('renames a group; an equal name changes nothing', async () => {
    const group = (await create(account, { name: 'Old name' })).body.data
    const renamed = (await update(account, group.id, { name: 'New name' })).body.data
    expect(renamed).toEqual({ ...group, name: 'New name', updated_at: renamed.updated_at })
    expect(renamed.updated_at > group.updated_at).toBe(true)
    expect((await update(account, group.id, { name: 'New name' })).body.data).toEqual(renamed)
    expect((await update(account, group.id, {})).body.data).toEqual(renamed)
    expect((await create(account, { name: 'Old name' })).status).toBe(201)
  })

  it('checks existence, refusals, envelope and fields in this order', async () => {
    const unit = await insertSyncedGroup(account, { name: 'Unit' })
    const { id } = (await create(account, { name: 'Order' })).body.data
    const codes = []
    for (const group of ['0198a000-0000-7000-8000-000000000000', everyone, unit.id, id]) {
      const answer = await account.call(updateGroup, { method: 'PUT', params: { id: group }, body: {} })
      codes.push([answer.status, answer.body.code])
    }
    expect(codes).toEqual([
      [404, 'not_found'],
      [403, 'managed_group'],
      [403, 'synced_group'],
      [400, 'bad_request'],
    ])
    expect((await update(account, id, { name: '' })).body.errors).toEqual({ name: ["can't be blank"] })
  })

  it.each(
    withTitles([
      [null, "can't be blank"],
      [7, 'is invalid'],
      ['x'.repeat(256), 'should be at most 255 character(s)'],
      ['Everyone', 'has already been taken'],
    ]),
  )('refuses the name %s', async (_name, name, message) => {
    const { id } = (await create(account, { name: randomUUID() })).body.data
    const answer = await update(account, id, { name })
    expect([answer.status, answer.body.errors]).toEqual([422, { name: [message] }])
  })

  it('changes only the name', async () => {
    const group = (await create(account, { name: randomUUID() })).body.data
    const fields = { idp_id: 'x', entity_type: 'org_unit', directory_id: group.id, is_managed: true, id: everyone }
    expect((await update(account, group.id, fields)).body.data).toEqual(group)
  })

  it('accepts the name of a synced or deleted group', async () => {
    const { name } = await insertSyncedGroup(account, { name: 'Operations' })
    const [one, other] = [
      (await create(account, { name: randomUUID() })).body.data,
      (await create(account, { name: randomUUID() })).body.data,
    ]
    expect((await update(account, one.id, { name })).status).toBe(200)
    expect((await update(account, other.id, { name })).status).toBe(422)
    await groupsApi.remove(account, one.id)
    expect((await update(account, other.id, { name })).status).toBe(200)
  })
})
