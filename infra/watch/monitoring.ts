import { CfnOutput, Duration, Stack } from 'aws-cdk-lib'
import { AlarmStatusWidget, Dashboard, type Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { FilterPattern, type IFilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import type { LogEvent } from '#shared/core/logging/log-events.ts'
import { alarmOn } from '../functions/alarm.ts'
import { faultsByVersion } from '../functions/gradual-shift.ts'
import { arnOf } from '../settings/generated-names.ts'
import type { Settings } from '../settings/settings.ts'
import { type GraphedParts, graphs } from './graphs.ts'
import { createServiceMetric, isServiceMetric } from './watch.ts'
import { watchQuotas, watchStorage } from './watch-capacity.ts'
import { watchJobs } from './watch-jobs.ts'
import { watchApi, watchLive } from './watch-requests.ts'
import { watchSignIn } from './watch-sign-in.ts'

type Props = GraphedParts & { accessLogs: ILogGroup; functionLogs: ILogGroup; settings: Settings; reserved: number }

const { stringValue } = FilterPattern

/** Requests that Lambda throttled. Lambda's own metrics are either per function, which is too many for one alarm, or per account. */
const throttledRequests = FilterPattern.any(
  stringValue('$.integrationStatus', '=', '429'),
  stringValue('$.integrationErrorMessage', '=', '*Rate Exceeded*'),
)

/** Requests that API Gateway throttled. No metric distinguishes them from the 429 responses of the service's own rate limit. */
const refusedRequests = FilterPattern.all(
  stringValue('$.status', '=', '429'),
  stringValue('$.integrationStatus', '!=', '200'),
  // Excludes requests without a route, for example from scanners, which are harmless.
  stringValue('$.routeKey', '!=', '$default'),
)

/** Log lines about logs that failed verification during sealing. They are written for every value of the `metrics` setting. */
const stoppedSeals = stringValue('$.event', '=', 'seal_stopped' satisfies LogEvent)
/** Log lines about accounts whose flush stopped at a mismatch. */
const stoppedArchives = stringValue('$.event', '=', 'archive_stopped' satisfies LogEvent)
/** Log lines about hours that are not flushed three hours after their end. */
const lateHours = stringValue('$.event', '=', 'archive_behind' satisfies LogEvent)

/**
 * Dashboard of the service's health, with an alarm for each fault that requires human action. Each alarm names its runbook. Faults that
 * recover automatically, such as a retried batch or a throttled write, raise no alarm.
 */
export class Monitoring extends Construct {
  readonly topic: Topic

  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id)
    const { accessLogs, functionLogs, settings, apiId, storage, channel } = props
    const { stackName: namespace, alarmEmail } = settings
    this.topic = new Topic(this, 'Alarms', {
      displayName: 'Network Access Administration',
      enforceSSL: true,
      ...(storage.key && { masterKey: storage.key }),
    })
    // Allows CloudWatch in this account and region to publish, because an explicit policy replaces the default one.
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topic.topicArn],
        conditions: {
          StringEquals: { 'aws:SourceAccount': Stack.of(this).account },
          ArnLike: { 'aws:SourceArn': arnOf(this, 'cloudwatch', 'alarm:*') },
        },
      }),
    )
    if (alarmEmail) this.topic.addSubscription(new EmailSubscription(alarmEmail))
    // Publishes faults by operation and version, for the alarms of a gradual shift. As long as there are no faults, the metric costs
    // nothing.
    new MetricFilter(this, 'FaultsByVersion', {
      logGroup: functionLogs,
      filterPattern: FilterPattern.all(
        FilterPattern.numberValue('$.faults', '=', 1),
        FilterPattern.exists('$.operation'),
        FilterPattern.exists('$.version'),
      ),
      metricNamespace: namespace,
      metricName: faultsByVersion,
      metricValue: '1',
      dimensions: { operation: '$.operation', version: '$.version' },
    })
    const serviceMetric = createServiceMetric(namespace)
    const countLines = (
      name: string,
      logGroup: ILogGroup,
      metricName: string,
      filterPattern: IFilterPattern,
    ): Metric => {
      const properties = { metricNamespace: namespace, metricName, metricValue: '1', defaultValue: 0 }
      return new MetricFilter(this, name, { logGroup, filterPattern, ...properties }).metric({ statistic: 'Sum' })
    }
    const watches = [
      ...watchApi(
        apiId,
        countLines('ThrottledRequests', accessLogs, 'requests_throttled', throttledRequests),
        countLines('RefusedRequests', accessLogs, 'requests_refused', refusedRequests),
      ),
      ...watchStorage(storage),
      ...watchJobs(props.streams, props.scheduled, serviceMetric, {
        stoppedSeals: countLines('StoppedSeals', functionLogs, 'seals_stopped', stoppedSeals),
        stoppedArchives: countLines('StoppedArchives', functionLogs, 'archives_stopped', stoppedArchives),
        lateHours: countLines('LateHours', functionLogs, 'archive_hours_late', lateHours),
      }),
      ...watchSignIn(serviceMetric, props.mailer, settings),
      ...watchQuotas(apiId, storage, settings, props.reserved),
      ...(channel ? watchLive(channel, serviceMetric, settings) : []),
    ]
    // Leaves out alarms on metrics that the deployment does not publish, because they would never go off.
    const measuredWatches = watches.filter(({ metric }) => settings.metrics !== 'none' || !isServiceMetric(metric))
    const alarms = measuredWatches.map(({ id: name, metric, when, text, runbook, coveredBy }) => {
      const silence = coveredBy === null ? '' : ` If there is no data, ${coveredBy} goes off instead.`
      const missingData = coveredBy === null && { treatMissingData: TreatMissingData.BREACHING }
      const alarmText = `${text} Runbook: docs/runbooks/${runbook}.${silence}`
      return alarmOn(this, name, metric, alarmText, this.topic, { ...when, ...missingData })
    })
    const status = new AlarmStatusWidget({ title: 'Alarms', alarms, width: 24, height: 4 })
    const widgets = [[status], ...graphs(props, serviceMetric, namespace)]
    new Dashboard(this, 'Dashboard', { defaultInterval: Duration.hours(12), widgets })
    new CfnOutput(Stack.of(this), 'AlarmTopic', { value: this.topic.topicArn })
  }
}
