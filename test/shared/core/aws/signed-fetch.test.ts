import { afterEach, expect, it, vi } from 'vitest'
import { signedFetch, signedHeaders } from '#shared/core/aws/signed-fetch.ts'

afterEach(() => {
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

it('keeps what a refusal says', async () => {
  for (const [name, value] of Object.entries({
    REGION: 'eu-central-1',
    ACCESS_KEY_ID: 'AKIA',
    SECRET_ACCESS_KEY: 'x',
  })) {
    vi.stubEnv(`AWS_${name}`, value)
  }
  const said = '{"__type":"MessageRejected","message":"Email address is not verified."}'
  vi.stubGlobal('fetch', async () => new Response(said, { status: 400 }))
  const asking = signedFetch({ service: 'ses', method: 'POST', host: 'email.example.com', path: '/v2' })
  await expect(asking).rejects.toThrow(`POST email.example.com answered 400: ${said}`)
})
