import { readFileSync } from 'node:fs'
import { afterEach, expect, it, vi } from 'vitest'
import { measure, note, runInvocation } from '#shared/core/logging/invocation.ts'
import { logEnd, logLine } from '#shared/core/logging/log.ts'
import { logEvents } from '#shared/core/logging/log-events.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

function writtenAt(level: string) {
  const log = catchLog(level)
  logLine('INFO', 'request', { status: 200 })
  logLine('WARN', 'members_interrupted')
  logLine('ERROR', 'unexpected_error')
  return log
}

it('writes one line of JSON, ended by a line feed', () => {
  const [first] = writtenAt('INFO')
    .text()
    .split(/(?<=\n)/)
  expect(first?.endsWith('\n')).toBe(true)
  expect(JSON.parse(first as string)).toEqual({
    level: 'INFO',
    event: 'request',
    message: logEvents.request,
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.+Z$/),
    service: 'network-access',
    status: 200,
  })
})

it.each([
  ['INFO', 'classes'],
  ['WARN', 'classes'],
  ['WARN', 'none'],
])('counts faults by operation and version with level %s and metrics %s', async (level, metrics) => {
  vi.stubEnv('AWS_LAMBDA_FUNCTION_VERSION', '7')
  vi.stubEnv('METRICS', metrics)
  const log = catchLog(level)
  await runInvocation({ class: 'access', operation: 'PUT /x' }, async () => {
    measure('faults', 1)
    logEnd('INFO', 'request', { status: 500 })
  })
  // Expects the fields that the template's metric filter reads.
  expect(log.lines()).toEqual([expect.objectContaining({ operation: 'PUT /x', version: '7', faults: 1 })])
})

it.each([
  ['', ['request', 'members_interrupted', 'unexpected_error']],
  ['INFO', ['request', 'members_interrupted', 'unexpected_error']],
  ['WARN', ['members_interrupted', 'unexpected_error']],
  ['ERROR', ['unexpected_error']],
])('with LOG_LEVEL %s writes %j', (level, events) => {
  expect(
    writtenAt(level)
      .lines()
      .map(({ event }) => event),
  ).toEqual(events)
})

it('adds the fields of an invocation to its lines only', async () => {
  vi.stubEnv('_X_AMZN_TRACE_ID', 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1')
  const log = catchLog()
  const run = (name: string) =>
    runInvocation({ operation: name }, async () => {
      await Promise.resolve()
      note({ account_id: `account of ${name}` })
      await new Promise(setImmediate)
      logLine('INFO', 'request')
    })
  await Promise.all([run('one'), run('two')])
  note({ account_id: 'nobody' })
  logLine('INFO', 'request')
  expect(log.lines().map(({ operation, account_id }) => [operation, account_id])).toEqual([
    ['one', 'account of one'],
    ['two', 'account of two'],
    [undefined, undefined],
  ])
  expect(log.lines()[0]?.trace_id).toBe('1-5759e988-bd862e3fe1be46a994272793')
})

it('writes a line for people if configured', () => {
  vi.stubEnv('LOG_FORMAT', 'text')
  const log = catchLog()
  const fields = { operation: 'GET /groups', status: 200, latency_ms: 3.4, request_id: 'r-1', function_request_id: 'f' }
  logLine('INFO', 'request', fields)
  logLine('ERROR', 'unexpected_error', {
    operation: 'GET /groups',
    error: 'Error: lost',
    stack: 'Error: lost\n    at x',
  })
  const [request, ...error] = log.text().trimEnd().split('\n')
  expect(request).toMatch(/^[\d:.]{12} GET \/groups 200 3\.4 ms request_id=r-1$/)
  expect(error).toEqual([
    expect.stringMatching(/^[\d:.]{12} ERROR unexpected_error GET \/groups error="Error: lost"$/),
    '    Error: lost',
    '        at x',
  ])
})

it('writes only events in the list for operators', () => {
  const documented = [...readFileSync('docs/operating.md', 'utf8').matchAll(/^\| `(\w+)` +\|/gm)].map(
    ([, name]) => name,
  )
  for (const event of Object.keys(logEvents)) expect(documented).toContain(event)
  const listed = [...readFileSync('docs/operating.md', 'utf8').matchAll(/^\| `(\w+)` +\| (?:INFO|WARN|ERROR)/gm)]
  expect(listed.map(([, name]) => name).toSorted()).toEqual(Object.keys(logEvents).toSorted())
})
