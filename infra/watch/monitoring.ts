import { ArnFormat, CfnOutput, Duration, Stack } from 'aws-cdk-lib'
import {
  Alarm,
  AlarmStatusWidget,
  ComparisonOperator,
  Dashboard,
  type Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import type { LogEvent } from '#shared/core/logging/log-events.ts'
import { faultsByVersion } from '../functions/gradual-shift.ts'
import type { Settings } from '../settings/settings.ts'
import { type Graphed, graphs } from './graphs.ts'
import { isOwn, ownMetric } from './own-metric.ts'
import type { Watch } from './watch.ts'
import { watchApi } from './watch-api.ts'
import { watchJobs } from './watch-jobs.ts'
import { watchLive } from './watch-live.ts'
import { watchQuotas } from './watch-quotas.ts'
import { watchSeal } from './watch-seal.ts'
import { watchSignIn } from './watch-sign-in.ts'
import { watchStorage } from './watch-table.ts'

type Props = Graphed & {
  accessLogs: ILogGroup
  /** Log lines of the functions, for the operator. */
  functionLogs: ILogGroup
  settings: Settings
  /** Sum of the concurrency that the functions of the deployment reserve. */
  reserved: number
  /** Who is told of an alarm; more can subscribe to the topic. */
  alarmEmail: string | null
}

/**
 * One dashboard that says whether the service is well, and an alarm for each thing that a person must look at. An alarm
 * names its runbook. What mends itself (a retried batch, a throttled write) pages nobody.
 */
export class Monitoring extends Construct {
  /** Who is told of alarms. */
  readonly topic: Topic

  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id)
    this.topic = new Topic(this, 'Alarms', {
      displayName: 'Network Access Administration',
      enforceSSL: true,
      ...(props.storage.key && { masterKey: props.storage.key }),
    })
    this.admitAlarms()
    if (props.alarmEmail) this.topic.addSubscription(new EmailSubscription(props.alarmEmail))
    this.countFaultsByVersion(props)
    const watches = [
      ...watchApi(props.apiId, this.throttledRequests(props), this.refusedRequests(props)),
      ...watchStorage(props.storage),
      ...watchJobs(props.streams, props.scheduled, ownMetric(props.serviceName)),
      watchSeal(this.stoppedSeals(props)),
      ...watchSignIn(ownMetric(props.serviceName), props.mailer, props.settings),
      ...watchQuotas(props.apiId, props.storage, props.settings, props.reserved),
      ...(props.channel ? watchLive(props.channel, ownMetric(props.serviceName), props.settings) : []),
    ]
    // What nobody measures would never go off.
    const measured = watches.filter(({ metric }) => props.settings.metrics !== 'none' || !isOwn(metric))
    const alarms = measured.map((watch) => this.alarm(watch))
    new Dashboard(this, 'Dashboard', {
      defaultInterval: Duration.hours(12),
      widgets: [[new AlarmStatusWidget({ title: 'Alarms', alarms, width: 24, height: 4 })], ...graphs(props)],
    })
    new CfnOutput(Stack.of(this), 'AlarmTopic', { value: this.topic.topicArn })
  }

  /** Lets CloudWatch publish for alarms of this account and region. A topic with a policy of its own has no default one that would. */
  private admitAlarms(): void {
    const stack = Stack.of(this)
    const anyAlarm = { service: 'cloudwatch', resource: 'alarm', resourceName: '*' }
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topic.topicArn],
        conditions: {
          StringEquals: { 'aws:SourceAccount': stack.account },
          ArnLike: { 'aws:SourceArn': stack.formatArn({ ...anyAlarm, arnFormat: ArnFormat.COLON_RESOURCE_NAME }) },
        },
      }),
    )
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

  /** Requests that API Gateway refused: no metric distinguishes them from the 429 of a rate limit of the service. */
  private refusedRequests({ accessLogs, serviceName }: Props): Metric {
    return new MetricFilter(this, 'RefusedRequests', {
      logGroup: accessLogs,
      filterPattern: FilterPattern.all(
        FilterPattern.stringValue('$.status', '=', '429'),
        FilterPattern.stringValue('$.integrationStatus', '!=', '200'),
        // A scanner of addresses that do not exist harms nobody.
        FilterPattern.stringValue('$.routeKey', '!=', '$default'),
      ),
      metricNamespace: serviceName,
      metricName: 'requests_refused',
      metricValue: '1',
      defaultValue: 0,
    }).metric({ statistic: 'Sum' })
  }

  /** Faults by operation and version, for the alarms of a gradual shift. Without faults it costs nothing. */
  private countFaultsByVersion({ functionLogs, serviceName }: Props): void {
    new MetricFilter(this, 'FaultsByVersion', {
      logGroup: functionLogs,
      filterPattern: FilterPattern.all(
        FilterPattern.numberValue('$.faults', '=', 1),
        FilterPattern.exists('$.operation'),
        FilterPattern.exists('$.version'),
      ),
      metricNamespace: serviceName,
      metricName: faultsByVersion,
      metricValue: '1',
      dimensions: { operation: '$.operation', version: '$.version' },
    })
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
