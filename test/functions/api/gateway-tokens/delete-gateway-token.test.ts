import { describe, expect, it } from 'vitest'
import { handler as deleteToken } from '#functions/api/gateway-tokens/delete-gateway-token.ts'
import { newAccount } from '#test/support/account.ts'
import { heartbeat, newKey, newSite, start } from '#test/support/gateways.ts'

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

  it('frees a gateway for another key', async () => {
    const account = await newAccount()
    const site = await newSite(account)
    const public_key = newKey()
    const token = await site.token()
    await start(token.token, { public_key })
    await account.call(deleteToken, { method: 'DELETE', params: { ...site.params, id: token.id } })
    const again = await start((await site.token()).token, { public_key })
    expect(again.status).toBe(201)
  })
})
