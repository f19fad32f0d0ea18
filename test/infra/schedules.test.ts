import { beforeAll, expect, it } from 'vitest'
import { type Resource, type Templates, templatesOf } from '#test/support/service/templates.ts'

let templates: Templates
beforeAll(async () => {
  templates = await templatesOf([])
})

function scheduled(handler: string) {
  const [id, { Properties }] = templates
    .entries('AWS::Lambda::Function')
    .find(([, resource]) => resource.Properties.Handler === `schedules/${handler}.handler`) as [string, Resource]
  const rules = templates
    .all('AWS::Events::Rule')
    .filter((rule) => templates.functionOfAlias(rule.Properties.Targets[0].Arn) === id)
  const settings = templates
    .all('AWS::Lambda::EventInvokeConfig')
    .find((config) => config.Properties.FunctionName.Ref === id)?.Properties
  return { expressions: rules.map((rule) => rule.Properties.ScheduleExpression), properties: Properties, settings }
}

it('sync runs every minute, with enough time for a whole step', () => {
  const { expressions, properties, settings } = scheduled('sync')
  expect([expressions, properties.Timeout]).toEqual([['rate(1 minute)'], 900])
  expect(settings).toMatchObject({ MaximumRetryAttempts: 0 })
})

it('the flush of the archive has the time and memory for a large hour', () => {
  const { expressions, properties, settings } = scheduled('flush-archive')
  expect([expressions, properties.Timeout, properties.MemorySize]).toEqual([['rate(5 minutes)'], 900, 3_008])
  expect(settings).toMatchObject({ MaximumRetryAttempts: 0 })
})

it.each<[string, string, number?]>([
  ['expire', 'rate(1 minute)'],
  ['delete-due-accounts', 'rate(1 minute)'],
  ['compare-limits', 'rate(30 minutes)'],
  ['mail-sync-errors', 'rate(30 minutes)'],
  ['pulse', 'rate(1 minute)'],
  ['seal-logs', 'rate(5 minutes)', 300],
  ['renew-locks', 'rate(1 hour)', 900],
  ['rotate-signing-secret', 'rate(1 day)'],
])('%s runs at %s, ends before its next run, and keeps its failures', (handler, every, seconds = 60) => {
  const { expressions, properties, settings } = scheduled(handler)
  expect(expressions).toEqual([every])
  expect((properties as { Timeout: number }).Timeout).toBeLessThanOrEqual(seconds)
  expect(settings).toMatchObject({
    MaximumRetryAttempts: 0,
    DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': [expect.stringMatching(/Failures/), 'Arn'] } } },
  })
})
