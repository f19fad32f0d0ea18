import { existsSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Resource, type Templates, templatesOf } from '#test/support/templates.ts'

let templates: Templates
let alarms: [string, Resource][]
beforeAll(async () => {
  templates = await templatesOf([])
  alarms = templates.entries('AWS::CloudWatch::Alarm')
})

const named = (name: string) => alarms.find(([id]) => id.includes(name))?.[1].Properties

describe('alarms', () => {
  it('go to one topic when they go off and when they are over', () => {
    const topics = templates.entries('AWS::SNS::Topic')
    expect(topics).toHaveLength(1)
    const topic = [{ Ref: topics[0]?.[0] }]
    for (const [id, { Properties }] of alarms)
      expect(Properties, id).toMatchObject({ AlarmActions: topic, OKActions: topic, TreatMissingData: 'notBreaching' })
  })

  it('name a runbook that is there', () => {
    for (const [id, { Properties }] of alarms) {
      const [path] = /docs\/runbooks\/[\w-]+\.md/.exec(Properties.AlarmDescription) ?? []
      expect(path && existsSync(path), id).toBe(true)
    }
  })

  it('watch every consumer: how far it is behind, and what it gives up', () => {
    const functions = templates.entries('AWS::Lambda::Function')
    const mappings = templates.entries('AWS::Lambda::EventSourceMapping')
    expect(mappings).toHaveLength(3)
    for (const [mapping, { Properties }] of mappings) {
      expect(Properties.MetricsConfig).toEqual({ Metrics: ['EventCount'] })
      const name = /^Consumers(\D+?)[0-9A-F]{8}$/.exec(Properties.FunctionName.Ref)?.[1] as string
      expect(functions.map(([id]) => id)).toContain(Properties.FunctionName.Ref)
      expect(named(`${name}Behind`)).toMatchObject({
        MetricName: 'IteratorAge',
        Dimensions: [{ Name: 'FunctionName', Value: Properties.FunctionName }],
        Threshold: 300_000,
      })
      expect(named(`${name}Failed`)).toMatchObject({
        MetricName: 'OnFailureDestinationDeliveredEventCount',
        Dimensions: [{ Name: 'EventSourceMappingUUID', Value: { Ref: mapping } }],
        Threshold: 0,
      })
    }
  })

  it('watch every schedule', () => {
    const scheduled = templates
      .all('AWS::Lambda::Function')
      .filter(({ Properties }) => String(Properties.Handler).startsWith('schedules/'))
    const watched = alarms.filter(([id]) => id.includes('Failing'))
    expect(scheduled.length).toBeGreaterThan(0)
    expect(watched).toHaveLength(scheduled.length)
    expect([named('ExpireFailing')?.Period, named('CompareLimitsFailing')?.Period]).toEqual([300, 1_800])
  })

  it('watch the faults of the API, by their share', () => {
    const metrics = named('ApiFaults')?.Metrics as { MetricStat?: { Metric: { MetricName: string } } }[]
    const names = metrics.flatMap(({ MetricStat }) => MetricStat?.Metric.MetricName ?? [])
    expect(names.sort()).toEqual(['5xx', 'Count'])
  })
})

it('has one dashboard that shows every alarm', () => {
  const dashboards = templates.all('AWS::CloudWatch::Dashboard')
  expect(dashboards).toHaveLength(1)
  const body = JSON.stringify(dashboards[0]?.Properties.DashboardBody)
  for (const [id] of alarms) expect(body).toContain(id)
})

it('mails nobody unless it is told to', async () => {
  expect(templates.all('AWS::SNS::Subscription')).toEqual([])
  const mailed = await templatesOf([], { alarmEmail: 'ops@example.com' })
  expect(mailed.all('AWS::SNS::Subscription')[0]?.Properties).toMatchObject({
    Protocol: 'email',
    Endpoint: 'ops@example.com',
  })
})
