import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { handler as createSiteToken } from '#functions/api/gateway-tokens/create-site-gateway-token.ts'
import { newSite, start } from '#test/support/access/gateways.ts'
import { newAccount } from '#test/support/accounts/account.ts'

describe('POST /sites/{site_id}/gateway_tokens', () => {
  it('creates a token for any number of gateways', async () => {
    const account = await newAccount()
    const site = await newSite(account)
    const answer = await account.call(createSiteToken, { method: 'POST', params: site.params })
    expect([answer.status, answer.headers['cache-control'], answer.headers.location]).toEqual([
      201,
      'no-store',
      undefined,
    ])
    expect(answer.body.data).toEqual({ id: expect.any(String), token: expect.stringMatching(/^nag_/) })
    const gateways = await Promise.all([start(answer.body.data.token), start(answer.body.data.token)])
    expect(new Set(gateways.map(({ body }) => body.data.gateway.id)).size).toBe(2)
    expect((await account.call(createSiteToken, { method: 'POST', params: { site_id: randomUUID() } })).status).toBe(
      404,
    )
  })
})
