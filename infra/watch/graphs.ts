import { GraphWidget, type IMetric, type IWidget, MathExpression, type Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { consumerNames, type MetricName } from '#shared/core/logging/metrics.ts'
import { operationClasses } from '#shared/http/operation-class.ts'
import type { LiveApi } from '../api/live-api.ts'
import type { ConsumedStream } from '../functions/consumers.ts'
import type { ScheduledFunction } from '../functions/schedules.ts'
import type { Storage } from '../storage/storage.ts'
import {
  apiMetric,
  eventMetric,
  flowStreamMetric,
  iteratorAge,
  mappingMetric,
  type ServiceMetric,
  tableMetric,
} from './watch.ts'

export type GraphedParts = {
  apiId: string
  /** Null if the deployment has no live channel. */
  channel: LiveApi | null
  storage: Storage
  streams: ConsumedStream[]
  scheduled: ScheduledFunction[]
  mailer: IFunction
}

const graph = (title: string, left: IMetric[], right: IMetric[] = []): IWidget =>
  new GraphWidget({ title, left, right, width: 8, height: 6 })

export function graphs(
  { apiId, channel, mailer, storage, streams, scheduled }: GraphedParts,
  serviceMetric: ServiceMetric,
  namespace: string,
): IWidget[][] {
  const byClass = (metricName: MetricName, statistic: string) =>
    operationClasses.map((kind) => serviceMetric(metricName, statistic, { class: kind }).with({ label: kind }))
  const ofSchedules = (metricOf: (run: IFunction) => Metric) =>
    scheduled.map(({ run }) => metricOf(run).with({ label: run.node.id }))
  const ofStreams = (metricOf: (stream: ConsumedStream) => Metric) =>
    streams.map((stream) => metricOf(stream).with({ label: stream.consumer.node.id }))
  const ofTable = (...names: string[]) => names.map((name) => tableMetric(storage, name))
  const ofChannel = (live: LiveApi, ...names: string[]) => names.map((name) => apiMetric(live.id, name))
  const refusals = `SEARCH('{"${namespace}",reason} MetricName="sign_ins_refused"', 'Sum')`
  return [
    [
      graph('Requests', [apiMetric(apiId, 'Count')], [apiMetric(apiId, '4xx'), apiMetric(apiId, '5xx')]),
      graph('Latency', [apiMetric(apiId, 'Latency', 'p50'), apiMetric(apiId, 'Latency', 'p99')]),
      graph('Faults by class', byClass('faults', 'Sum')),
    ],
    [
      graph('Requests by class', byClass('latency_ms', 'SampleCount')),
      graph('Latency by class, p50', byClass('latency_ms', 'p50')),
      graph('Latency by class, p99', byClass('latency_ms', 'p99')),
    ],
    [
      graph('Table', ofTable('ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits')),
      graph(
        'Throttled table requests, transaction conflicts',
        ofTable('ReadThrottleEvents', 'WriteThrottleEvents'),
        ofTable('TransactionConflict'),
      ),
      graph('Retried commits', [serviceMetric('commits_retried')]),
    ],
    [
      graph('Age of unread stream records', ofStreams(iteratorAge)),
      graph(
        'Lag of consumers, p99',
        consumerNames.map((operation) => serviceMetric('lag_ms', 'p99', { operation }).with({ label: operation })),
      ),
      graph(
        'Records given up',
        ofStreams((stream) => mappingMetric(stream, 'OnFailureDestinationDeliveredEventCount')),
      ),
    ],
    [
      graph(
        'Grants',
        [serviceMetric('grants'), serviceMetric('refusals_unrecorded')],
        [serviceMetric('revocation_lag_ms', 'p50'), serviceMetric('revocation_lag_ms', 'Maximum')],
      ),
      graph(
        'Flow reports, sealed entries',
        [serviceMetric('flows_ingested'), serviceMetric('flows_stored')],
        [serviceMetric('entries_sealed')],
      ),
      graph(
        'Flow stream',
        [flowStreamMetric(storage, 'IncomingBytes')],
        [flowStreamMetric(storage, 'WriteProvisionedThroughputExceeded')],
      ),
    ],
    [
      graph(
        'Errors of consumers',
        ofStreams(({ consumer }) => consumer.metricErrors()),
      ),
      graph(
        'Errors of schedules',
        ofSchedules((run) => run.metricErrors()),
      ),
      graph(
        'Runs of schedules',
        ofSchedules((run) => run.metricInvocations()),
      ),
    ],
    [
      graph(
        'Sync runs: age of those in progress, failed',
        [serviceMetric('sync_run_age_ms', 'Maximum')],
        [serviceMetric('sync_runs_failed')],
      ),
    ],
    [
      graph(
        'Sign-ins',
        [serviceMetric('sign_ins')],
        [serviceMetric('sign_ins_failed'), serviceMetric('sign_ins_guessed')],
      ),
      graph('Refused sign-ins by reason', [new MathExpression({ expression: refusals, label: '' })]),
      graph(
        'Passcodes requested and given up',
        [eventMetric(mailer, 'AsyncEventsReceived')],
        [mailer.metricErrors(), eventMetric(mailer, 'AsyncEventsDropped')],
      ),
    ],
    ...(channel
      ? [
          [
            graph('Live channel', ofChannel(channel, 'ConnectCount', 'MessageCount')),
            graph(
              'Refused handshakes and faults of the live channel',
              ofChannel(channel, 'ClientError', 'IntegrationError'),
              ofChannel(channel, 'ExecutionError'),
            ),
            graph('Messages to devices', [serviceMetric('messages_sent')], [serviceMetric('messages_failed')]),
          ],
        ]
      : []),
  ]
}
