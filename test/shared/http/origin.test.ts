import { afterEach, describe, expect, it, vi } from 'vitest'
import { handler as startSession } from '#functions/api/client-sessions/start-client-session.ts'
import { handler as unknownRoute } from '#functions/api/unknown-route.ts'
import { handler as openapi } from '#functions/public/openapi.ts'
import type { Event } from '#shared/http/exchange.ts'
import { requestOrigin } from '#shared/http/origin.ts'
import { newAccessWorld } from '#test/support/access/access.ts'
import { publicKey } from '#test/support/access/public-key.ts'
import { call } from '#test/support/accounts/account.ts'

const viewer = {
  'cloudfront-viewer-address': '203.0.113.9:4711',
  'cloudfront-viewer-country': 'DE',
  'cloudfront-viewer-city': 'Berlin',
  'cloudfront-viewer-latitude': '52.52',
  'cloudfront-viewer-longitude': '13.40',
}
const forged = { ...viewer, 'x-forwarded-for': '203.0.113.77', forwarded: 'for=203.0.113.77' }
const event = (headers: Record<string, string>) =>
  ({ headers, requestContext: { http: { sourceIp: '192.0.2.10' } } }) as unknown as Event
const nowhere = { ip_region: null, ip_city: null, ip_lat: null, ip_lon: null }

afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

describe('source of a request (P8)', () => {
  it('is the source IP, whatever its headers claim', async () => {
    expect(await requestOrigin(event(forged))).toEqual({ ip: '192.0.2.10', ...nowhere, user_agent: null })
  })

  it('cuts the user agent to 255 characters', async () => {
    expect((await requestOrigin(event({ 'user-agent': 'x'.repeat(300) }))).user_agent).toBe('x'.repeat(255))
  })

  it("is the CDN's header if the CDN's secret is valid", async () => {
    vi.stubEnv('CDN_SECRET', 'shared')
    const proven = (headers: Record<string, string>) =>
      requestOrigin(event({ ...headers, 'x-origin-secret': 'shared' }))
    expect(await proven(forged)).toEqual({
      ip: '203.0.113.9',
      ip_region: 'DE',
      ip_city: 'Berlin',
      ip_lat: 52.52,
      ip_lon: 13.4,
      user_agent: null,
    })
    expect((await proven({ 'cloudfront-viewer-address': '2001:DB8:0:0::1:4711' })).ip).toBe('2001:db8::1')
    expect((await proven({ ...viewer, 'cloudfront-viewer-country': 'XK' })).ip_region).toBeNull()
    expect((await proven({ ...viewer, 'cloudfront-viewer-latitude': 'north' })).ip_lat).toBeNull()
    expect((await proven({ ...viewer, 'cloudfront-viewer-city': 'D%C3%BCsseldorf' })).ip_city).toBe('Düsseldorf')
    expect((await proven({ ...viewer, 'cloudfront-viewer-city': '100%' })).ip_city).toBe('100%')
  })

  it.each(['127.0.0.1, 203.0.113.9:1', 'localhost:80', '203.0.113.9', ':', ''])(
    "is the CDN's last hop if the viewer is %j",
    async (address) => {
      vi.stubEnv('CDN_SECRET', 'shared')
      const origin = await requestOrigin(event({ 'cloudfront-viewer-address': address, 'x-origin-secret': 'shared' }))
      expect(origin.ip).toBe('192.0.2.10')
    },
  )

  it('is refused without the secret, before any other check', async () => {
    vi.stubEnv('CDN_SECRET', 'shared')
    for (const proof of [undefined, 'guessed', '', 'shared,shared', 'shared ', 'SHARED']) {
      const headers = { ...forged, ...(proof !== undefined && { 'x-origin-secret': proof }) }
      const answer = await call(startSession, { method: 'POST', token: 'nonsense', headers })
      expect([answer.status, answer.body.code]).toEqual([403, 'forbidden'])
    }
  })

  it('is checked for every page and unknown path', async () => {
    vi.stubEnv('CDN_SECRET', 'shared')
    vi.stubGlobal('ROUTE_TABLE', JSON.stringify({ '/account': ['GET'] }))
    for (const handler of [unknownRoute, openapi]) {
      expect((await call(handler, { path: '/openapi', headers: forged })).status).toBe(403)
      const proven = await call(handler, { path: '/openapi', headers: { 'x-origin-secret': 'shared' } })
      expect([308, 404]).toContain(proven.status)
    }
  })

  it('decides conditions, and a forged header never does', async () => {
    const world = await newAccessWorld([
      { property: 'remote_ip', operator: 'is_in_cidr', values: ['203.0.113.0/24'] },
      { property: 'remote_ip_location_region', operator: 'is_in', values: ['DE'] },
    ])
    const body = { session: { svc_id: 'laptop', public_key: publicKey(), version: '1.4.0' } }
    const reachable = async (headers: Record<string, string>) => {
      const answer = await call(startSession, { method: 'POST', token: world.token.token, body, headers })
      return answer.body.data.resources.length
    }
    expect(await reachable(forged)).toBe(0)
    vi.stubEnv('CDN_SECRET', 'shared')
    expect(await reachable({ ...viewer, 'x-origin-secret': 'shared' })).toBe(1)
    expect(await reachable({ ...viewer, 'cloudfront-viewer-country': 'FR', 'x-origin-secret': 'shared' })).toBe(0)
  })
})
