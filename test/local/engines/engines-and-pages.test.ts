import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTableProxy } from '#infra/local/engines/browser-requests.ts'
import { loopbackAddress } from '#infra/local/engines/dynoxide.ts'
import { tableName } from '#shared/table/table.ts'

/** Proxy in front of the table's engine. Other tests use the engine without a proxy. */
let front: Awaited<ReturnType<typeof startTableProxy>>
beforeAll(async () => {
  front = await startTableProxy(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '')
})
afterAll(() => {
  front.server.close().closeAllConnections()
})

const ask = (endpoint: string, target: string, init: RequestInit = {}, headers: Record<string, string> = {}) =>
  fetch(endpoint, {
    method: 'POST',
    body: target.startsWith('DynamoDB') ? JSON.stringify({ TableName: tableName() }) : '{}',
    ...init,
    headers: {
      'content-type': `application/x-amz-json-${target.startsWith('DynamoDB') ? '1.0' : '1.1'}`,
      'x-amz-target': target,
      'x-amz-date': '20261122T000000Z',
      authorization:
        'AWS4-HMAC-SHA256 Credential=local/20261122/us-east-1/kinesis/aws4_request, SignedHeaders=host, Signature=0',
      ...headers,
    },
  })

it.each([
  ['table', () => front.endpoint, 'DynamoDB_20120810.DescribeTable'],
  ['flow stream', () => process.env.AWS_ENDPOINT_URL_KINESIS ?? '', 'Kinesis_20131202.ListStreams'],
])('the engine of the %s answers programs, and refuses pages in a browser', async (_name, endpointOf, target) => {
  const endpoint = endpointOf()
  expect((await ask(endpoint, target)).status).toBe(200)
  for (const origin of ['https://example.com', 'null', endpoint]) {
    const refused = await ask(endpoint, target, {}, { origin })
    expect([refused.status, await refused.text()]).toEqual([403, ''])
    expect(refused.headers.has('access-control-allow-origin')).toBe(false)
  }
  const preflight = { method: 'OPTIONS', body: null }
  expect((await ask(endpoint, target, preflight, { 'access-control-request-method': 'POST' })).status).toBe(403)
})

it('starts the engine at a random address that a page cannot guess', () => {
  const found = new Set(Array.from({ length: 50 }, () => loopbackAddress('linux')))
  expect(found.size).toBeGreaterThan(45)
  for (const address of found) expect(address).toMatch(/^127(\.\d{1,3}){3}$/)
  expect(loopbackAddress('darwin')).toBe('127.0.0.1')
})
