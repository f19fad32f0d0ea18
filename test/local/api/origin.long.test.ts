import { randomUUID } from 'node:crypto'
import { afterEach, expect, it } from 'vitest'
import { type Service, startService } from '#test/support/service/service.ts'

const forged = {
  'x-forwarded-for': '203.0.113.77',
  forwarded: 'for=203.0.113.77',
  'x-real-ip': '203.0.113.77',
  'true-client-ip': '203.0.113.77',
  'cf-connecting-ip': '203.0.113.77',
  'cloudfront-viewer-address': '203.0.113.9:4711',
  'cloudfront-viewer-country': 'DE',
  'cloudfront-viewer-city': 'Berlin',
  'cloudfront-viewer-latitude': '52.52',
  'cloudfront-viewer-longitude': '13.40',
}

let service: Service
afterEach(() => service.stop())

/** Returns the response status of a request with these headers, and the origin that the log records for it. */
async function originOf(headers: Record<string, string>, proof: Record<string, string> = {}) {
  const ask = (path: string, extraHeaders: Record<string, string>) =>
    fetch(service.baseUrl + path, {
      headers: { authorization: `Bearer ${service.credentials.api_token}`, ...proof, ...extraHeaders },
    })
  const id = randomUUID()
  const { status } = await ask('/account', { ...headers, 'x-request-id': id })
  const entries = (await (await ask('/logs?type=api_request', {})).json()) as { data: Record<string, unknown>[] }
  const entry = entries.data.find(({ request_id }) => request_id === id)
  return { status, ip: entry?.ip, region: entry?.ip_region, city: entry?.ip_city }
}

it('uses the address of the connection, regardless of headers (P8)', async () => {
  service = await startService({ args: ['--ephemeral'] })
  for (const headers of [forged, { ...forged, 'x-origin-secret': 'guessed' }]) {
    expect(await originOf(headers)).toEqual({ status: 200, ip: '127.0.0.1', region: null, city: null })
  }
})

it('behind a CDN uses its headers, and refuses requests that bypass it (P8.2)', async () => {
  service = await startService({ args: ['--ephemeral'], env: { CDN_SECRET: 'from-the-cdn' } })
  const proof = { 'x-origin-secret': 'from-the-cdn' }
  expect(await originOf(forged, proof)).toEqual({ status: 200, ip: '203.0.113.9', region: 'DE', city: 'Berlin' })
  for (const path of ['/account', '/openapi.json', '/docs', '/nothing']) {
    const answer = await fetch(service.baseUrl + path, { headers: forged })
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([403, 'forbidden'])
  }
  expect(service.output()).not.toContain('from-the-cdn')
})
