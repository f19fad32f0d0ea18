import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { handler } from '#functions/api/gateway-tokens/list-gateway-tokens.ts'
import { handler as rotate } from '#functions/api/gateways/rotate-gateway-token.ts'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import { clock } from '#shared/core/clock.ts'
import { type GatewayTokenRow, gatewayTokens } from '#shared/domain/gateway-tokens/gateway-token.ts'
import { newSite, start } from '#test/support/access/gateways.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { withScopes } from '#test/support/accounts/api-tokens.ts'
import { measure } from '#test/support/table/consumed-capacity.ts'
import { plantRows } from '#test/support/table/plant-rows.ts'

let account: Account
let site: Awaited<ReturnType<typeof newSite>>
beforeAll(async () => {
  account = await newAccount()
  site = await newSite(account)
})
afterEach(() => {
  vi.restoreAllMocks()
})

const list = (query: Record<string, string> | string = {}, { of = account, params = site.params } = {}) =>
  of.call(handler, { params, query, path: `/sites/${params.site_id}/gateway_tokens` })
// biome-ignore lint/suspicious/noExplicitAny: bodies
const ids = ({ body }: any): string[] => body.data.map(({ id }: { id: string }) => id)

describe('GET /sites/{site_id}/gateway_tokens (K11.G11)', () => {
  it('lists the tokens of a site, newest first, without secrets and those of gateways', async () => {
    const [first, second] = [await site.token(), await site.token()]
    await site.gateway()
    await (await newSite(account)).token()
    await start(first.token)
    const answer = await list()
    const fields = { site_id: site.id, gateway_id: null, rotated_at: null, inserted_at: expect.any(String) }
    expect(answer.body).toEqual({
      data: [
        { id: second.id, ...fields, last_seen_at: null },
        { id: first.id, ...fields, last_seen_at: expect.stringMatching(/Z$/) },
      ],
      metadata: { limit: 50, next_page: null, prev_page: null },
    })
    expect(answer.text).not.toMatch(/secret|hash|nag_/)
    for (const { token } of [first, second]) expect(answer.text).not.toContain(token.slice(-43))
  })

  it('lists the tokens of one gateway, without one whose rotation has ended', async () => {
    const gateway = await site.gateway()
    await start(gateway.token)
    const params = { ...site.params, gateway_id: gateway.id }
    const { id } = (await account.call(rotate, { method: 'POST', params })).body.data
    const query = { gateway_id: gateway.id.toUpperCase() }
    const { data } = (await list(query)).body
    expect(data).toMatchObject([
      { id, gateway_id: gateway.id, rotated_at: null, last_seen_at: null },
      { gateway_id: gateway.id, rotated_at: expect.any(String), last_seen_at: expect.any(String) },
    ])
    const now = clock.now.bind(clock)
    vi.spyOn(clock, 'now').mockImplementation(() => now() + 4 * 3_600_000_000)
    expect(ids(await list(query))).toEqual([id])
  })

  it('has no tokens of a gateway of another site or account', async () => {
    const other = await newSite(account)
    const stranger = await newAccount()
    for (const { gateway } of [other, await newSite(stranger)])
      expect((await list({ gateway_id: (await gateway()).id })).body.data).toEqual([])
    expect((await list({ gateway_id: randomUUID() })).body.data).toEqual([])
  })

  it('pages in both directions, with cursors for the same site and filter only', async () => {
    const own = await newSite(account)
    const all = [(await own.token()).id, (await own.token()).id, (await own.token()).id].reverse()
    const page = (query: Record<string, string>) => list(query, { of: account, params: own.params })
    const pages = [await page({ limit: '1' })]
    for (let next = pages[0]?.body.metadata.next_page; next; next = pages.at(-1)?.body.metadata.next_page)
      pages.push(await page({ limit: '1', page_cursor: next }))
    expect(pages.flatMap(ids)).toEqual(all)
    const back = await page({ limit: '9', page_cursor: pages.at(-1)?.body.metadata.prev_page })
    expect([ids(back), back.body.metadata.prev_page]).toEqual([all.slice(0, 2), null])
    const page_cursor = pages[0]?.body.metadata.next_page
    for (const answer of [await page({ page_cursor, gateway_id: randomUUID() }), await list({ page_cursor })])
      expect(answer.body.code).toBe('invalid_page_cursor')
  })

  it('returns 404 for an unknown site, and 400 for an invalid query first', async () => {
    const unknown = { params: { site_id: randomUUID() }, of: account }
    expect((await list({}, unknown)).status).toBe(404)
    expect((await list({}, { of: await newAccount(), params: site.params })).status).toBe(404)
    expect((await list({ gateway_id: randomUUID() }, unknown)).status).toBe(404)
    expect((await list({ page_cursor: 'x' }, unknown)).body.code).toBe('invalid_page_cursor')
    for (const query of [
      'gateway_id=',
      'gateway_id=x',
      'gateway_id=*',
      `gateway_id=${site.id}&gateway_id=${site.id}`,
    ]) {
      const { status, body } = await list(query, unknown)
      expect([status, body.code, body.detail]).toEqual([400, 'invalid_filter', 'Invalid value for filter gateway_id.'])
    }
    expect((await list('limit=x', unknown)).body.code).toBe('invalid_limit')
    expect((await list({}, { of: account, params: { site_id: 'x' } })).body.code).toBe('invalid_path_parameter')
  })

  it('requires tokens:read, and has an entry in the request log', async () => {
    for (const scope of ['tokens:read', 'tokens:write', '*:read'])
      expect((await list({}, { of: await withScopes(account, scope), params: site.params })).status).toBe(200)
    const narrow = await withScopes(account, 'sites:write', 'gateways:write')
    const refused = await list({}, { of: narrow, params: site.params })
    expect([refused.status, refused.body.required_scope]).toEqual([403, 'tokens:read'])
    const { body } = await account.call(listLogs, { query: { type: 'api_request', limit: '1000' } })
    expect(body.data.some(({ path }: { path: string }) => path === `/sites/${site.id}/gateway_tokens`)).toBe(true)
  })

  it('takes at most 10 read units and 2 per row, and one more per 16 rows of a large page', async () => {
    const own = await newAccount()
    const { id, params } = await newSite(own)
    await plantRows<GatewayTokenRow>(own.id, gatewayTokens, 240, (i) => ({
      ...{ site_id: id, gateway_id: null, rotated_at: null },
      secret_hash: String(i).padStart(44, '0'),
    }))
    for (const [limit, more] of [
      [1, 0],
      [50, 0],
      [200, 200 / 16],
    ] as const) {
      const page = () => list({ limit: String(limit) }, { of: own, params })
      expect(ids(await page())).toHaveLength(limit)
      expect((await measure(page)).reads).toBeLessThanOrEqual(10 + 2 * limit + more)
    }
  })
})
