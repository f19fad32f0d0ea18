import { afterEach, describe, expect, it, vi } from 'vitest'
import { signedFetch, signedHeaders } from '#shared/core/aws/signed-fetch.ts'
import { countWaiting } from '#test/support/table/count-waiting.ts'

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

// The examples of the S3 documentation, "Signature Calculations for the Authorization Header".
const credentials = {
  region: 'us-east-1',
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
}
const now = new Date('2013-05-24T00:00:00Z')
const request = { service: 's3', method: 'GET', host: 'examplebucket.s3.amazonaws.com' } as const

it('signs a request for an object', () => {
  const headers = signedHeaders({ ...request, path: '/test.txt', headers: { range: 'bytes=0-9' } }, credentials, now)
  expect(headers.authorization).toContain(
    'SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  )
})

it('signs a listing', () => {
  const headers = signedHeaders({ ...request, path: '/', query: { prefix: 'J', 'max-keys': '2' } }, credentials, now)
  expect(headers.authorization).toContain('Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7')
})

it('signs the token of a role', () => {
  const headers = signedHeaders({ ...request, path: '/' }, { ...credentials, sessionToken: 'session' }, now)
  expect(headers['x-amz-security-token']).toBe('session')
  expect(headers.authorization).toContain('x-amz-security-token')
})

const role = { REGION: 'eu-central-1', ACCESS_KEY_ID: 'AKIA', SECRET_ACCESS_KEY: 'x' }

/** Asks a service that gives these answers one after the other, the last one for ever. How often it was asked. */
function asking(...answers: (() => Response)[]) {
  for (const [name, value] of Object.entries(role)) vi.stubEnv(`AWS_${name}`, value)
  countWaiting()
  const asked = { times: 0 }
  vi.stubGlobal('fetch', async () => answers[Math.min(asked.times++, answers.length - 1)]?.())
  const answer = signedFetch({ service: 'ses', method: 'POST', host: 'email.example.com', path: '/v2' })
  return { asked, answer }
}
const saying =
  (status: number, said: string, headers = {}) =>
  () =>
    new Response(said, { status, headers })
const done = saying(200, 'done')

it('keeps what a refusal says, and its name', async () => {
  const said = '{"__type":"MessageRejected","message":"Email address is not verified."}'
  const { asked, answer } = asking(saying(400, said))
  await expect(answer).rejects.toMatchObject({
    name: 'MessageRejected',
    message: `POST email.example.com answered 400: ${said}`,
  })
  expect(asked.times).toBe(1)
})

describe('what may pass by itself is asked for again', () => {
  it.each([
    ['a quota of requests', saying(429, '')],
    ['a fault', saying(503, '<Error><Code>SlowDown</Code></Error>')],
    ['a throttle that is told as a bad request', saying(400, '<Error><Code>Throttling</Code></Error>')],
    ['one that is named in the header', saying(400, '{}', { 'x-amzn-errortype': 'ThrottlingException:http://x/' })],
    ['an upload that came too slowly', saying(400, '<Error><Code>RequestTimeout</Code></Error>')],
    [
      'a connection that broke',
      () => {
        throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) })
      },
    ],
  ])('%s', async (_what, failure) => {
    const { asked, answer } = asking(failure, failure, done)
    expect(await (await answer).text()).toBe('done')
    expect(asked.times).toBe(3)
  })

  it.each([
    ['a refusal', saying(403, '<Error><Code>AccessDenied</Code></Error>'), 'AccessDenied', 403],
    ['what something between says in its own words', saying(400, 'Throttling: none'), 'AnswerError', 400],
  ])('but not %s', async (_what, failure, name, httpStatusCode) => {
    const { asked, answer } = asking(failure, done)
    await expect(answer).rejects.toMatchObject({ name, $metadata: { httpStatusCode } })
    expect(asked.times).toBe(1)
  })
})
