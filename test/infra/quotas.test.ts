import { beforeAll, expect, it } from 'vitest'
import { type Templates, templatesOf } from '#test/support/service/templates.ts'

let templates: Templates
beforeAll(async () => {
  templates = await templatesOf([])
})

type Part = { Expression?: string; MetricStat?: { Metric: { MetricName: string; Namespace: string } } }
const alarm = (name: string, from = templates) =>
  from.entries('AWS::CloudWatch::Alarm').find(([id]) => id.includes(name))?.[1].Properties
const expressionOf = (name: string, from = templates) =>
  (alarm(name, from)?.Metrics as Part[] | undefined)?.find(({ Expression }) => Expression)?.Expression

it('raises an alarm before no unreserved concurrency is left', () => {
  expect(expressionOf('ConcurrencyNearlyUsed')).toBe('100 * (claimed - 106) / (SERVICE_QUOTA(used) - 106)')
  const parts: Part[] = alarm('ConcurrencyNearlyUsed')?.Metrics ?? []
  const metrics = parts.flatMap(({ MetricStat }) => MetricStat?.Metric ?? [])
  expect(metrics).toEqual(
    expect.arrayContaining([
      { Namespace: 'AWS/Lambda', MetricName: 'ClaimedAccountConcurrency' },
      expect.objectContaining({
        Namespace: 'AWS/Usage',
        MetricName: 'ResourceCount',
        Dimensions: expect.arrayContaining([{ Name: 'Resource', Value: 'ConcurrentExecutions' }]),
      }),
    ]),
  )
})

it('raises an alarm at four fifths of the configured limits', async () => {
  const requests = { throttleRate: 10, anonymousRate: 10, ingestRate: 10, accountRequests: 20 }
  const chosen = await templatesOf([], { ...requests, tableUnits: 2_000, flowStreamShards: 3 })
  // Expects limits for five minutes, which are 300 times the configured limits per second.
  expect(expressionOf('ApiNearlyThrottled', chosen)).toBe('100 * requests / 6000')
  expect(expressionOf('TableNearQuota', chosen)).toContain('FILL(second, 0) / 600000')
  expect(expressionOf('FlowStreamNearlyFull', chosen)).toContain(`FILL(first, 0) / ${3 * 300 * 1_048_576} `)
  expect(expressionOf('FlowStreamNearlyFull', chosen)).toContain('FILL(second, 0) / 900000')
  for (const name of ['ConcurrencyNearlyUsed', 'ApiNearlyThrottled', 'TableNearQuota', 'FlowStreamNearlyFull'])
    expect([alarm(name)?.Threshold, alarm(name)?.EvaluationPeriods], name).toEqual([80, 2])
})

it('requires no shard metrics of an on-demand stream', async () => {
  expect(alarm('FlowStreamNearlyFull', await templatesOf([], { flowStreamShards: 'on-demand' }))).toBeUndefined()
})
