import { GraphWidget, type IMetric, type IWidget, MathExpression, type Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { consumerNames, type MetricName } from '#shared/core/logging/metrics.ts'
import { operationClasses } from '#shared/http/operation-class.ts'
import type { LiveApi } from '../api/live-api.ts'
import type { ConsumedStream } from '../functions/consumers.ts'
import type { Scheduled } from '../functions/schedules.ts'
import type { Storage } from '../storage/storage.ts'
import { ageOf, apiMetric, eventMetric, flowStreamMetric, mappingMetric, type OwnMetric, tableMetric } from './watch.ts'

export type Graphed = {
  apiId: string
  /** Null where the deployment has no live channel. */
  channel: LiveApi | null
  storage: Storage
  streams: ConsumedStream[]
  scheduled: Scheduled[]
  mailer: IFunction
}

const graph = (title: string, left: IMetric[], right: IMetric[] = []): IWidget =>
  new GraphWidget({ title, left, right, width: 8, height: 6 })

/** Builds the rows of the dashboard. */
export function graphs(
  { apiId, channel, mailer, storage, streams, scheduled }: Graphed,
  own: OwnMetric,
  namespace: string,
): IWidget[][] {
  const byClass = (metricName: MetricName, statistic: string) =>
    operationClasses.map((kind) => own(metricName, statistic, { class: kind }).with({ label: kind }))
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
      graph('Retried commits', [own('commits_retried')]),
    ],
    [
      graph('Age of unread stream records', ofStreams(ageOf)),
      graph(
        'Lag of consumers, p99',
        consumerNames.map((operation) => own('lag_ms', 'p99', { operation }).with({ label: operation })),
      ),
      graph(
        'Records given up',
        ofStreams((stream) => mappingMetric(stream, 'OnFailureDestinationDeliveredEventCount')),
      ),
    ],
    [
      graph('Grants', [own('grants')], [own('revocation_lag_ms', 'p50'), own('revocation_lag_ms', 'Maximum')]),
      graph('Flow reports, sealed entries', [own('flows_ingested'), own('flows_stored')], [own('entries_sealed')]),
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
        [own('sync_run_age_ms', 'Maximum')],
        [own('sync_runs_failed')],
      ),
    ],
    [
      graph('Sign-ins', [own('sign_ins')], [own('sign_ins_failed'), own('sign_ins_guessed')]),
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
            graph('Messages to devices', [own('messages_sent')], [own('messages_failed')]),
          ],
        ]
      : []),
  ]
}
