import { beforeAll, describe, expect, it } from 'vitest'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { groupsApi } from '#test/support/accounts/collections.ts'
import { insertSyncedGroup } from '#test/support/accounts/groups.ts'

const { create, list } = groupsApi

let account: Account
beforeAll(async () => {
  account = await newAccount()
})

describe('GET /groups (A7)', () => {
  it('lists groups of every origin by insertion', async () => {
    const ownAccount = await newAccount()
    const native = (await create(ownAccount, { name: 'Native' })).body.data
    const { is_managed: _managed, idp_provider: _provider, ...syncedGroup } = await insertSyncedGroup(ownAccount)
    const { data, metadata } = (await list(ownAccount)).body
    expect(data[0].name).toBe('Everyone')
    expect(data.slice(1)).toEqual([native, syncedGroup])
    expect(metadata).toEqual({ limit: 50, next_page: null, prev_page: null, total: 3, count: 3 })
  })

  it('filters by name, directory, no directory, and entity type', async () => {
    const ownAccount = await newAccount()
    const directory_id = '0198a000-0000-7000-8000-00000000d1d2'
    await insertSyncedGroup(ownAccount, { name: 'Unit', directory_id })
    const names = async (query: Record<string, string>) =>
      (await list(ownAccount, query)).body.data.map(({ name }: { name: string }) => name)
    expect(await names({})).toEqual(['Everyone', 'Unit'])
    expect(await names({ directory_id })).toEqual(['Unit'])
    expect(await names({ directory_id: '' })).toEqual(['Everyone'])
    expect(await names({ entity_type: 'group' })).toEqual(['Everyone'])
    expect(await names({ entity_type: 'org_unit', name: 'Unit', directory_id })).toEqual(['Unit'])
    expect(await names({ entity_type: 'org_unit', directory_id: '' })).toEqual([])
    expect(await names({ name: '' })).toEqual([])
  })

  it.each(['directory_id=x', 'entity_type=unit', 'entity_type='])('refuses ?%s', async (query) => {
    expect((await list(account, query)).body.code).toBe('invalid_filter')
  })
})
