import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { handler as updateSite } from '#functions/api/sites/update-site.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { sitesApi } from '#test/support/accounts/collections.ts'

const { create, list, update } = sitesApi

let account: Account
beforeAll(async () => {
  account = await newAccount()
})

describe('PATCH /sites/{id} (A20)', () => {
  it('renames a site, and accepts an empty object', async () => {
    const { id } = (await create(account, { name: 'Paris' })).body.data
    expect((await update(account, id, { name: 'Lyon' })).body.data).toEqual({ id, name: 'Lyon' })
    const unchanged = await account.call(updateSite, { method: 'PUT', params: { id }, body: { site: {} } })
    expect(unchanged.body.data).toEqual({ id, name: 'Lyon' })
  })

  it('refuses the name of another site, even in concurrent requests', async () => {
    const { id } = (await create(account, { name: 'Oslo' })).body.data
    expect((await update(account, id, { name: 'Default' })).body.errors).toEqual({ name: ['has already been taken'] })
    expect((await update(account, id, { name: 'Oslo' })).status).toBe(200)
    expect((await update(account, id, { name: 'oslo' })).status).toBe(200)
    expect((await create(account, { name: 'Oslo' })).status).toBe(201)
  })

  it.each([
    [null, "can't be blank"],
    ['', "can't be blank"],
    [false, 'is invalid'],
    ['x'.repeat(65), 'should be at most 64 character(s)'],
  ])('refuses the name %j', async (name, message) => {
    const { id } = (await create(account, { name: randomUUID() })).body.data
    expect((await update(account, id, { name })).body.errors).toEqual({ name: [message] })
  })

  it('refuses to change the Internet Site', async () => {
    const id = (await list(account, { name: 'Internet' })).body.data[0].id
    const { status, body } = await update(account, id, { name: 'x' })
    expect([status, body.code]).toEqual([403, 'system_site'])
  })
})
