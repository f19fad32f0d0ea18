import { afterEach, describe, expect, it, vi } from 'vitest'
import { handler as startSession } from '#functions/api/client-sessions/start-client-session.ts'
import type { Event } from '#shared/http/exchange.ts'
import { originOf } from '#shared/http/origin.ts'
import { newAccessWorld, publicKey } from '#test/support/access.ts'
import { call } from '#test/support/account.ts'

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

afterEach(() => vi.unstubAllEnvs())

describe('where a request came from (P8)', () => {
  it('is the source IP, whatever its headers claim', () => {
    expect(originOf(event(forged))).toEqual({ ip: '192.0.2.10', ...nowhere, user_agent: null })
  })

  it('cuts the user agent to 255 characters', () => {
    expect(originOf(event({ 'user-agent': 'x'.repeat(300) })).user_agent).toBe('x'.repeat(255))
  })

  it('is what the CDN says, when it proves itself', () => {
    vi.stubEnv('CDN_SECRET', 'shared')
    const proven = (headers: Record<string, string>) => originOf(event({ ...headers, 'x-origin-secret': 'shared' }))
    expect(proven(forged)).toEqual({
      ip: '203.0.113.9',
      ip_region: 'DE',
      ip_city: 'Berlin',
      ip_lat: 52.52,
      ip_lon: 13.4,
      user_agent: null,
    })
    expect(proven({ 'cloudfront-viewer-address': '2001:db8::1:4711' }).ip).toBe('2001:db8::1')
    expect(proven({ ...viewer, 'cloudfront-viewer-country': 'XK' }).ip_region).toBeNull()
    expect(proven({ ...viewer, 'cloudfront-viewer-latitude': 'north' }).ip_lat).toBeNull()
  })

  it('is refused without that proof, before anything else is looked at', async () => {
    vi.stubEnv('CDN_SECRET', 'shared')
    for (const headers of [forged, { ...forged, 'x-origin-secret': 'guessed' }, { ...forged, 'x-origin-secret': '' }]) {
      const answer = await call(startSession, { method: 'POST', token: 'nonsense', headers })
      expect([answer.status, answer.body.code]).toEqual([403, 'forbidden'])
    }
  })

  it('decides conditions by it, and never by a forged header', async () => {
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
