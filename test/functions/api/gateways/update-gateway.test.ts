import { describe, expect, it } from 'vitest'
import { handler as listGateways } from '#functions/api/gateways/list-gateways.ts'
import { handler as updateGateway } from '#functions/api/gateways/update-gateway.ts'
import { newSite } from '#test/support/access/gateways.ts'
import { newAccount } from '#test/support/accounts/account.ts'

describe('PATCH and PUT /sites/{site_id}/gateways/{id}', () => {
  it('changes only the name of a gateway', async () => {
    const account = await newAccount()
    const site = await newSite(account)
    const { token: _token, ...gateway } = await site.gateway({ gateway: { name: 'old' } })
    const update = (fields: unknown, params: Record<string, string> = site.params) =>
      account.call(updateGateway, { method: 'PATCH', params: { ...params, id: gateway.id }, body: { gateway: fields } })
    const renamed = await update({ name: 'new', ipv4: '100.64.0.9' })
    expect([renamed.status, renamed.body.data]).toEqual([200, { ...gateway, name: 'new' }])
    expect((await update({})).body.data.name).toBe('new')
    const found = await account.call(listGateways, { params: site.params, query: { name: 'new' } })
    expect(found.body.metadata.total).toBe(1)
    for (const [name, message] of [
      [null, "can't be blank"],
      ['', "can't be blank"],
      ['x'.repeat(256), 'should be at most 255 character(s)'],
    ]) {
      expect((await update({ name })).body.errors).toEqual({ name: [message] })
    }
    const other = await newSite(account)
    expect((await update({ name: '' }, other.params)).status).toBe(404)
  })
})
