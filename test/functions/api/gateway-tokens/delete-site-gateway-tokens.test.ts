import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { handler as deleteTokens } from '#functions/api/gateway-tokens/delete-site-gateway-tokens.ts'
import { newSite, start } from '#test/support/access/gateways.ts'
import { newAccount } from '#test/support/accounts/account.ts'

describe('DELETE /sites/{site_id}/gateway_tokens', () => {
  it('deletes all tokens of the site and keeps those of its gateways', async () => {
    const account = await newAccount()
    const site = await newSite(account)
    const clear = (params = site.params) => account.call(deleteTokens, { method: 'DELETE', params })
    const gateway = await site.gateway()
    const tokens = await Promise.all(Array.from({ length: 21 }, () => site.token()))
    const other = await (await newSite(account)).token()
    expect((await clear()).body).toEqual({ data: { deleted_count: 21 } })
    const statuses = await Promise.all(
      [tokens[0], tokens[20], gateway, other].map(async ({ token }) => (await start(token)).status),
    )
    expect(statuses).toEqual([401, 401, 201, 201])
    expect((await clear()).body).toEqual({ data: { deleted_count: 0 } })
    expect((await clear({ site_id: randomUUID() })).status).toBe(404)
  })

  it('counts each token once if several requests delete them at once', async () => {
    const account = await newAccount()
    const site = await newSite(account)
    for (let i = 0; i < 3; i++) await site.token()
    const clear = () => account.call(deleteTokens, { method: 'DELETE', params: site.params })
    const counts = (await Promise.all([clear(), clear(), clear()])).map((answer) => answer.body.data.deleted_count)
    expect(counts.sort()).toEqual([0, 0, 3])
  })
})
