import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { plainFunctions } from '#infra/code/bundle.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'

/**
 * Event that suits every function. Combines the fields of a request, a batch, a live channel message, and events from CloudFormation and
 * Secrets Manager.
 */
const event = {
  routeKey: '$default',
  rawPath: '/nothing',
  rawQueryString: '',
  headers: {},
  pathParameters: {},
  requestContext: {
    requestId: 'message-1',
    connectionId: 'connection-1',
    domainName: '127.0.0.1',
    identity: { sourceIp: '192.0.2.1' },
    http: { method: 'GET', path: '/nothing', sourceIp: '192.0.2.1' },
  },
  isBase64Encoded: false,
  Records: [{ eventName: 'INSERT', dynamodb: { Keys: { pk: { S: 'account-1#commits' } } }, kinesis: { data: '' } }],
  RequestType: 'Delete',
  ResponseURL: 'http://127.0.0.1:1/',
  Step: 'none',
}
const context = { awsRequestId: 'run-1', getRemainingTimeInMillis: () => 0 }

// Discards modules that were loaded without an engine, so that other test files in this process do not reuse them.
beforeAll(() => void vi.resetModules())
afterAll(() => void vi.resetModules())
beforeEach(() => {
  // Clears all of the service's environment variables, so that each function fails and logs the failure.
  for (const name of Object.keys(process.env)) if (/^[A-Z][A-Z0-9_]*$/.test(name)) vi.stubEnv(name, '')
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

const imported = (file: string) => import(new URL(`../../functions/${file}`, import.meta.url).href)

it.each(await plainFunctions())('%s logs its run and its function in each line', async (file) => {
  const { handler } = await imported(file)
  const log = catchLog()
  await Promise.resolve(handler(event, context)).catch(() => undefined)
  const lines = log.lines()
  vi.restoreAllMocks()
  const ids = ({ request_id, function_request_id }: Record<string, unknown>) => [request_id, function_request_id]
  expect(
    lines.filter((line) => !(line.event && line.operation && line.request_id && ids(line).includes('run-1'))),
  ).toEqual([])
  if (/^(tasks|schedules|streams|live)\//.test(file)) expect(lines.at(-1)?.event).toMatch(/^(run|run_failed|live)$/)
})

it.each(['streams/write-change-log.ts', 'streams/follow-up.ts'])(
  '%s logs the account of the failed record',
  async (file) => {
    const { handler } = await imported(file)
    const log = catchLog()
    await handler(event, context)
    expect(log.lines()[0]).toMatchObject({ level: 'ERROR', account_id: 'account-1' })
  },
)
