import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { distribution } from '#shared/jobs/origin-secret/distribution.ts'
import { sdkByFetch } from '#test/support/service/sdk-by-fetch.ts'

const config = (word: string, more = '') =>
  `<DistributionConfig><Origins><Quantity>1</Quantity><Items><Origin><CustomHeaders><Quantity>1</Quantity><Items>
   <OriginCustomHeader><HeaderName>x-origin-secret</HeaderName><HeaderValue>${word}</HeaderValue></OriginCustomHeader>
   ${more}</Items></CustomHeaders></Origin></Items></Origins><Comment>$1 &amp; more</Comment></DistributionConfig>`
const answer = (text: string, status = 200) => new Response(text, { status, headers: { etag: 'E1' } })

const fetched = vi.fn<typeof fetch>()
const wordsIn = (body: unknown) => [...String(body).matchAll(/<HeaderValue>(\w+)</g)].map(([, word]) => word)
const sentIn = (call: number) => fetched.mock.calls[call] as [string, RequestInit]

beforeEach(() => {
  sdkByFetch()
  vi.stubGlobal('fetch', fetched)
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIA')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'key')
})
afterEach(() => {
  fetched.mockReset()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

describe('the distribution', () => {
  it('changes only the one header of the configuration that it has read', async () => {
    fetched.mockResolvedValueOnce(answer(config('old'))).mockResolvedValueOnce(answer(config('new')))
    await distribution('E123').send('new')
    const [url, { method, headers, body }] = sentIn(1)
    expect([url, method]).toEqual(['https://cloudfront.amazonaws.com/2020-05-31/distribution/E123/config', 'PUT'])
    expect(headers).toMatchObject({
      'if-match': 'E1',
      authorization: expect.stringContaining('/us-east-1/cloudfront/'),
    })
    expect(wordsIn(body)).toEqual(['new'])
    expect(String(body)).toContain('<Comment>$1 &amp; more</Comment>')
  })

  it('writes nothing if it sends the word already', async () => {
    fetched.mockResolvedValueOnce(answer(config('new')))
    await distribution('E123').send('new')
    expect(fetched).toHaveBeenCalledTimes(1)
  })

  it.each([
    ['no', '<DistributionConfig/>'],
    [
      'two different',
      config(
        'a',
        '<OriginCustomHeader><HeaderName>X-Origin-Secret</HeaderName><HeaderValue>b</HeaderValue></OriginCustomHeader>',
      ),
    ],
  ])('refuses %s such headers', async (_many, text) => {
    fetched.mockResolvedValueOnce(answer(text))
    await expect(distribution('E123').send('new')).rejects.toThrow('must send exactly one x-origin-secret header')
  })

  it('changes the header of all origins', async () => {
    const two = (word: string) =>
      config(
        word,
        `<OriginCustomHeader><HeaderName>x-origin-secret</HeaderName><HeaderValue>${word}</HeaderValue></OriginCustomHeader>`,
      )
    fetched.mockResolvedValueOnce(answer(two('old'))).mockResolvedValueOnce(answer(two('new')))
    await distribution('E123').send('new')
    expect(wordsIn(sentIn(1)[1].body)).toEqual(['new', 'new'])
  })

  it('fails after a concurrent change', async () => {
    fetched.mockResolvedValueOnce(answer(config('old'))).mockResolvedValueOnce(answer('', 412))
    await expect(distribution('E123').send('new')).rejects.toMatchObject({ $metadata: { httpStatusCode: 412 } })
  })

  it.each([
    ['Deployed', true],
    ['InProgress', false],
  ])('%s reports whether every edge location has it: %s', async (status, everywhere) => {
    fetched.mockResolvedValueOnce(answer(`<Distribution><Status>${status}</Status>${config('word')}</Distribution>`))
    expect(await distribution('E123').readWord()).toEqual({ word: 'word', everywhere })
    expect(sentIn(0)[0]).toBe('https://cloudfront.amazonaws.com/2020-05-31/distribution/E123')
  })
})
