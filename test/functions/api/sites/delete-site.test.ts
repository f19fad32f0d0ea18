import { beforeAll, describe, expect, it } from 'vitest'
import { handler as createSiteToken } from '#functions/api/gateway-tokens/create-site-gateway-token.ts'
import { handler as listGateways } from '#functions/api/gateways/list-gateways.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { start } from '#test/support/access/gateways.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { resourcesApi, sitesApi } from '#test/support/accounts/collections.ts'

const { create, get, list, remove } = sitesApi

let account: Account
beforeAll(async () => {
  account = await newAccount()
})

describe('DELETE /sites/{id} (A20)', () => {
  it('deletes a site once, then returns 404', async () => {
    const { id } = (await create(account, { name: 'Short-lived' })).body.data
    expect((await remove(account, id)).body.data.id).toBe(id)
    expect((await remove(account, id)).status).toBe(404)
    expect((await get(account, id)).status).toBe(404)
  })

  it('refuses to delete the Internet Site', async () => {
    const id = (await list(account, { name: 'Internet' })).body.data[0].id
    const { status, body } = await remove(account, id)
    expect([status, body.code]).toEqual([403, 'system_site'])
  })

  it('deletes its gateways, their tokens and its resources (A20.4, A29)', async () => {
    const world = await newAccessWorld()
    const gateway = await world.addGateway()
    const params = { site_id: world.site.id }
    const siteToken = (await world.account.call(createSiteToken, { method: 'POST', params })).body.data
    expect((await remove(world.account, world.site.id)).status).toBe(200)
    expect((await resourcesApi.get(world.account, world.resource.id)).status).toBe(404)
    expect((await world.account.call(listGateways, { params })).status).toBe(404)
    for (const { token } of [gateway, siteToken]) expect((await start(token)).status).toBe(401)
  })
})
