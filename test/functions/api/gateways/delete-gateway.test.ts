import { describe, expect, it } from 'vitest'
import { handler as deleteGateway } from '#functions/api/gateways/delete-gateway.ts'
import { heartbeat, newSite, start } from '#test/support/access/gateways.ts'
import { publicKey } from '#test/support/access/public-key.ts'
import { newAccount } from '#test/support/accounts/account.ts'

describe('DELETE /sites/{site_id}/gateways/{id}', () => {
  it('returns the gateway offline, and ends its token and session', async () => {
    const account = await newAccount()
    const site = await newSite(account)
    const { id, token } = await site.gateway({ gateway: { name: 'gone' } })
    const session = (await start(token)).body.data
    const params = { ...site.params, id }
    const answer = await account.call(deleteGateway, { method: 'DELETE', params })
    expect(answer.status).toBe(200)
    expect(answer.body.data).toEqual({ ...session.gateway, online: false })
    expect((await account.call(deleteGateway, { method: 'DELETE', params })).status).toBe(404)
    expect((await heartbeat(token, session.id)).status).toBe(401)
    expect((await start(token)).status).toBe(401)
  })

  it('ends the session of a site token, which can start again', async () => {
    const account = await newAccount()
    const site = await newSite(account)
    const { token } = await site.token()
    const public_key = publicKey()
    const first = (await start(token, { public_key })).body.data
    await account.call(deleteGateway, { method: 'DELETE', params: { ...site.params, id: first.gateway.id } })
    expect((await heartbeat(token, first.id)).status).toBe(404)
    const second = await start(token, { public_key })
    expect(second.status).toBe(201)
    expect(second.body.data.gateway.id).not.toBe(first.gateway.id)
  })
})
