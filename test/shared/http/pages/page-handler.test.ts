import { describe, expect, it } from 'vitest'
import { ApiError, invalidAt, notFound } from '#shared/core/errors.ts'
import type { Event } from '#shared/http/exchange.ts'
import { html } from '#shared/http/pages/html.ts'
import { pageAnswer } from '#shared/http/pages/page.ts'
import { type PageRequest, pageHandler } from '#shared/http/pages/page-handler.ts'

type Sent = {
  method?: 'GET' | 'POST'
  query?: string
  body?: string
  headers?: Record<string, string>
  packed?: boolean
}

async function send({ method = 'GET', query = '', body, headers = {}, packed = false }: Sent, fail?: unknown) {
  let received: PageRequest | undefined
  const handler = pageHandler({ method, path: '/sign_in/{slug}', step: () => 'page' }, async (request) => {
    received = request
    if (fail) throw fail
    return pageAnswer({ title: 'A page', body: html`<h1>A page</h1>` })
  })
  const answer = await handler({
    rawPath: '/sign_in/demo',
    rawQueryString: query,
    pathParameters: { slug: 'demo' },
    headers,
    body: body && packed ? Buffer.from(body).toString('base64') : body,
    isBase64Encoded: packed,
    requestContext: { http: { method, path: '/sign_in/demo', sourceIp: '192.0.2.10' } },
  } as unknown as Event)
  return { answer, received, text: String(answer.body) }
}

const form = { 'content-type': 'application/x-www-form-urlencoded' }

describe('a page', () => {
  it('reads its query', async () => {
    const { received, answer } = await send({ query: 'state=a%26b&x=1' })
    expect(received?.fields.get('state')).toBe('a&b')
    expect(received).toMatchObject({
      slug: 'demo',
      address: expect.stringMatching(/^https?:/),
      origin: { ip: '192.0.2.10' },
    })
    expect(answer.headers?.['x-request-id']).toBe(received?.requestId)
  })

  it.each([true, false])('reads a form (base64 as from API Gateway: %s)', async (packed) => {
    const { received } = await send({ method: 'POST', body: 'email=a%40example.com', headers: form, packed })
    expect(received?.fields.get('email')).toBe('a@example.com')
  })

  it.each(['cross-site', 'same-site'])('refuses a form from a page %s', async (site) => {
    const headers = { ...form, 'sec-fetch-site': site }
    const { received, answer } = await send({ method: 'POST', body: 'email=a', headers })
    expect([received, answer.statusCode]).toEqual([undefined, 403])
  })

  it.each(['same-origin', 'none'])('accepts a form from %s', async (site) => {
    expect(
      (await send({ method: 'POST', body: 'a=b', headers: { ...form, 'sec-fetch-site': site } })).received,
    ).toBeDefined()
  })

  it('refuses other content types, and large forms', async () => {
    const json = await send({ method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })
    const large = await send({ method: 'POST', body: `a=${'b'.repeat(40_000)}`, headers: form })
    expect([json.answer.statusCode, large.answer.statusCode]).toEqual([400, 413])
    expect([json.received, large.received]).toEqual([undefined, undefined])
  })
})

describe('an error', () => {
  const spoken = [
    [notFound(), 404, 'No account was found at this address'],
    [new ApiError('rate_limited', undefined, { headers: { 'retry-after': '3' } }), 429, 'Too many attempts'],
    [new ApiError('bad_request', 'The reason.'), 400, 'The reason.'],
    [invalidAt(['state'], "can't be blank"), 422, 'state can&#39;t be blank'],
    [new ApiError('unavailable'), 503, 'Something went wrong'],
    [new Error('a secret of the inside'), 500, 'Something went wrong'],
  ] as const

  it.each(spoken)('is a page for a person: %s', async (fault, status, words) => {
    const { answer, text } = await send({}, fault)
    expect(answer.statusCode).toBe(status)
    expect(answer.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
    expect(text).toContain(words)
    expect(text).not.toContain('a secret of the inside')
  })

  it("includes the request id for the service's own fault, and the time to retry", async () => {
    const unavailable = await send({ headers: { 'x-request-id': 'mine' } }, new ApiError('unavailable'))
    expect(unavailable.text).toContain('Request mine')
    const limited = await send({}, new ApiError('rate_limited', undefined, { headers: { 'retry-after': '3' } }))
    expect(limited.answer.headers?.['retry-after']).toBe('3')
  })
})
