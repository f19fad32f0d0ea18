import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { handler as getGateway } from '#functions/api/gateways/get-gateway.ts'
import { newSite, start } from '#test/support/access/gateways.ts'
import { publicKey } from '#test/support/access/public-key.ts'
import { newAccount } from '#test/support/accounts/account.ts'

describe('GET /sites/{site_id}/gateways/{id}', () => {
  it('shows the location and time at which the gateway was last seen', async () => {
    const site = await newSite(await newAccount())
    const { id, token } = await site.gateway()
    const key = publicKey()
    const before = Date.now()
    await start(token, { public_key: key, version: '1.4.2' })
    const shown = await site.show(id)
    expect(shown).toMatchObject({
      online: true,
      public_key: key,
      rotated_at: null,
      last_seen_version: '1.4.2',
      last_seen_user_agent: 'tests',
      last_seen_remote_ip: '192.0.2.10',
      last_seen_remote_ip_location_region: null,
    })
    expect(shown.gateway_token_id).toMatch(/^[0-9a-f-]{36}$/)
    expect(Date.parse(shown.last_seen_at)).toBeGreaterThanOrEqual(before)
  })

  it('returns 404 for a gateway of another site (A7.4)', async () => {
    const account = await newAccount()
    const [site, other] = [await newSite(account), await newSite(account)]
    const { id } = await site.gateway()
    const status = async (site_id: string, gateway: string) =>
      (await account.call(getGateway, { params: { site_id, id: gateway } })).status
    expect(await Promise.all([status(site.id, id), status(other.id, id), status(site.id, randomUUID())])).toEqual([
      200, 404, 404,
    ])
  })
})
