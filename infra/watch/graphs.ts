import { GraphWidget, type IMetric, type IWidget, MathExpression, type Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import { consumerNames, type MetricName } from '#shared/core/logging/metrics.ts'
import { operationClasses } from '#shared/http/operation-class.ts'
import type { LiveApi } from '../api/live-api.ts'
import type { ConsumedStream } from '../functions/consumers.ts'
import type { Scheduled } from '../functions/schedules.ts'
import type { Storage } from '../storage/storage.ts'
import { type Own, ownMetric } from './own-metric.ts'
import { apiMetric } from './watch-api.ts'
import { ageOf, mappingMetric } from './watch-jobs.ts'
import { channelMetric } from './watch-live.ts'
import { eventMetric } from './watch-sign-in.ts'
import { flowStreamMetric, tableMetric } from './watch-table.ts'

/** What the dashboard shows. */
export type Graphed = {
  apiId: string
  /** Null where the deployment has no live channel. */
  channel: LiveApi | null
  storage: Storage
  streams: ConsumedStream[]
  scheduled: Scheduled[]
  /** The function that mails passcodes. */
  mailer: IFunction
  /** Namespace of the metrics that the service makes of its own lines. */
  serviceName: string
}

const labelled = (metric: Metric, { node }: Construct) => metric.with({ label: node.id })
const graph = (title: string, left: IMetric[], right: IMetric[] = []): IWidget =>
  new GraphWidget({ title, left, right, width: 8, height: 6 })

/** The graphs of the dashboard, a row a subject. */
export const graphs = ({ apiId, channel, mailer, storage, streams, scheduled, serviceName }: Graphed): IWidget[][] => {
  const own = ownMetric(serviceName)
  return [
    apiGraphs(apiId, own),
    classGraphs(own),
    tableGraphs(storage, own),
    streamGraphs(streams, own),
    flowGraphs(storage, own),
    runGraphs(streams, scheduled),
    [
      graph(
        'Sync runs: age of those under way, failed',
        [own('sync_run_age_ms', 'Maximum')],
        [own('sync_runs_failed', 'Sum')],
      ),
    ],
    signInGraphs(mailer, own, serviceName),
    ...(channel ? [channelGraphs(channel, own)] : []),
  ]
}

const byClass = (own: Own, metricName: MetricName, statistic: string): Metric[] =>
  operationClasses.map((kind) => own(metricName, statistic, { class: kind }).with({ label: kind }))

function apiGraphs(apiId: string, own: Own): IWidget[] {
  const ofApi = (metricName: string, statistic: string) => apiMetric(apiId, metricName, statistic)
  return [
    graph('Requests', [ofApi('Count', 'Sum')], [ofApi('4xx', 'Sum'), ofApi('5xx', 'Sum')]),
    graph('Latency', [ofApi('Latency', 'p50'), ofApi('Latency', 'p99')]),
    graph('Faults by class', byClass(own, 'faults', 'Sum')),
  ]
}

const classGraphs = (own: Own): IWidget[] => [
  graph('Requests by class', byClass(own, 'latency_ms', 'SampleCount')),
  graph('Latency by class, p50', byClass(own, 'latency_ms', 'p50')),
  graph('Latency by class, p99', byClass(own, 'latency_ms', 'p99')),
]

const tableGraphs = (storage: Storage, own: Own): IWidget[] => [
  graph('Table', [
    tableMetric(storage, 'ConsumedReadCapacityUnits'),
    tableMetric(storage, 'ConsumedWriteCapacityUnits'),
  ]),
  graph(
    'Throttled table requests, and transactions that met',
    [tableMetric(storage, 'ReadThrottleEvents'), tableMetric(storage, 'WriteThrottleEvents')],
    [tableMetric(storage, 'TransactionConflict')],
  ),
  graph('Commits tried again', [own('commits_retried', 'Sum')]),
]

const streamGraphs = (streams: ConsumedStream[], own: Own): IWidget[] => [
  graph(
    'Age of what is read from the streams',
    streams.map((stream) => labelled(ageOf(stream), stream.consumer)),
  ),
  graph('From commit or report until done, p99', ownLags(own)),
  graph(
    'Records given up',
    streams.map((stream) =>
      labelled(mappingMetric(stream, 'OnFailureDestinationDeliveredEventCount'), stream.consumer),
    ),
  ),
]

const flowGraphs = (storage: Storage, own: Own): IWidget[] => [
  graph('Grants', [own('grants', 'Sum')], [own('revocation_lag_ms', 'p50'), own('revocation_lag_ms', 'Maximum')]),
  graph(
    'Reports of flows, entries sealed',
    [own('flows_ingested', 'Sum'), own('flows_stored', 'Sum')],
    [own('entries_sealed', 'Sum')],
  ),
  graph(
    'Flow stream',
    [flowStreamMetric(storage, 'IncomingBytes')],
    [flowStreamMetric(storage, 'WriteProvisionedThroughputExceeded')],
  ),
]

const runGraphs = (streams: ConsumedStream[], scheduled: Scheduled[]): IWidget[] => [
  graph(
    'Errors of consumers',
    streams.map(({ consumer }) => labelled(consumer.metricErrors(), consumer)),
  ),
  graph(
    'Errors of schedules',
    scheduled.map(({ run }) => labelled(run.metricErrors(), run)),
  ),
  graph(
    'Runs of schedules',
    scheduled.map(({ run }) => labelled(run.metricInvocations(), run)),
  ),
]

const signInGraphs = (mailer: IFunction, own: Own, namespace: string): IWidget[] => [
  graph('Sign-ins', [own('sign_ins', 'Sum')], [own('sign_ins_failed', 'Sum'), own('sign_ins_guessed', 'Sum')]),
  graph('Refused sign-ins by reason', [
    new MathExpression({
      expression: `SEARCH('{"${namespace}",reason} MetricName="sign_ins_refused"', 'Sum')`,
      label: '',
    }),
  ]),
  graph(
    'Passcodes asked for and given up',
    [eventMetric(mailer, 'AsyncEventsReceived')],
    [mailer.metricErrors(), eventMetric(mailer, 'AsyncEventsDropped')],
  ),
]

const channelGraphs = (channel: LiveApi, own: Own): IWidget[] => [
  graph('Live channel', [channelMetric(channel, 'ConnectCount'), channelMetric(channel, 'MessageCount')]),
  graph(
    'Refused handshakes and faults of the live channel',
    [channelMetric(channel, 'ClientError'), channelMetric(channel, 'IntegrationError')],
    [channelMetric(channel, 'ExecutionError')],
  ),
  graph('Messages to devices', [own('messages_sent', 'Sum')], [own('messages_failed', 'Sum')]),
]

/** By the names that the consumers give themselves in the log. */
const ownLags = (own: Own): Metric[] =>
  consumerNames.map((operation) => own('lag_ms', 'p99', { operation }).with({ label: operation }))
