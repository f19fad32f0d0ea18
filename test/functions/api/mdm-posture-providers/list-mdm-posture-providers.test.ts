import { describe, expect, it } from 'vitest'
import { newAccount } from '#test/support/accounts/account.ts'
import { postureProvidersApi } from '#test/support/accounts/collections.ts'
import { mdmFields, tenantFields } from '#test/support/sync/posture-providers.ts'

const { create, list } = postureProvidersApi

describe('GET /mdm_posture_providers (A28.1)', () => {
  it('lists providers of both types, newest first, in pages', async () => {
    const account = await newAccount()
    const made = []
    for (const fields of [mdmFields(), tenantFields(), mdmFields()]) {
      made.unshift((await create(account, fields)).body.data)
    }
    const first = (await list(account, { limit: '2' })).body
    expect(first.data).toEqual(made.slice(0, 2))
    expect(first.metadata).toMatchObject({ total: 3, count: 3, prev_page: null })
    const second = (await list(account, { limit: '2', page_cursor: first.metadata.next_page })).body
    expect([second.data, second.metadata.next_page]).toEqual([made.slice(2), null])
  })

  it('filters only by state (K11.G13)', async () => {
    const account = await newAccount()
    await create(account, mdmFields())
    expect((await list(account, { name: 'another', type: 'x' })).body.data).toHaveLength(1)
    expect((await list(account, { is_disabled: 'false' })).body.data).toHaveLength(1)
    expect((await list(account, { is_disabled: 'true' })).body.data).toEqual([])
    expect((await list(account, 'is_disabled=')).body.code).toBe('invalid_filter')
  })
})
