import { describe, expect, it } from 'vitest'
import { router } from '#infra/local/api/routes.ts'

const routes = (...keys: string[]) => router(keys.map((key) => ({ key, target: key })))

describe('routes are matched as an HTTP API does', () => {
  const match = routes(
    '$default',
    'GET /groups/{id}',
    'GET /groups/search',
    'PATCH /groups/{id}',
    'GET /sites/{site_id}/gateways/{id}',
    'GET /sites/{site_id}/gateways/tokens',
    'ANY /any/{rest+}',
  )

  it('prefers an exact segment to a variable one', () => {
    expect(match('GET', '/groups/search')?.key).toBe('GET /groups/search')
    expect(match('GET', '/groups/other')).toEqual({
      target: 'GET /groups/{id}',
      key: 'GET /groups/{id}',
      parameters: { id: 'other' },
    })
    expect(match('GET', '/sites/1/gateways/tokens')?.parameters).toEqual({ site_id: '1' })
  })

  it('falls back to a variable route of the same method before $default', () => {
    expect(match('PATCH', '/groups/search')?.key).toBe('PATCH /groups/{id}')
    expect(match('DELETE', '/groups/search')?.key).toBe('$default')
  })

  it('decodes parameters, and keeps an encoded slash within one segment', () => {
    expect(match('GET', '/groups/a%2Fb%20c')?.parameters).toEqual({ id: 'a/b c' })
    expect(match('GET', '/groups/%zz')?.parameters).toEqual({ id: '%zz' })
  })

  it('does not match an empty segment with a variable', () => {
    expect(match('GET', '/groups/')?.key).toBe('$default')
    expect(match('GET', '/groups')?.key).toBe('$default')
  })

  it('matches the remaining path with a greedy variable', () => {
    expect(match('POST', '/any/a/b')?.parameters).toEqual({ rest: 'a/b' })
  })

  it('returns undefined for an unknown path without $default', () => {
    expect(routes('GET /a')('GET', '/b')).toBeUndefined()
  })
})
