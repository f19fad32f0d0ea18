import { CfnOutput, Duration } from 'aws-cdk-lib'
import {
  Alarm,
  AlarmStatusWidget,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import type { ConsumedStream } from './consumers.ts'
import type { Scheduled } from './schedules.ts'
import type { Storage } from './storage.ts'

type Props = {
  apiId: string
  storage: Storage
  streams: ConsumedStream[]
  scheduled: Scheduled[]
  /** Who is told of an alarm; more can subscribe to the topic. */
  alarmEmail: string | null
}

type Page = {
  metric: IMetric
  threshold: number
  /** Periods in a row for which it must be so. */
  periods: number
  what: string
  /** File of `docs/runbooks`. */
  runbook: string
}

const labelled = (metric: Metric, { node }: Construct) => metric.with({ label: node.id })
const fiveMinutes = Duration.minutes(5)
const longer = (one: Duration, other: Duration) => (one.toSeconds() > other.toSeconds() ? one : other)
const left = (title: string, metrics: IMetric[], more: IMetric[] = []) =>
  new GraphWidget({ title, left: metrics, right: more, width: 8, height: 6 })

/**
 * One dashboard that says whether the service is well, and an alarm for each thing that a person must look at. An alarm
 * names its runbook. What mends itself (a retried batch, a throttled write) pages nobody.
 */
export class Monitoring extends Construct {
  private readonly topic: Topic

  constructor(scope: Construct, id: string, { apiId, storage, streams, scheduled, alarmEmail }: Props) {
    super(scope, id)
    this.topic = new Topic(this, 'Alarms', { displayName: 'Network Access Administration' })
    if (alarmEmail) this.topic.addSubscription(new EmailSubscription(alarmEmail))

    const ofApi = (metricName: string, statistic: string) =>
      new Metric({ namespace: 'AWS/ApiGateway', metricName, statistic, dimensionsMap: { ApiId: apiId } })
    const faults = ofApi('5xx', 'Sum')
    const requests = ofApi('Count', 'Sum')
    const ageOf = ({ consumer }: ConsumedStream) => consumer.metric('IteratorAge', { statistic: 'Maximum' })
    const keptOf = ({ mappingId }: ConsumedStream) =>
      new Metric({
        namespace: 'AWS/Lambda',
        metricName: 'OnFailureDestinationDeliveredEventCount',
        statistic: 'Sum',
        dimensionsMap: { EventSourceMappingUUID: mappingId },
      })

    const alarms = [
      this.page('ApiFaults', {
        metric: new MathExpression({
          // A few faults among few requests are no reason to wake anybody.
          expression: 'IF(faults >= 5, 100 * faults / requests, 0)',
          usingMetrics: { faults, requests },
          period: fiveMinutes,
          label: 'Faults in percent',
        }),
        threshold: 1,
        periods: 2,
        what: 'More than 1 % of the API requests fail.',
        runbook: 'api-faults.md',
      }),
      ...streams.map((stream) =>
        this.page(`${stream.consumer.node.id}Behind`, {
          metric: ageOf(stream),
          threshold: Duration.minutes(5).toMilliseconds(),
          periods: 2,
          what: `${stream.consumer.node.id} is more than five minutes behind its stream.`,
          runbook: 'consumer-behind.md',
        }),
      ),
      ...streams.map((stream) =>
        this.page(`${stream.consumer.node.id}Failed`, {
          metric: keptOf(stream),
          threshold: 0,
          periods: 1,
          what: `${stream.consumer.node.id} has given up records; they are kept.`,
          runbook: 'failed-batches.md',
        }),
      ),
      ...scheduled.map(({ run, every }) =>
        this.page(`${run.node.id}Failing`, {
          // A period without a run would end the row of failures.
          metric: run.metricErrors({ period: longer(every, fiveMinutes) }),
          threshold: 0,
          periods: 3,
          what: `The schedule ${run.node.id} keeps failing.`,
          runbook: 'schedules.md',
        }),
      ),
    ]

    const { table, flows } = storage
    new Dashboard(this, 'Dashboard', {
      defaultInterval: Duration.hours(12),
      widgets: [
        [new AlarmStatusWidget({ title: 'Alarms', alarms, width: 24, height: 3 })],
        [
          left('Requests', [requests], [ofApi('4xx', 'Sum'), faults]),
          left('Latency', [ofApi('Latency', 'p50'), ofApi('Latency', 'p99')]),
          left('Table', [
            table.metricConsumedReadCapacityUnits({ statistic: 'Sum' }),
            table.metricConsumedWriteCapacityUnits({ statistic: 'Sum' }),
          ]),
        ],
        [
          left(
            'Age of what is read from the streams',
            streams.map((stream) => labelled(ageOf(stream), stream.consumer)),
          ),
          left(
            'Records given up',
            streams.map((stream) => labelled(keptOf(stream), stream.consumer)),
          ),
          left('Flow stream', [flows.metricIncomingBytes()], [flows.metricWriteProvisionedThroughputExceeded()]),
        ],
        [
          left(
            'Errors of consumers',
            streams.map(({ consumer }) => labelled(consumer.metricErrors(), consumer)),
          ),
          left(
            'Errors of schedules',
            scheduled.map(({ run }) => labelled(run.metricErrors(), run)),
          ),
          left('Throttled table requests', [
            new Metric({
              namespace: 'AWS/DynamoDB',
              metricName: 'ThrottledRequests',
              statistic: 'Sum',
              dimensionsMap: { TableName: table.tableName },
            }),
          ]),
        ],
      ],
    })
    new CfnOutput(this, 'AlarmTopic', { value: this.topic.topicArn })
  }

  private page(id: string, { metric, threshold, periods, what, runbook }: Page): Alarm {
    const alarm = new Alarm(this, id, {
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: `${what} See docs/runbooks/${runbook}.`,
    })
    alarm.addAlarmAction(new SnsAction(this.topic))
    alarm.addOkAction(new SnsAction(this.topic))
    return alarm
  }
}
