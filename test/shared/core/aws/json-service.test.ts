import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { httpPost } from '#shared/core/aws/http-post.ts'
import { JsonService } from '#shared/core/aws/json-service.ts'
import { inWorkTime } from '#shared/core/work/work.ts'
import { answering, stubService } from '#test/support/service/stub-service.ts'
import { countWaiting } from '#test/support/table/count-waiting.ts'

let stub: Awaited<ReturnType<typeof stubService>>
let service: JsonService

beforeAll(async () => {
  stub = await stubService(answering(200, {}))
})
afterAll(() => stub.end())
beforeEach(() => {
  stub.asked.length = 0
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  vi.stubEnv('AWS_SESSION_TOKEN', 'session')
  service = new JsonService({
    name: 'dynamodb',
    target: 'DynamoDB_20120810',
    contentType: 'application/x-amz-json-1.0',
    endpoint: () => stub.endpoint,
  })
  return () => vi.unstubAllEnvs()
})

const always = 1_000
const call = () => service.call('GetItem', '{"TableName":"t"}')
const failure = (name: string) => ({
  __type: `com.amazonaws.dynamodb.v20120810#${name}`,
  message: `because of ${name}`,
})

/** Fails so often, and answers then. */
function failing(times: number, status: number, name: string): void {
  stub.reply((response, asked) => {
    const fails = stub.asked.length <= times
    answering(fails ? status : 200, fails ? failure(name) : { done: true })(response, asked)
  })
}

describe('a request', () => {
  it('names the operation, and is signed with the role and its session', async () => {
    stub.reply(answering(200, { Item: {} }))
    expect(await call()).toEqual({ Item: {} })
    const [{ headers, body, path } = { headers: {}, body: '', path: '' }] = stub.asked
    expect([path, body, headers['x-amz-target'], headers['content-type'], headers['x-amz-security-token']]).toEqual([
      '/',
      '{"TableName":"t"}',
      'DynamoDB_20120810.GetItem',
      'application/x-amz-json-1.0',
      'session',
    ])
    expect(headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=key\/\d{8}\/eu-central-1\/dynamodb\/aws4_request/,
    )
  })

  it('hands the trace of the invocation on', async () => {
    vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'f')
    vi.stubEnv('_X_AMZN_TRACE_ID', 'Root=1-2-3')
    await call()
    expect(stub.asked[0]?.headers['x-amzn-trace-id']).toBe('Root=1-2-3')
    expect(stub.asked[0]?.headers.authorization).not.toContain('x-amzn-trace-id')
  })

  it('keeps its connection for the next', async () => {
    const ports = new Set<number | undefined>()
    stub.reply((response, asked) => {
      ports.add(response.socket?.remotePort)
      answering(200, {})(response, asked)
    })
    for (let i = 0; i < 5; i++) await call()
    expect(ports.size).toBe(1)
  })
})

describe('what may pass by itself is tried again', () => {
  it.each([
    [400, 'ThrottlingException'],
    [400, 'ProvisionedThroughputExceededException'],
    [400, 'TransactionConflictException'],
    [400, 'TransactionInProgressException'],
    [500, 'InternalServerError'],
    [503, 'Unheard'],
  ])('%i %s', async (status, name) => {
    failing(1, status, name)
    expect(await call()).toEqual({ done: true })
    expect(stub.asked).toHaveLength(2)
    expect(stub.asked[1]?.body).toBe(stub.asked[0]?.body)
  })

  it('a connection that breaks', async () => {
    stub.reply((response, asked) => {
      if (stub.asked.length === 1) response.destroy()
      else answering(200, { done: true })(response, asked)
    })
    expect(await call()).toEqual({ done: true })
  })

  it('a connection that breaks in the middle of the answer', async () => {
    stub.reply((response, asked) => {
      if (stub.asked.length > 1) return answering(200, { done: true })(response, asked)
      response.writeHead(200, { 'content-length': '1000' })
      response.write('{"', () => response.destroy())
    })
    expect(await call()).toEqual({ done: true })
  })

  it('until the time of the work that it belongs to is over', async () => {
    const waited = countWaiting()
    failing(always, 400, 'TransactionConflictException')
    await expect(inWorkTime(3_000, call)).rejects.toMatchObject({ name: 'TransactionConflictException' })
    expect(waited.ms).toBeLessThanOrEqual(3_000)
    // Spans that double from 10 ms, up to 500: half of each is waited as a rule.
    expect(stub.asked.length).toBeGreaterThan(8)
    vi.restoreAllMocks()
  })

  it('until a service that is down has had its share', async () => {
    failing(always, 500, 'InternalServerError')
    const answers = await Promise.allSettled(Array.from({ length: 40 }, call))
    expect(answers.every(({ status }) => status === 'rejected')).toBe(true)
    // 40 requests, and as many further attempts as 500 tokens pay for.
    expect(stub.asked).toHaveLength(40 + Math.floor(500 / 14))
    failing(0, 200, '')
    expect(await call()).toEqual({ done: true })
  })
})

describe('what would fail again is not tried again', () => {
  it.each(['ConditionalCheckFailedException', 'ValidationException', 'AccessDeniedException'])('%s', async (name) => {
    failing(1, 400, name)
    await expect(call()).rejects.toMatchObject({
      name,
      message: `because of ${name}`,
      body: { __type: expect.any(String) },
    })
    expect(stub.asked).toHaveLength(1)
  })
})

it('what answers in the place of the service is kept as it is', async () => {
  stub.reply((response) => response.writeHead(400).end('<html>Blocked by the proxy</html>'))
  await expect(call()).rejects.toMatchObject({ name: 'UnknownError', message: '<html>Blocked by the proxy</html>' })
  stub.reply((response) => response.writeHead(400).end())
  await expect(call()).rejects.toMatchObject({ name: 'UnknownError', message: 'HTTP status 400' })
})

describe('a clock that is wrong', () => {
  const refusing = (date: Date) => answering(400, failure('InvalidSignatureException'), { date: date.toUTCString() })

  it('is corrected by what the service says, for this request and those that follow', async () => {
    const ahead = new Date(Date.now() + 3_600_000)
    stub.reply((response, asked) =>
      (stub.asked.length === 1 ? refusing(ahead) : answering(200, { done: true }))(response, asked),
    )
    expect(await call()).toEqual({ done: true })
    await call()
    const hours = stub.asked.map(({ headers }) => String(headers['x-amz-date']).slice(0, 11))
    const expected = ahead.toISOString().replaceAll(/[-:]/g, '').slice(0, 11)
    expect([hours[1], hours[2]]).toEqual([expected, expected])
  })

  it('is not blamed for a signature that is wrong otherwise', async () => {
    stub.reply(refusing(new Date()))
    await expect(call()).rejects.toMatchObject({ name: 'InvalidSignatureException' })
    expect(stub.asked).toHaveLength(1)
  })
})

describe('a service that does not answer', () => {
  const post = () => httpPost(new URL(stub.endpoint), { host: 'x' }, '{}', { connectMs: 1_000, answerMs: 50 })

  it('is given up in time', async () => {
    stub.reply(() => {})
    await expect(post()).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  it('in the middle of its answer, too', async () => {
    stub.reply((response) => {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('{"')
    })
    await expect(post()).rejects.toThrow()
  })
})
