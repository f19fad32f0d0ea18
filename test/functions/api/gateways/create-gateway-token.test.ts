import { describe, expect, it } from 'vitest'
import { handler as deleteToken } from '#functions/api/gateway-tokens/delete-gateway-token.ts'
import { handler as createToken } from '#functions/api/gateways/create-gateway-token.ts'
import { newSite, start } from '#test/support/access/gateways.ts'
import { newAccount } from '#test/support/accounts/account.ts'

describe('POST /sites/{site_id}/gateways/{gateway_id}/token', () => {
  it('creates a token for a gateway without an active one', async () => {
    const account = await newAccount()
    const site = await newSite(account)
    const gateway = await site.gateway()
    const params = { ...site.params, gateway_id: gateway.id }
    const mint = () => account.call(createToken, { method: 'POST', params })
    const refused = await mint()
    expect(refused.body).toMatchObject({
      status: 409,
      code: 'active_token_exists',
      detail: 'An active token exists. Rotate or delete it first.',
    })
    const { gateway_token_id } = (await start(gateway.token)).body.data.gateway
    await account.call(deleteToken, { method: 'DELETE', params: { ...site.params, id: gateway_token_id } })
    const minted = await mint()
    expect(minted.status).toBe(201)
    expect(minted.headers).toMatchObject({ 'cache-control': 'no-store' })
    expect(minted.headers.location).toBeUndefined()
    expect((await start(minted.body.data.token)).body.data.gateway).toMatchObject({
      id: gateway.id,
      gateway_token_id: minted.body.data.id,
    })
    expect((await mint()).status).toBe(409)
  })

  it('returns 404 for a gateway of another site', async () => {
    const account = await newAccount()
    const [site, other] = [await newSite(account), await newSite(account)]
    const { id } = await site.gateway()
    const params = { ...other.params, gateway_id: id }
    expect((await account.call(createToken, { method: 'POST', params })).status).toBe(404)
  })
})
