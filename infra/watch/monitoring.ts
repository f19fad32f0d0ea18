import { CfnOutput, Duration } from 'aws-cdk-lib'
import {
  Alarm,
  AlarmStatusWidget,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import type { LogEvent } from '#shared/core/log-events.ts'
import { consumerNames, type MetricName } from '#shared/core/metrics.ts'
import { operationClasses } from '#shared/http/operation-class.ts'
import type { LiveApi } from '../api/live-api.ts'
import type { ConsumedStream } from '../functions/consumers.ts'
import type { Scheduled } from '../functions/schedules.ts'
import type { Settings } from '../settings/settings.ts'
import type { Storage } from '../storage/storage.ts'
import type { Watch } from './watch.ts'
import { apiMetric, watchApi } from './watch-api.ts'
import { ageOf, mappingMetric, watchJobs } from './watch-jobs.ts'
import { channelMetric, watchLive } from './watch-live.ts'
import { watchQuotas } from './watch-quotas.ts'
import { watchSeal } from './watch-seal.ts'
import { eventMetric, watchSignIn } from './watch-sign-in.ts'
import { flowStreamMetric, tableMetric, watchStorage } from './watch-table.ts'

type Props = {
  apiId: string
  accessLogs: ILogGroup
  /** Null where the deployment has no live channel. */
  channel: LiveApi | null
  /** What the functions write for the operator. */
  functionLogs: ILogGroup
  storage: Storage
  streams: ConsumedStream[]
  scheduled: Scheduled[]
  /** The function that mails passcodes. */
  mailer: IFunction
  /** Namespace of the metrics that the service makes of its own lines. */
  serviceName: string
  settings: Settings
  /** Who is told of an alarm; more can subscribe to the topic. */
  alarmEmail: string | null
}

const labelled = (metric: Metric, { node }: Construct) => metric.with({ label: node.id })
const graph = (title: string, left: IMetric[], right: IMetric[] = []): IWidget =>
  new GraphWidget({ title, left, right, width: 8, height: 6 })

/**
 * One dashboard that says whether the service is well, and an alarm for each thing that a person must look at. An alarm
 * names its runbook. What mends itself (a retried batch, a throttled write) pages nobody.
 */
export class Monitoring extends Construct {
  private readonly topic: Topic

  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id)
    this.topic = new Topic(this, 'Alarms', {
      displayName: 'Network Access Administration',
      enforceSSL: true,
      ...(props.storage.key && { masterKey: props.storage.key }),
    })
    if (props.alarmEmail) this.topic.addSubscription(new EmailSubscription(props.alarmEmail))
    const watches = [
      ...watchApi(props.apiId, this.throttledRequests(props)),
      ...watchStorage(props.storage),
      ...watchJobs(props.streams, props.scheduled, ownMetric(props.serviceName)),
      watchSeal(this.stoppedSeals(props)),
      ...watchSignIn(ownMetric(props.serviceName), props.mailer, props.settings),
      ...watchQuotas(props.apiId, props.storage, props.settings),
      ...(props.channel ? watchLive(props.channel, ownMetric(props.serviceName), props.settings) : []),
    ]
    const alarms = watches.map((watch) => this.alarm(watch))
    new Dashboard(this, 'Dashboard', {
      defaultInterval: Duration.hours(12),
      widgets: [[new AlarmStatusWidget({ title: 'Alarms', alarms, width: 24, height: 4 })], ...graphs(props)],
    })
    new CfnOutput(this, 'AlarmTopic', { value: this.topic.topicArn })
  }

  /** Requests that Lambda refused. Its own metric is of each function, too many for an alarm, or of the whole account. */
  private throttledRequests({ accessLogs, serviceName }: Props): Metric {
    return new MetricFilter(this, 'ThrottledRequests', {
      logGroup: accessLogs,
      filterPattern: FilterPattern.any(
        FilterPattern.stringValue('$.integrationStatus', '=', '429'),
        FilterPattern.stringValue('$.integrationErrorMessage', '=', '*Rate Exceeded*'),
      ),
      metricNamespace: serviceName,
      metricName: 'requests_throttled',
      metricValue: '1',
      defaultValue: 0,
    }).metric({ statistic: 'Sum' })
  }

  /** Logs that do not hold, by the line that tells of each; it is there whatever metrics a deployment has chosen. */
  private stoppedSeals({ functionLogs, serviceName }: Props): Metric {
    const event: LogEvent = 'seal_stopped'
    return new MetricFilter(this, 'StoppedSeals', {
      logGroup: functionLogs,
      filterPattern: FilterPattern.stringValue('$.event', '=', event),
      metricNamespace: serviceName,
      metricName: 'seals_stopped',
      metricValue: '1',
      defaultValue: 0,
    }).metric({ statistic: 'Sum' })
  }

  private alarm({ id, metric, when, periods, what, runbook, silence }: Watch): Alarm {
    const isAbove = 'above' in when
    const alarm = new Alarm(this, id, {
      metric,
      threshold: isAbove ? when.above : when.below,
      evaluationPeriods: periods,
      comparisonOperator: isAbove ? ComparisonOperator.GREATER_THAN_THRESHOLD : ComparisonOperator.LESS_THAN_THRESHOLD,
      treatMissingData: silence === 'dead' ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
      alarmDescription: `${what} See docs/runbooks/${runbook}.${silence === 'dead' ? '' : ` Silent without data: ${silence.toldBy} goes off then.`}`,
    })
    alarm.addAlarmAction(new SnsAction(this.topic))
    alarm.addOkAction(new SnsAction(this.topic))
    return alarm
  }
}

/** What the service measures of itself. */
const ownMetric =
  (namespace: string) =>
  (metricName: MetricName, statistic: string, dimensionsMap: Record<string, string> = {}) =>
    new Metric({ namespace, metricName, statistic, dimensionsMap })

function graphs({ apiId, channel, mailer, storage, streams, scheduled, serviceName }: Props): IWidget[][] {
  const ofApi = (metricName: string, statistic: string) => apiMetric(apiId, metricName, statistic)
  const own = ownMetric(serviceName)
  const byClass = (metricName: MetricName, statistic: string) =>
    operationClasses.map((kind) => own(metricName, statistic, { class: kind }).with({ label: kind }))
  return [
    [
      graph('Requests', [ofApi('Count', 'Sum')], [ofApi('4xx', 'Sum'), ofApi('5xx', 'Sum')]),
      graph('Latency', [ofApi('Latency', 'p50'), ofApi('Latency', 'p99')]),
      graph('Faults by class', byClass('faults', 'Sum')),
    ],
    [
      graph('Requests by class', byClass('latency_ms', 'SampleCount')),
      graph('Latency by class, p50', byClass('latency_ms', 'p50')),
      graph('Latency by class, p99', byClass('latency_ms', 'p99')),
    ],
    [
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
    ],
    [
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
    ],
    [
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
    ],
    [
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
    ],
    signInGraphs(mailer, own, serviceName),
    ...(channel ? [channelGraphs(channel, own)] : []),
  ]
}

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

type Own = (metricName: MetricName, statistic: string, by?: Record<string, string>) => Metric

/** By the names that the consumers give themselves in the log. */
const ownLags = (own: Own): Metric[] =>
  consumerNames.map((operation) => own('lag_ms', 'p99', { operation }).with({ label: operation }))
