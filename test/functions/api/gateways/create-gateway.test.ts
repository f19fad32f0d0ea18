import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { handler as createGateway } from '#functions/api/gateways/create-gateway.ts'
import { handler as listSites } from '#functions/api/sites/list-sites.ts'
import { newSite, start } from '#test/support/access/gateways.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { withTitles } from '#test/support/run/titles.ts'

let account: Account
let site: Awaited<ReturnType<typeof newSite>>
beforeAll(async () => {
  account = await newAccount()
  site = await newSite(account)
})

const create = (request: { body?: unknown; rawBody?: string; params?: Record<string, string> } = {}) =>
  account.call(createGateway, { method: 'POST', params: site.params, ...request })

describe('POST /sites/{site_id}/gateways', () => {
  it('creates a gateway with its own token, returned once', async () => {
    const answer = await create({ body: { gateway: { name: ' edge ' } } })
    const { id, ipv4, ipv6, token } = answer.body.data
    expect(answer.status).toBe(201)
    expect(answer.headers).toMatchObject({ location: `/sites/${site.id}/gateways/${id}`, 'cache-control': 'no-store' })
    expect(answer.body.data).toEqual({
      id,
      site_id: site.id,
      name: 'edge',
      ipv4,
      ipv6,
      online: false,
      public_key: null,
      gateway_token_id: null,
      rotated_at: null,
      last_seen_at: null,
      last_seen_version: null,
      last_seen_user_agent: null,
      last_seen_remote_ip: null,
      last_seen_remote_ip_location_region: null,
      last_seen_remote_ip_location_city: null,
      last_seen_remote_ip_location_lat: null,
      last_seen_remote_ip_location_lon: null,
      token,
    })
    expect(ipv4).toMatch(/^100\.(6[4-9]|[78]\d|9[0-5])\./)
    expect(ipv6).toMatch(/^fd00:2021:1111::/)
    const { token: _token, ...shown } = answer.body.data
    expect(await site.show(id)).toEqual(shown)
    expect((await start(token)).body.data.gateway.id).toBe(id)
  })

  it.each([[undefined], [{}], [{ gateway: {} }], [{ gateway: { name: null } }]])(
    'generates a random name for %j',
    async (body) => {
      expect((await create({ body })).body.data.name).toMatch(/^[a-z]{5}$/)
    },
  )

  it.each(
    withTitles([
      ['', "can't be blank"],
      ['  ', "can't be blank"],
      [7, 'is invalid'],
      ['x'.repeat(256), 'should be at most 255 character(s)'],
    ]),
  )('refuses the name %s', async (_name, name, message) => {
    const answer = await create({ body: { gateway: { name } } })
    expect([answer.status, answer.body.errors]).toEqual([422, { name: [message] }])
  })

  it('accepts a name twice, and the Internet Site', async () => {
    const internet = (await account.call(listSites, { query: { name: 'Internet' } })).body.data[0].id
    const body = { gateway: { name: 'twin' } }
    expect((await create({ body })).status).toBe(201)
    expect((await create({ body, params: { site_id: internet } })).status).toBe(201)
  })

  it.each([['{'], ['{"gateway": 1}'], ['[]']])('refuses the body %s', async (rawBody) => {
    expect((await create({ rawBody })).status).toBe(400)
  })

  it('returns 404 for a site of another account', async () => {
    const other = await newSite(await newAccount())
    expect((await create({ params: other.params })).status).toBe(404)
    expect((await create({ params: { site_id: randomUUID() }, body: { gateway: { name: '' } } })).status).toBe(404)
    expect((await create({ params: { site_id: 'x' } })).body.code).toBe('invalid_path_parameter')
  })
})
