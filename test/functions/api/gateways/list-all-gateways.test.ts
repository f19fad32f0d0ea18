import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { handler as deleteToken } from '#functions/api/gateway-tokens/delete-gateway-token.ts'
import { handler as findGateway } from '#functions/api/gateways/find-gateway.ts'
import { handler } from '#functions/api/gateways/list-all-gateways.ts'
import { handler as listGateways } from '#functions/api/gateways/list-gateways.ts'
import { newSite, start } from '#test/support/access/gateways.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { withScopes } from '#test/support/accounts/api-tokens.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'

let account: Account
let [berlin, paris]: Awaited<ReturnType<typeof newSite>>[] = []
// biome-ignore lint/suspicious/noExplicitAny: bodies
let gateways: any[]
beforeAll(async () => {
  account = await newAccount()
  berlin = await newSite(account)
  paris = await newSite(account)
  gateways = [await berlin.gateway(), await paris.gateway(), await berlin.gateway(), await berlin.gateway()]
  for (const { token } of gateways.slice(0, 3)) await start(token)
  // Ends the session of the third gateway, because its token is deleted (P1.7).
  const { gateway_token_id } = await berlin.show(gateways[2].id)
  await account.call(deleteToken, { method: 'DELETE', params: { ...berlin.params, id: gateway_token_id } })
})

const list = (query: Record<string, string> | string = {}) => account.call(handler, { query })
const numbers = ({ body }: { body: { data: { id: string }[] } }) =>
  body.data.map(({ id }) => gateways.findIndex((gateway) => gateway.id === id))

describe('GET /gateways', () => {
  it('lists the gateways of all sites, or of one, with an exact total (K11.G4)', async () => {
    const { body } = await list()
    expect([numbers({ body }), body.metadata]).toEqual([
      [0, 1, 2, 3],
      { limit: 50, next_page: null, prev_page: null, total: 4, count: 4 },
    ])
    expect(body.data[1]).toEqual((await account.call(findGateway, { params: { id: gateways[1].id } })).body.data)
    expect(body.data[1]).toMatchObject({ site_id: paris?.id, online: true })
    const ofSite = await list({ site_id: String(berlin?.id).toUpperCase() })
    expect([numbers(ofSite), ofSite.body.metadata.total]).toEqual([[0, 2, 3], 3])
    expect((await list({ site_id: randomUUID() })).body.data).toEqual([])
    const first = (await list({ limit: '3' })).body
    expect(numbers(await list({ limit: '3', page_cursor: first.metadata.next_page }))).toEqual([3])
    expect((await (await newAccount()).call(handler)).body.data).toEqual([])
  })

  it('filters by online and by the time last seen, also within a site (K11.G13)', async () => {
    const future = '2100-01-01T00:00:00Z'
    expect(numbers(await list({ online: 'true' }))).toEqual([0, 1])
    expect(numbers(await list({ online: 'false' }))).toEqual([2, 3])
    expect(numbers(await list({ online: 'true', site_id: paris?.id ?? '' }))).toEqual([1])
    expect(numbers(await list({ not_seen_since: '2020-01-01T00:00:00Z' }))).toEqual([3])
    expect(numbers(await list({ not_seen_since: future }))).toEqual([0, 1, 2, 3])
    const own = await account.call(listGateways, { params: berlin?.params, query: { online: 'false' } })
    expect([numbers(own), own.body.metadata]).toEqual([
      [2, 3],
      { limit: 50, next_page: null, prev_page: null, total: null, count: null },
    ])
    const named = { name: gateways[2].name, online: 'false', not_seen_since: future }
    expect(numbers(await account.call(listGateways, { params: berlin?.params, query: named }))).toEqual([2])
    const unknown = await account.call(listGateways, { params: { site_id: randomUUID() }, query: { online: 'true' } })
    expect(unknown.status).toBe(404)
  })

  it.each(['site_id=x', 'site_id=', 'online=yes', 'online=', 'not_seen_since=', 'not_seen_since=yesterday'])(
    'refuses ?%s',
    async (query) => {
      const { status, body } = await list(query)
      const detail = `Invalid value for filter ${query.split('=')[0]}.`
      expect([status, body.code, body.detail]).toEqual([400, 'invalid_filter', detail])
    },
  )

  it('requires gateways:read', async () => {
    const wrong = await withScopes(account, 'sites:write')
    expect((await wrong.call(handler)).body.required_scope).toBe('gateways:read')
  })

  it('takes at most 10 read units and 3 per row', async () => {
    const queries: Record<string, string>[] = [{}, { site_id: berlin?.id ?? '' }, { online: 'true' }, { limit: '1' }]
    for (const query of queries) {
      let rows = 0
      await list(query)
      const { reads } = await measure(async () => {
        rows = (await list(query)).body.data.length
      })
      expect(reads, JSON.stringify(query)).toBeLessThanOrEqual(10 + 3 * ('online' in query ? 4 : rows))
    }
  })
})
