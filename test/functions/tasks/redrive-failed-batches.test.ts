import type { Context } from 'aws-lambda'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { handler } from '#functions/tasks/redrive-failed-batches.ts'
import { sdkByFetch } from '#test/support/service/sdk-by-fetch.ts'

const functionArn = 'arn:aws:lambda:eu-central-1:123456789012:function:StoreFlowLogs'
const key = (shard: string, time: string) => `aws/lambda/mapping/${shard}/2026/11/20/${time}-0b0d+é`
const document = (record: string) =>
  JSON.stringify({ requestContext: { functionArn }, payload: JSON.stringify({ Records: [record] }) })

const context = { getRemainingTimeInMillis: () => 900_000 } as Context
let objects: Map<string, string>
let requests: string[]

/** Fakes Lambda, and an S3 that lists one key per page. */
function aws(url: URL, init: RequestInit): Response {
  const name = decodeURIComponent(url.pathname.slice(1))
  if (url.hostname.startsWith('lambda.')) {
    const { Records } = JSON.parse(String(init.body))
    if (Records[0] === 'crash') return new Response('{}', { headers: { 'x-amz-function-error': 'Unhandled' } })
    const failures = Records[0] === 'poison' ? [{ itemIdentifier: '1' }] : []
    return Response.json({ batchItemFailures: failures })
  }
  if (url.searchParams.has('list-type')) {
    const keys = [...objects.keys()]
    const at = Number(url.searchParams.get('continuation-token') ?? 0)
    const next = at + 1 < keys.length ? `<NextContinuationToken>${at + 1}</NextContinuationToken>` : ''
    return new Response(`<ListBucketResult>${next}<Contents><Key>${keys[at]}</Key></Contents></ListBucketResult>`)
  }
  if (!objects.has(name)) return new Response('', { status: 404 })
  if (init.method === 'DELETE') objects.delete(name)
  return new Response(objects.get(name) ?? null)
}

beforeEach(() => {
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  vi.stubEnv('FAILURES_BUCKET', 'failures')
  requests = []
  sdkByFetch()
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init = {}) => {
    requests.push(`${init.method} ${input}`)
    return aws(new URL(String(input)), init)
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

it("invokes the functions of the bucket's batches, oldest first, and keeps batches that fail", async () => {
  objects = new Map([
    [key('shard-1', '2026-11-20T10.00.02'), document('third')],
    [key('shard-2', '2026-11-20T10.00.00'), document('first')],
    [key('shard-2', '2026-11-20T10.00.01'), document('poison')],
    [key('shard-2', '2026-11-20T10.00.03'), document('crash')],
  ])
  const result = await handler({}, context)
  expect(result).toEqual({
    redriven: 2,
    kept: [
      { name: key('shard-2', '2026-11-20T10.00.01'), reason: 'The function reported a failed record.' },
      { name: key('shard-2', '2026-11-20T10.00.03'), reason: 'The function failed.' },
    ],
    left: 0,
  })
  expect([...objects.values()]).toEqual([document('poison'), document('crash')])
  expect(requests).toContain(
    'POST https://lambda.eu-central-1.amazonaws.com/2015-03-31/functions/StoreFlowLogs/invocations?Qualifier=current',
  )
  expect(requests.filter((line) => line.startsWith('DELETE')).map((line) => /10\.00\.\d\d/.exec(line)?.[0])).toEqual([
    '10.00.00',
    '10.00.02',
  ])
})

it('leaves the remaining batches for the next run at its deadline', async () => {
  objects = new Map([[key('shard-1', '2026-11-20T10.00.02'), document('one')]])
  const result = await handler({}, { getRemainingTimeInMillis: () => 60_000 } as Context)
  expect(result).toEqual({ redriven: 0, kept: [], left: 1 })
  expect(objects.size).toBe(1)
})

it('fails when the bucket cannot be listed', async () => {
  vi.mocked(globalThis.fetch).mockImplementation(async () => new Response('', { status: 403 }))
  await expect(handler({}, context)).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } })
})
