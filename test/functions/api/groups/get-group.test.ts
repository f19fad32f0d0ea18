import { beforeAll, describe, expect, it } from 'vitest'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { groupsApi } from '#test/support/accounts/collections.ts'
import { insertSyncedGroup } from '#test/support/accounts/groups.ts'

const { get, list } = groupsApi

let account: Account
let everyone: string
beforeAll(async () => {
  account = await newAccount()
  everyone = (await list(account, { name: 'Everyone' })).body.data[0].id
})

describe('GET /groups/{id} (A14.1)', () => {
  it('returns every field of a synced group', async () => {
    const unit = await insertSyncedGroup(account, {
      name: 'Unit',
      email: 'unit@example.com',
      synced_at: '2026-01-01T00:00:00.000000Z',
    })
    const { is_managed: _managed, idp_provider: _provider, ...shown } = unit
    const { status, body } = await get(account, unit.id)
    expect([status, body.data]).toEqual([200, shown])
    expect(body.data).toMatchObject({ entity_type: 'org_unit', idp_id: 'unit-7', email: 'unit@example.com' })
  })

  it('returns the managed group, whose provider fields are null', async () => {
    const { body } = await get(account, everyone)
    expect(body.data).toEqual({
      id: everyone,
      name: 'Everyone',
      entity_type: 'group',
      directory_id: null,
      idp_id: null,
      email: null,
      synced_at: null,
      inserted_at: body.data.inserted_at,
      updated_at: body.data.inserted_at,
    })
  })
})
