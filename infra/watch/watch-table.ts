import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { Storage } from '../storage/storage.ts'
import { fiveMinutes, type Watch } from './watch.ts'

/** Of the table as a whole. `ThrottledRequests` is no such metric: it is of each kind of request. */
export const tableMetric = ({ table }: Storage, metricName: string) =>
  new Metric({ namespace: 'AWS/DynamoDB', metricName, statistic: 'Sum', dimensionsMap: { TableName: table.tableName } })

export const flowStreamMetric = ({ flows }: Storage, metricName: string) =>
  new Metric({
    namespace: 'AWS/Kinesis',
    metricName,
    statistic: 'Sum',
    dimensionsMap: { StreamName: flows.streamName },
  })

/** A throttled request is tried again, and an on-demand table grows: some, for a while, wake nobody. */
export const watchStorage = (storage: Storage): Watch[] => [
  {
    id: 'TableThrottled',
    metric: new MathExpression({
      expression: 'FILL(reads, 0) + FILL(writes, 0)',
      usingMetrics: {
        reads: tableMetric(storage, 'ReadThrottleEvents'),
        writes: tableMetric(storage, 'WriteThrottleEvents'),
      },
      period: fiveMinutes,
      label: 'Throttled requests',
    }),
    when: { above: 10 },
    periods: 3,
    what: 'The table refuses requests as too many.',
    runbook: 'throttles.md',
    silence: { toldBy: 'PulseFailing' },
  },
  {
    id: 'FlowStreamThrottled',
    metric: new MathExpression({
      expression: 'FILL(reads, 0) + FILL(writes, 0)',
      usingMetrics: {
        reads: flowStreamMetric(storage, 'ReadProvisionedThroughputExceeded'),
        writes: flowStreamMetric(storage, 'WriteProvisionedThroughputExceeded'),
      },
      period: fiveMinutes,
      label: 'Throttled records',
    }),
    when: { above: 0 },
    periods: 3,
    what: 'The flow stream refuses records as too many.',
    runbook: 'throttles.md',
    silence: { toldBy: 'PulseFailing' },
  },
]
