import { beforeAll, describe, expect, it } from 'vitest'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { sitesApi } from '#test/support/accounts/collections.ts'

const { create, get, list } = sitesApi

let account: Account
beforeAll(async () => {
  account = await newAccount()
})

describe('GET /sites/{id} (A20.1)', () => {
  it('shows only id and name', async () => {
    const { id } = (await create(account, { name: ' Berlin ' })).body.data
    const { status, body } = await get(account, id.toUpperCase())
    expect([status, body]).toEqual([200, { data: { id, name: ' Berlin ' } }])
  })

  it('shows the Internet Site', async () => {
    const [site] = (await list(account, { name: 'Internet' })).body.data
    expect((await get(account, site.id)).body.data).toEqual({ id: site.id, name: 'Internet' })
  })
})
