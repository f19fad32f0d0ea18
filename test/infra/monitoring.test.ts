import { existsSync, readFileSync } from 'node:fs'
import { Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { Alarm, type MathExpression, type Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { beforeAll, describe, expect, it } from 'vitest'
import { above, watchSum } from '#infra/watch/watch.ts'
import { metrics } from '#shared/core/logging/metrics.ts'
import { operationClasses } from '#shared/http/operation-class.ts'
import { type Resource, type Templates, templatesOf } from '#test/support/service/templates.ts'

const certificate = (region: string) => `arn:aws:acm:${region}:123456789012:certificate/a`
const front = {
  domainName: 'access.example.com',
  certificateArn: certificate('eu-central-1'),
  frontCertificateArn: certificate('us-east-1'),
}

const watched = { mailSender: 'access@example.com', tracing: true, alarmEmail: 'ops@example.com' }

let templates: Templates
let alarms: [string, Resource][]
beforeAll(async () => {
  templates = await templatesOf([])
  alarms = templates.entries('AWS::CloudWatch::Alarm')
})

const findAlarm = (name: string) =>
  alarms.find(([id]) => new RegExp(`^Monitoring${name}[0-9A-F]{8}$`).test(id))?.[1].Properties

const metricsOf = (name: string): string[] =>
  [findAlarm(name)?.Metrics ?? []]
    .flat()
    .flatMap(
      ({ MetricStat }: { MetricStat?: { Metric: { MetricName: string } } }) => MetricStat?.Metric.MetricName ?? [],
    )

function filterOf(name: string) {
  const { Namespace, MetricName } = findAlarm(name) ?? {}
  const [filter] = templates.all('AWS::Logs::MetricFilter').filter(({ Properties }) => {
    const [transformation] = Properties.MetricTransformations
    return transformation.MetricNamespace === Namespace && transformation.MetricName === MetricName
  })
  const pattern = String(filter?.Properties.FilterPattern)
  return { pattern, fields: [...pattern.matchAll(/\$\.(\w+)/g)].map(([, field]) => field) }
}

describe('alarms', () => {
  it('notify one topic of alarm and recovery', () => {
    const topics = templates.entries('AWS::SNS::Topic')
    expect(topics).toHaveLength(1)
    const topic = [{ Ref: topics[0]?.[0] }]
    for (const [id, { Properties }] of alarms)
      expect(Properties, id).toMatchObject({ AlarmActions: topic, OKActions: topic })
  })

  it('name an existing runbook', () => {
    for (const [id, { Properties }] of alarms) {
      const [path] = /docs\/runbooks\/[\w-]+\.md/.exec(Properties.AlarmDescription) ?? []
      expect(path && existsSync(path), id).toBe(true)
    }
  })

  it('go off without data, or name an alarm that does', () => {
    for (const [id, { Properties }] of alarms) {
      const seen: string[] = []
      let alarm: Resource['Properties'] | undefined = Properties
      while (alarm && alarm.TreatMissingData !== 'breaching') {
        expect(alarm.TreatMissingData, id).toBe('notBreaching')
        const otherAlarm = /If there is no data, (\w+) goes off/.exec(alarm.AlarmDescription)?.[1] ?? ''
        expect(seen, id).not.toContain(otherAlarm)
        seen.push(otherAlarm)
        alarm = findAlarm(otherAlarm)
      }
      expect(alarm, `${id}: ${seen.join(', ')}`).toBeDefined()
    }
  })

  it('watch every consumer: its delay, its reads, and the records it gives up', () => {
    const functions = templates.entries('AWS::Lambda::Function')
    const mappings = templates.entries('AWS::Lambda::EventSourceMapping')
    expect(mappings).toHaveLength(3)
    for (const [mapping, { Properties }] of mappings) {
      expect(Properties.MetricsConfig).toEqual({ Metrics: ['EventCount'] })
      const id = templates.functionOfAlias(Properties.FunctionName) ?? ''
      const name = /^Consumers(\D+?)[0-9A-F]{8}$/.exec(id)?.[1] as string
      expect(functions.map(([known]) => known)).toContain(id)
      const ofMapping = [{ Name: 'EventSourceMappingUUID', Value: { Ref: mapping } }]
      expect(findAlarm(`${name}Behind`)).toMatchObject({
        MetricName: 'IteratorAge',
        Dimensions: [{ Name: 'FunctionName', Value: { Ref: id } }],
        Threshold: 300_000,
        TreatMissingData: 'breaching',
      })
      expect(findAlarm(`${name}Off`)).toMatchObject({
        MetricName: 'PolledEventCount',
        Dimensions: ofMapping,
        Threshold: 1,
        ComparisonOperator: 'LessThanThreshold',
        TreatMissingData: 'breaching',
      })
      expect(findAlarm(`${name}Failed`)).toMatchObject({
        MetricName: 'OnFailureDestinationDeliveredEventCount',
        Dimensions: ofMapping,
        Threshold: 0,
      })
    }
  })

  it('watch every schedule: failures and missing runs', () => {
    const rules = templates.all('AWS::Events::Rule')
    expect(rules.length).toBeGreaterThan(3)
    for (const { Properties } of rules) {
      const id = templates.functionOfAlias(Properties.Targets[0].Arn)
      const name = /^Schedules(\D+?)[0-9A-F]{8}$/.exec(id ?? '')?.[1] as string
      const seldom: Record<string, number> = {
        'rate(30 minutes)': 1_800,
        'rate(1 hour)': 3_600,
        'rate(6 hours)': 21_600,
        'rate(1 day)': 86_400,
      }
      const Period = seldom[Properties.ScheduleExpression] ?? 300
      const Dimensions = [{ Name: 'FunctionName', Value: { Ref: id } }]
      expect(findAlarm(`${name}Failing`)).toMatchObject({ MetricName: 'Errors', Dimensions, Period })
      const silent = { ComparisonOperator: 'LessThanThreshold', TreatMissingData: 'breaching' }
      expect(findAlarm(`${name}NotRunning`)).toMatchObject({ MetricName: 'Invocations', Dimensions, Period, ...silent })
    }
  })

  it('watch the API: share of faults, latency, throttles, and missing requests', () => {
    expect(metricsOf('ApiFaults').sort()).toEqual(['5xx', 'Count'])
    expect(metricsOf('ApiSlow').sort()).toEqual(['Count', 'Latency'])
    expect(findAlarm('ApiSilent')).toMatchObject({ MetricName: 'Count', Threshold: 1, TreatMissingData: 'breaching' })
    for (const name of ['ApiThrottled', 'RequestsRefused']) {
      const { pattern, fields } = filterOf(name)
      // Expects that every field of the filter is a field of the access log.
      const stage = templates.httpApiResource('AWS::ApiGatewayV2::Stage')
      const format = JSON.parse(stage.Properties.AccessLogSettings.Format)
      expect(fields.length, pattern).toBeGreaterThan(0)
      expect(Object.keys(format), pattern).toEqual(expect.arrayContaining(fields))
    }
  })

  it('watch requests that API Gateway throttles for any limit, except those of unknown routes', () => {
    expect(filterOf('RequestsRefused').pattern).toBe(
      '{ ($.status = "429") && ($.integrationStatus != "200") && ($.routeKey != "$default") }',
    )
  })

  it('watch the live channel: faults, throttles, undelivered messages, and missing handshakes', async () => {
    expect(metricsOf('LiveFailing').sort()).toEqual(['ExecutionError', 'faults'])
    expect(metricsOf('LiveThrottled')).toEqual(['Throttles', 'Throttles', 'Throttles'])
    expect(metricsOf('LiveNearlyThrottled').sort()).toEqual(['ConnectCount', 'MessageCount'])
    expect(metricsOf('DevicesNotNotified').sort()).toEqual(['messages_failed', 'messages_sent'])
    const [channel] = templates.entries('AWS::ApiGatewayV2::Api').filter(([id]) => id.startsWith('LiveChannel'))
    expect(findAlarm('LiveSilent')).toMatchObject({
      MetricName: 'ConnectCount',
      Dimensions: [{ Name: 'ApiId', Value: { Ref: channel?.[0] } }],
      TreatMissingData: 'breaching',
    })
    const without = (await templatesOf([], { live: 'false' })).entries('AWS::CloudWatch::Alarm')
    expect(without.filter(([id]) => /Live|DevicesNotNotified/.test(id))).toEqual([])
  })

  it('watch sign-ins: faults, failing providers, guessing, abandoned passcodes, bouncing mails', async () => {
    expect(metricsOf('SignInFaults').sort()).toEqual(['faults', 'latency_ms', 'sign_ins_failed'])
    expect(metricsOf('ProvidersFailing').sort()).toEqual(['sign_ins', 'sign_ins_failed'])
    expect(findAlarm('SignInsGuessed')).toMatchObject({
      MetricName: 'sign_ins_guessed',
      TreatMissingData: 'notBreaching',
    })
    const [mailer] = templates.entries('AWS::Lambda::Function').filter(([id]) => id.startsWith('PasscodesMailPasscode'))
    expect(findAlarm('PasscodesNotMailed')).toMatchObject({
      MetricName: 'AsyncEventsDropped',
      Dimensions: [{ Name: 'FunctionName', Value: { Ref: mailer?.[0] } }],
      Threshold: 0,
    })
    // Expects no alarm without a mail sender, because there is no sending reputation to watch.
    expect(findAlarm('MailsBouncing')).toBeUndefined()
    const mailing = (await templatesOf([], watched)).entries('AWS::CloudWatch::Alarm')
    const [bouncing] = mailing.filter(([id]) => /MailsBouncing/.test(id))
    const looked = bouncing?.[1].Properties.Metrics.flatMap(
      ({ MetricStat }: { MetricStat?: { Metric: object; Period: number } }) => MetricStat ?? [],
    )
    expect(looked).toMatchObject(
      ['Reputation.BounceRate', 'Reputation.ComplaintRate'].map((MetricName) => ({
        Metric: { Namespace: 'AWS/SES', MetricName },
        Period: 3_600,
      })),
    )
    expect(mailing).toHaveLength(alarms.length + 1)
  })

  it('watch throttles of table, flow stream, consumers and schedules, and failed batches that could not be stored', () => {
    expect(metricsOf('TableThrottled').sort()).toEqual(['ReadThrottleEvents', 'WriteThrottleEvents'])
    expect(metricsOf('FlowStreamThrottled').sort()).toEqual([
      'ReadProvisionedThroughputExceeded',
      'WriteProvisionedThroughputExceeded',
    ])
    const jobs = templates.all('AWS::Lambda::EventSourceMapping').length + templates.all('AWS::Events::Rule').length
    for (const [name, metric] of Object.entries({
      JobsThrottled: 'Throttles',
      DeliveriesLost: 'DestinationDeliveryFailures',
    }))
      expect([1, 2, 3].flatMap((part) => metricsOf(part === 1 ? name : `${name}${part}`))).toEqual(
        Array(jobs).fill(metric),
      )
  })

  it('have at most ten metrics each, the maximum of CloudWatch', () => {
    for (const [id, { Properties }] of alarms) {
      const metrics = [Properties.Metrics ?? []].flat().filter(({ MetricStat }: { MetricStat?: object }) => MetricStat)
      expect(metrics.length, id).toBeLessThanOrEqual(10)
    }
  })

  it.each([
    [10, [10]],
    [11, [10, 1]],
    [25, [10, 10, 5]],
  ])('watch each of %i functions once, with alarms of %j metrics', (count, sizes) => {
    const stack = new Stack()
    const functions = Array.from({ length: count }, (_, index) =>
      LambdaFunction.fromFunctionName(stack, `Function${index}`, `function-${index}`),
    )
    const sum = { id: 'Sum', when: above(0, 1), text: '', runbook: '', coveredBy: null }
    const watches = watchSum(functions, 'Throttles', 'Throttled runs', sum)
    expect(watches.map(({ id }) => id)).toEqual(['Sum', 'Sum2', 'Sum3'].slice(0, sizes.length))
    const watched = watches.map(({ id, metric }) => {
      new Alarm(stack, id, { metric, threshold: 0, evaluationPeriods: 1 })
      return Object.values((metric as MathExpression).usingMetrics).map(
        (one) => (one as Metric).dimensions?.FunctionName,
      )
    })
    expect(watched.map(({ length }) => length)).toEqual(sizes)
    expect(watched.flat()).toEqual(functions.map(({ functionName }) => functionName))
    expect(Object.keys(Template.fromStack(stack).findResources('AWS::CloudWatch::Alarm'))).toHaveLength(sizes.length)
  })
})

describe('operating.md', () => {
  const text = readFileSync('docs/operating.md', 'utf8')
  const rowsUnder = (heading: string) =>
    (text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '').split('\n').filter((line) => /^\| [`…]/.test(line))
  const namesIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

  it('lists every alarm with its runbook, and no other', async () => {
    const ids = (await templatesOf([], { ...watched, ...front })).entries('AWS::CloudWatch::Alarm')
    const runbooks = new Map(
      ids.map(([id, { Properties }]) => [
        // Removes the number from an alarm's id. Alarms that differ only in this number watch different functions for the same reason.
        id.replace(/^Monitoring|\d?[0-9A-F]{8}$/g, ''),
        /runbooks\/([\w-]+\.md)/.exec(Properties.AlarmDescription)?.[1],
      ]),
    )
    const rows = rowsUnder('The alarms').flatMap((line) => {
      const [, names, , runbook] = line.split('|')
      return namesIn(names).map((name): [string, string | undefined] => [
        name.replace('…', ''),
        /runbooks\/([\w-]+\.md)/.exec(runbook ?? '')?.[1],
      ])
    })
    // Finds the documented row of an alarm, by its full name or by its ending if the name in the row starts with dots.
    const rowOf = (id: string) => rows.find(([name]) => name === id) ?? rows.find(([name]) => id.endsWith(name))
    for (const [id, runbook] of runbooks) expect([id, rowOf(id)?.[1]]).toEqual([id, runbook])
    const used = [...runbooks.keys()].map((id) => rowOf(id)?.[0])
    expect(rows.map(([name]) => name).filter((name) => !used.includes(name))).toEqual([])
  })

  it('lists every metric with its dimensions', () => {
    const rows = rowsUnder('Metrics').map((line) =>
      line
        .split('|')
        .slice(1, 3)
        .map((cell) => namesIn(cell)[0]),
    )
    const made = Object.entries(metrics).map(([name, { by }]) => [name, by ?? undefined])
    const counted = templates.all('AWS::Logs::MetricFilter').flatMap(({ Properties }) => {
      const [{ MetricName, Dimensions }] = Properties.MetricTransformations
      return [[MetricName, Dimensions?.[0].Key]]
    })
    expect(rows.toSorted()).toEqual([...made, ...counted].toSorted())
  })
})

describe("without the service's metrics", () => {
  it('has no alarm that can never go off', async () => {
    const all = (await templatesOf([], { metrics: 'none' })).entries('AWS::CloudWatch::Alarm')
    const left = all.map(([id]) => id)
    const gone = alarms
      .map(([id]) => id.replace(/^Monitoring|[0-9A-F]{8}$/g, ''))
      .filter((name) => !left.some((id) => id.startsWith(`Monitoring${name}`)))
    expect(gone.sort()).toEqual([
      'DevicesNotNotified',
      'ProvidersFailing',
      'SignInFaults',
      'SignInsGuessed',
      'SyncRunsStuck',
    ])
    for (const [id, { Properties }] of all) {
      const looked = Properties.Metrics?.flatMap(
        ({ MetricStat }: { MetricStat?: { Metric: { MetricName: string } } }) => MetricStat?.Metric.MetricName ?? [],
      ) ?? [Properties.MetricName]
      expect(
        looked.filter((name: string) => !(name in metrics)),
        id,
      ).not.toEqual([])
    }
  })
})

it('has one dashboard with every alarm and all metrics of the service', () => {
  const dashboards = templates.all('AWS::CloudWatch::Dashboard')
  expect(dashboards).toHaveLength(1)
  const body = JSON.stringify(dashboards[0]?.Properties.DashboardBody)
  for (const [id] of alarms) expect(body).toContain(id)
  for (const name of [...Object.keys(metrics), 'AsyncEventsDropped']) expect(body).toMatch(new RegExp(`\\b${name}\\b`))
  for (const kind of operationClasses) expect(body).toContain(kind)
})

it('logs source, method, path, status and both latencies of every request', () => {
  const stage = templates.httpApiResource('AWS::ApiGatewayV2::Stage')
  expect(JSON.parse(stage.Properties.AccessLogSettings.Format)).toMatchObject({
    source: '$context.identity.sourceIp',
    method: '$context.httpMethod',
    path: '$context.path',
    status: '$context.status',
    responseLatency: '$context.responseLatency',
    integrationLatency: '$context.integrationLatency',
  })
})

it('traces functions if configured', async () => {
  const tracing = (found: Templates) =>
    found.all('AWS::Lambda::Function').map(({ Properties }) => Properties.TracingConfig)
  expect(new Set(tracing(templates))).toEqual(new Set([undefined]))
  const traced = await templatesOf([], { ...watched, ...front })
  expect(tracing(traced)).toEqual(tracing(traced).map(() => ({ Mode: 'Active' })))
  const allowed = traced
    .all('AWS::IAM::Policy')
    .filter(({ Properties }) => JSON.stringify(Properties.PolicyDocument).includes('xray:PutTraceSegments'))
    .flatMap(({ Properties }) => Properties.Roles.map(({ Ref }: { Ref: string }) => Ref))
  for (const { Properties } of traced.all('AWS::Lambda::Function'))
    expect(allowed, Properties.Handler).toContain(Properties.Role['Fn::GetAtt'][0])
})

it('sends mails only if configured', async () => {
  expect(templates.all('AWS::SNS::Subscription')).toEqual([])
  const mailed = await templatesOf([], watched)
  expect(mailed.all('AWS::SNS::Subscription')[0]?.Properties).toMatchObject({
    Protocol: 'email',
    Endpoint: 'ops@example.com',
  })
})
