import { describe, expect, it } from 'vitest'
import { fromResult, type HttpRequest, toEvent } from '#infra/local/api/api-event.ts'

const request = (changes: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'POST',
  target: '/groups',
  headers: { host: 'localhost', 'user-agent': 'curl' },
  remoteAddress: '127.0.0.1',
  body: Buffer.alloc(0),
  ...changes,
})

const event = (changes: Partial<HttpRequest> = {}) =>
  toEvent(request(changes), { key: 'POST /groups', parameters: {}, rawPath: '/a b' })

describe('the event built from a request', () => {
  it('has path, query, cookies and headers in payload format 2.0', () => {
    const { rawPath, rawQueryString, queryStringParameters, cookies, headers, requestContext } = event({
      target: '/a%20b?x=1&x=2&y=%26',
      headers: { 'x-one': 'A', 'x-two': ['b', 'c'] as never, cookie: 'k=v; l=w', 'x-forwarded-for': '10.0.0.1' },
    })
    expect(rawPath).toBe('/a b')
    expect(rawQueryString).toBe('x=1&x=2&y=%26')
    expect(queryStringParameters).toEqual({ x: '1,2', y: '&' })
    expect(cookies).toEqual(['k=v', 'l=w'])
    expect(headers).toMatchObject({ 'x-one': 'A', 'x-two': 'b,c', 'x-forwarded-for': '10.0.0.1, 127.0.0.1' })
    expect(headers).not.toHaveProperty('cookie')
    expect(requestContext.http).toMatchObject({ method: 'POST', path: '/a b', sourceIp: '127.0.0.1' })
  })

  it('omits missing parts', () => {
    const plain = event()
    for (const name of ['body', 'queryStringParameters', 'pathParameters', 'cookies'])
      expect(plain).not.toHaveProperty(name)
  })

  it.each([
    ['application/json', '{"a":"ü"}', false],
    ['application/problem+json; charset=utf-8', '{}', false],
    ['text/plain', 'x', false],
    ['application/octet-stream', 'x', true],
    ['application/x-www-form-urlencoded', 'a=b', true],
  ])('hands a %s body on', (type, text, encoded) => {
    const { body, isBase64Encoded } = event({ headers: { 'content-type': type }, body: Buffer.from(text) })
    expect(isBase64Encoded).toBe(encoded)
    expect(Buffer.from(body ?? '', encoded ? 'base64' : 'utf8').toString()).toBe(text)
  })

  it('encodes compressed and non-UTF-8 bodies as base64', () => {
    const bytes = Buffer.from([0xff, 0xfe, 0x00])
    for (const headers of [{ 'content-type': 'application/json' }, { 'content-encoding': 'gzip' }]) {
      const { body, isBase64Encoded } = event({ headers, body: bytes })
      expect(isBase64Encoded).toBe(true)
      expect(Buffer.from(body ?? '', 'base64')).toEqual(bytes)
    }
  })
})

describe('the response built from a result', () => {
  it('has the status, headers, cookies and decoded body of the result', () => {
    const answer = fromResult({
      statusCode: 201,
      headers: { 'X-A': 1 },
      cookies: ['a=b'],
      body: Buffer.from('hi').toString('base64'),
      isBase64Encoded: true,
    })
    expect(answer).toMatchObject({ status: 201, headers: { 'x-a': '1', 'set-cookie': ['a=b'] } })
    expect(answer.body.toString()).toBe('hi')
  })

  it('serializes a result without a status as JSON', () => {
    expect(fromResult({ ok: true })).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } })
  })

  it('is a 500 for an invalid result', () => {
    expect(fromResult({ statusCode: 'x' }).status).toBe(500)
    expect(fromResult({ statusCode: 200, body: { a: 1 } }).status).toBe(500)
  })
})
