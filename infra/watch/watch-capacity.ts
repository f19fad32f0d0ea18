import { type IMetric, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import type { Settings } from '../settings/settings.ts'
import type { Storage } from '../storage/storage.ts'
import {
  above,
  apiMetric,
  computedMetric,
  fiveMinutes,
  flowStreamMetric,
  tableMetric,
  type Watch,
  withDefaults,
} from './watch.ts'

const seconds = fiveMinutes.toSeconds()
/** Write capacity of a provisioned shard, per second. */
const shard = { bytes: 1_048_576, records: 1_000 }

const percentOf = (expression: string, usingMetrics: Record<string, IMetric>) =>
  computedMetric(expression, usingMetrics, 'Percent of the limit')

const largerShare = (a: [IMetric, number], b: [IMetric, number]) => {
  const [first, second] = [`FILL(first, 0) / ${a[1] * seconds}`, `FILL(second, 0) / ${b[1] * seconds}`]
  const usingMetrics = { first: a[0], second: b[0] }
  return percentOf(`100 * IF(${first} > ${second}, ${first}, ${second})`, usingMetrics)
}

/** Watches account and deployment limits. Alarms go off at 80 %, while there is still time to raise the limit. */
export function watchQuotas(apiId: string, storage: Storage, settings: Settings, reserved: number): Watch[] {
  const lambda = (metricName: string) => new Metric({ namespace: 'AWS/Lambda', metricName, statistic: Stats.MAXIMUM })
  const used = new Metric({
    namespace: 'AWS/Usage',
    metricName: 'ResourceCount',
    statistic: Stats.MAXIMUM,
    dimensionsMap: { Service: 'Lambda', Type: 'Resource', Resource: 'ConcurrentExecutions', Class: 'None' },
  })
  const { accountRequests, tableUnits, flowStreamShards: shards } = settings
  const nearQuota = above(80, 2)
  const flows = {
    id: 'FlowStreamNearlyFull',
    metric: largerShare(
      [flowStreamMetric(storage, 'IncomingBytes'), shard.bytes * Number(shards)],
      [flowStreamMetric(storage, 'IncomingRecords'), shard.records * Number(shards)],
    ),
    when: nearQuota,
    text: 'For 10 minutes flow reports have used more than 80 % of the capacity of the flow stream. Above it, reports are rejected and sent again.',
  }
  return withDefaults(
    { runbook: 'quotas.md', coveredBy: 'PulseFailing' },
    {
      id: 'ConcurrencyNearlyUsed',
      // Subtracts the service's own reservations, which are constant. Claimed concurrency includes all reservations, whether used or not.
      metric: percentOf(`100 * (claimed - ${reserved}) / (SERVICE_QUOTA(used) - ${reserved})`, {
        claimed: lambda('ClaimedAccountConcurrency'),
        used,
      }),
      when: nearQuota,
      text: 'For 10 minutes functions have used more than 80 % of the unreserved Lambda concurrency of the AWS account. Above it, requests fail.',
      coveredBy: 'ApiSilent',
    },
    {
      id: 'ApiNearlyThrottled',
      metric: percentOf(`100 * requests / ${accountRequests * seconds}`, { requests: apiMetric(apiId, 'Count') }),
      when: nearQuota,
      text: 'For 10 minutes the API has received more than 80 % of the requests that the quota of the AWS account allows. Above it, requests are rejected.',
      coveredBy: 'ApiSilent',
    },
    {
      id: 'TableNearQuota',
      metric: largerShare(
        [tableMetric(storage, 'ConsumedReadCapacityUnits'), tableUnits],
        [tableMetric(storage, 'ConsumedWriteCapacityUnits'), tableUnits],
      ),
      when: nearQuota,
      text: 'For 10 minutes the table has used more than 80 % of its quota of read or write units. Above it, requests slow down or fail.',
    },
    ...(shards === 'on-demand' ? [] : [flows]),
  )
}

/** Watches for throttling. Brief throttling raises no alarm, because requests are retried and an on-demand table scales. */
export const watchStorage = (storage: Storage): Watch[] => {
  const sumOf = (reads: IMetric, writes: IMetric, label: string) =>
    computedMetric('FILL(reads, 0) + FILL(writes, 0)', { reads, writes }, label)
  return withDefaults(
    { runbook: 'throttles.md', coveredBy: 'PulseFailing' },
    {
      id: 'TableThrottled',
      metric: sumOf(
        tableMetric(storage, 'ReadThrottleEvents'),
        tableMetric(storage, 'WriteThrottleEvents'),
        'Throttled requests',
      ),
      when: above(10, 3),
      text: 'For 15 minutes DynamoDB has throttled requests to the table. Requests are slow, and some fail with 503.',
    },
    {
      id: 'FlowStreamThrottled',
      metric: sumOf(
        flowStreamMetric(storage, 'ReadProvisionedThroughputExceeded'),
        flowStreamMetric(storage, 'WriteProvisionedThroughputExceeded'),
        'Throttled records',
      ),
      when: above(0, 3),
      text: 'For 15 minutes Kinesis has throttled the flow stream. Flow reports are late; devices send rejected ones again.',
    },
  )
}
