import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { handler } from '#functions/api/gateways/find-gateway.ts'
import { newSite, start } from '#test/support/access/gateways.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { withScopes } from '#test/support/accounts/api-tokens.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'

it('shows a gateway without its site in the path, as the site shows it (K11.G4)', async () => {
  const account = await newAccount()
  const site = await newSite(account)
  const { id, token } = await site.gateway()
  await start(token)
  const find = (headers = {}) => account.call(handler, { params: { id }, headers })
  const found = await find()
  expect(found.body.data).toEqual(await site.show(id))
  expect(found.body.data).toMatchObject({ id, site_id: site.id, online: true })
  expect((await find({ 'if-none-match': found.headers.etag })).status).toBe(304)
  expect((await measure(find)).reads).toBeLessThanOrEqual(10)
})

it('returns 404 for an unknown gateway or one of another account, and requires gateways:read', async () => {
  const account = await newAccount()
  const { id } = await (await newSite(account)).gateway()
  const find = (by: typeof account, params = { id }) => by.call(handler, { params })
  expect((await find(account, { id: randomUUID() })).status).toBe(404)
  expect((await find(await newAccount())).status).toBe(404)
  expect((await find(await withScopes(account, 'sites:write'))).body.required_scope).toBe('gateways:read')
})
