import { Duration } from 'aws-cdk-lib'
import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { ConsumedStream } from '../functions/consumers.ts'
import type { Scheduled } from '../functions/schedules.ts'
import type { Own } from './own-metric.ts'
import { fiveMinutes, type Watch } from './watch.ts'

export const ageOf = ({ consumer }: ConsumedStream) => consumer.metric('IteratorAge', { statistic: 'Maximum' })

export const mappingMetric = ({ mappingId }: ConsumedStream, metricName: string) =>
  new Metric({
    namespace: 'AWS/Lambda',
    metricName,
    statistic: 'Sum',
    dimensionsMap: { EventSourceMappingUUID: mappingId },
  })

/** The pulse gives every consumer a record a minute, so one that reads nothing is dead. */
const watchConsumer = (stream: ConsumedStream): Watch[] => {
  const name = stream.consumer.node.id
  return [
    {
      id: `${name}Behind`,
      metric: ageOf(stream),
      when: { above: Duration.minutes(5).toMilliseconds() },
      periods: 2,
      what: `${name} is more than five minutes behind its stream, or does not run at all.`,
      runbook: 'consumer-behind.md',
      silence: 'dead',
    },
    {
      id: `${name}Off`,
      metric: mappingMetric(stream, 'PolledEventCount'),
      when: { below: 1 },
      periods: 3,
      what: `Nothing is read for ${name}: its event source mapping is off, or has no right to read.`,
      runbook: 'mapping-off.md',
      silence: 'dead',
    },
    {
      id: `${name}Failed`,
      metric: mappingMetric(stream, 'OnFailureDestinationDeliveredEventCount'),
      when: { above: 0 },
      periods: 1,
      what: `${name} has given up records; they are kept.`,
      runbook: 'failed-batches.md',
      silence: { toldBy: `${name}Off` },
    },
  ]
}

const watchSchedule = ({ run, every }: Scheduled): Watch[] => {
  const name = run.node.id
  const isOften = every.toSeconds() <= fiveMinutes.toSeconds()
  const period = isOften ? fiveMinutes : every
  const runbook = name === 'Pulse' ? 'no-pulse.md' : 'schedules.md'
  return [
    {
      id: `${name}Failing`,
      // A period without a run would end the row of failures.
      metric: run.metricErrors({ period }),
      when: { above: 0 },
      periods: 3,
      what: `The schedule ${name} keeps failing.`,
      runbook,
      silence: { toldBy: `${name}NotRunning` },
    },
    {
      id: `${name}NotRunning`,
      metric: run.metricInvocations({ period }),
      when: { below: 1 },
      // A run a period can fall just beside one of them.
      periods: isOften ? 3 : 2,
      what: `The schedule ${name} does not run.`,
      runbook,
      silence: 'dead',
    },
  ]
}

/** Maximum number of metrics of an alarm on an expression: a hard limit of CloudWatch (decision 0030). */
const maxMetrics = 10

const sumOf = (functions: IFunction[], metricName: string, label: string) =>
  new MathExpression({
    expression: 'SUM(METRICS())',
    usingMetrics: Object.fromEntries(
      functions.map((one, index) => [`m${index}`, one.metric(metricName, { statistic: 'Sum' })]),
    ),
    period: fiveMinutes,
    label,
  })

type Summed = { functions: IFunction[]; metricName: string; label: string }

/** Alarms on a metric of several functions: the first has the id as it is, each further ten functions add a numbered one. */
export const watchSum = ({ functions, metricName, label }: Summed, watch: Omit<Watch, 'metric'>): Watch[] =>
  Array.from({ length: Math.ceil(functions.length / maxMetrics) }, (_, index) => ({
    ...watch,
    id: index === 0 ? watch.id : `${watch.id}${index + 1}`,
    metric: sumOf(functions.slice(index * maxMetrics, (index + 1) * maxMetrics), metricName, label),
  }))

/** A run of 2 hours still stands when the next one is due. */
const longestRun = Duration.hours(2)

/** What no request waits for: consumers and schedules. */
export function watchJobs(streams: ConsumedStream[], scheduled: Scheduled[], own: Own): Watch[] {
  const functions = [...streams.map(({ consumer }) => consumer), ...scheduled.map(({ run }) => run)]
  return [
    ...streams.flatMap(watchConsumer),
    ...scheduled.flatMap(watchSchedule),
    {
      id: 'SyncRunsStuck',
      metric: own('sync_run_age_ms', 'Maximum').with({ period: fiveMinutes }),
      when: { above: longestRun.toMilliseconds() },
      periods: 3,
      what: 'A sync run of a directory or an inventory has been under way for more than two hours.',
      runbook: 'sync-runs.md',
      silence: { toldBy: 'SyncNotRunning' },
    },
    ...watchSum(
      { functions, metricName: 'Throttles', label: 'Throttled runs' },
      {
        id: 'JobsThrottled',
        when: { above: 0 },
        periods: 3,
        what: 'Lambda refuses to run consumers or schedules.',
        runbook: 'throttles.md',
        silence: { toldBy: 'PulseNotRunning' },
      },
    ),
    ...watchSum(
      { functions, metricName: 'DestinationDeliveryFailures', label: 'Failed deliveries' },
      {
        id: 'DeliveriesLost',
        when: { above: 0 },
        periods: 1,
        what: 'A failed batch or run could not be kept.',
        runbook: 'lost-deliveries.md',
        silence: { toldBy: 'PulseNotRunning' },
      },
    ),
  ]
}
