import { describe, expect, it } from 'vitest'
import { handler as deleteToken } from '#functions/api/gateway-tokens/delete-gateway-token.ts'
import { handler as createToken } from '#functions/api/gateways/create-gateway-token.ts'
import { heartbeat, newSite, start } from '#test/support/access/gateways.ts'
import { publicKey } from '#test/support/access/public-key.ts'
import { newAccount } from '#test/support/accounts/account.ts'

describe('DELETE /sites/{site_id}/gateway_tokens/{id}', () => {
  it('deletes a site token or the token of a gateway, and ends their sessions at once', async () => {
    const account = await newAccount()
    const site = await newSite(account)
    const drop = (id: string, params = site.params) =>
      account.call(deleteToken, { method: 'DELETE', params: { ...params, id } })
    for (const { token } of [await site.token(), await site.gateway()]) {
      const session = (await start(token)).body.data
      const { id, gateway_token_id } = session.gateway
      expect((await drop(gateway_token_id, (await newSite(account)).params)).status).toBe(404)
      expect((await drop(gateway_token_id)).body).toEqual({ data: { id: gateway_token_id } })
      expect(await site.show(id)).toMatchObject({
        online: false,
        gateway_token_id: null,
        rotated_at: null,
        public_key: session.gateway.public_key,
        last_seen_version: '1.4.2',
      })
      expect((await heartbeat(token, session.id)).status).toBe(401)
      expect((await drop(gateway_token_id)).status).toBe(404)
    }
  })

  it('frees its gateway for another key', async () => {
    const account = await newAccount()
    const site = await newSite(account)
    const gateway = await site.gateway()
    const { gateway_token_id: id } = (await start(gateway.token)).body.data.gateway
    await account.call(deleteToken, { method: 'DELETE', params: { ...site.params, id } })
    const params = { ...site.params, gateway_id: gateway.id }
    const { token } = (await account.call(createToken, { method: 'POST', params })).body.data
    const public_key = publicKey()
    expect((await start(token, { public_key })).body.data.gateway).toMatchObject({ id: gateway.id, public_key })
  })
})
