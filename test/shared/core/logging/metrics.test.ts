import { afterEach, expect, it, vi } from 'vitest'
import { measure, runInvocation } from '#shared/core/logging/invocation.ts'
import { logEnd } from '#shared/core/logging/log.ts'
import { metrics } from '#shared/core/logging/metrics.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

type Group = { Namespace: string; Dimensions: string[][]; Metrics: { Name: string; Unit: string }[] }
type Line = Record<string, unknown> & { _aws?: { Timestamp: number; CloudWatchMetrics: Group[] } }

/** Logs the end of a request after `work`, and returns the log line. */
function lineOf(setting: string, work: () => void, level = 'INFO'): Line | undefined {
  vi.stubEnv('METRICS', setting)
  vi.stubEnv('SERVICE_NAME', 'Access')
  const log = catchLog(level)
  runInvocation({ class: 'change', operation: 'POST /groups', account_id: 'a-1', reason: 'r' }, () => {
    work()
    logEnd('INFO', 'request', { status: 201 })
  })
  return log.lines()[0] as Line | undefined
}

const request = () => {
  measure('latency_ms', 12.5)
  measure('faults', 0)
  measure('commits_retried')
  measure('commits_retried', 2)
}

it('adds CloudWatch metrics to a line that is written anyway', () => {
  const line = lineOf('classes', request)
  expect(line).toMatchObject({ event: 'request', status: 201, latency_ms: 12.5, faults: 0, commits_retried: 3 })
  expect(line?._aws?.CloudWatchMetrics).toEqual([
    {
      Namespace: 'Access',
      Dimensions: [['class']],
      Metrics: [
        { Name: 'latency_ms', Unit: 'Milliseconds' },
        { Name: 'faults', Unit: 'Count' },
      ],
    },
    { Namespace: 'Access', Dimensions: [[]], Metrics: [{ Name: 'commits_retried', Unit: 'Count' }] },
  ])
  expect(Math.abs(Date.now() - (line?._aws?.Timestamp ?? 0))).toBeLessThan(60_000)
})

it('refers only to members of its line, and never to an account', () => {
  const all = () => {
    for (const name of Object.keys(metrics)) measure(name as keyof typeof metrics, 1)
  }
  for (const setting of ['classes', 'operations']) {
    const line = lineOf(setting, all)
    vi.restoreAllMocks()
    for (const { Dimensions, Metrics } of line?._aws?.CloudWatchMetrics ?? []) {
      for (const member of [...Dimensions.flat(), ...Metrics.map(({ Name }) => Name)])
        expect(line).toHaveProperty(member)
      expect(Dimensions.flat()).not.toContain('account_id')
    }
    expect(line?._aws?.CloudWatchMetrics.flatMap(({ Metrics }) => Metrics.map(({ Name }) => Name)).toSorted()).toEqual(
      Object.keys(metrics).toSorted(),
    )
  }
})

it('has metrics per operation or none if configured', () => {
  expect(lineOf('operations', request)?._aws?.CloudWatchMetrics[0]?.Dimensions).toEqual([['class'], ['operation']])
  vi.restoreAllMocks()
  const line = lineOf('none', request)
  expect(line).toMatchObject({ latency_ms: 12.5, commits_retried: 3 })
  expect(line).not.toHaveProperty('_aws')
})

it('keeps only the metrics of a line below the log level', () => {
  const line = lineOf('classes', request, 'WARN')
  expect(Object.keys(line ?? {}).toSorted()).toEqual(
    ['_aws', 'class', 'commits_retried', 'faults', 'latency_ms', 'operation', 'reason'].toSorted(),
  )
  vi.restoreAllMocks()
  expect(lineOf('none', request, 'WARN')).toBeUndefined()
  vi.restoreAllMocks()
  // Expects no log line, because metrics are not extracted from the text format.
  vi.stubEnv('LOG_FORMAT', 'text')
  expect(lineOf('classes', request, 'WARN')).toBeUndefined()
})

it('keeps individual durations, at most 100 per line', () => {
  const many = () => {
    for (let i = 0; i < 150; i++) measure('revocation_lag_ms', i)
  }
  const values = lineOf('classes', many)?.revocation_lag_ms as number[]
  expect([values.length, values[0], values[99]]).toEqual([100, 0, 99])
})
